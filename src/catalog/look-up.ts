import { z } from "zod";
import { defineAction } from "../contract/action.ts";
import type { ChoiceList, Credential } from "../contract/credential.ts";
import type { Catalog, CatalogAction } from "./catalog.ts";
import { toJsonSchema } from "./json-schema.ts";
import type { LoadedProvider } from "./load-providers.ts";

/** A list of what an account offers for a field, as something that can be called. */
export type LookUp = CatalogAction & Pick<ChoiceList, "needs" | "searches">;

/** Who has more of something looks for it by its name. */
export const mostLoaded = 1000;

/** No id of a service is longer. What an address answers that is none of theirs must not fill the memory. */
const longestValue = 1000;

const output = z.object({ value: z.string(), title: z.string().optional() });

export type FindLookUp = ReturnType<typeof createFindLookUp>;

/** Finds what accounts of a type offer for fields that name the list. */
export function createFindLookUp({ credentialTypes }: Pick<Catalog, "credentialTypes">) {
  return (type: string, name: string): LookUp | undefined => {
    const known = credentialTypes.get(type);
    if (!known) return undefined;
    const { definition: credential, provider } = known;
    const list = Object.hasOwn(credential.choices, name) ? credential.choices[name] : undefined;
    return list && toLookUp({ provider, credential, name, list });
  };
}

type Named = { provider: LoadedProvider; credential: Credential; name: string; list: ChoiceList };

/**
 * Called and recorded like a tool, and a tool to nobody: it is in no list of actions. What it takes is what a person wrote into other
 * fields of the form, so a provider reads it as it reads the input of a tool.
 */
function toLookUp({ provider, credential, name, list }: Named): LookUp {
  const { needs, searches, load } = list;
  const fields: [string, z.ZodString][] = needs.map((field) => [field, z.string().min(1).max(2000)]);
  if (searches) fields.push(["search", z.string().max(200)]);
  const input = z.strictObject(Object.fromEntries(fields));
  const action = defineAction({
    id: `${provider.id}_look_up_${toSnakeCase(name)}`,
    title: `Look up ${name}`,
    description: "What an account offers for a field of a form.",
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    credential,
    input,
    output,
    run: async ({ input: { search = "", ...given }, ...call }) =>
      (await load({ ...call, given, search, most: mostLoaded }))
        .filter(({ value }) => value.length <= longestValue)
        .map(({ title, ...choice }) => ({
          ...choice,
          ...(title === undefined ? {} : { title: title.slice(0, longestValue) }),
        }))
        .slice(0, mostLoaded),
  });
  return {
    ...action,
    provider,
    alsoTakes: [],
    inputSchema: toJsonSchema(input, "input"),
    outputSchema: toJsonSchema(output, "output"),
    needs,
    searches,
  };
}

const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
