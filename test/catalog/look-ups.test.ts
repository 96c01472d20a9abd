import { beforeAll, describe, expect, it } from "vitest";
import { toJsonSchema } from "../../src/catalog/json-schema.ts";
import { type LoadedProvider, loadProviders } from "../../src/catalog/load-providers.ts";
import type { Choice, ChoiceList, Credential } from "../../src/contract/credential.ts";
import { withCall } from "../support/gateway/with-call.ts";
import { type SeenRequest, startFakeProvider } from "../support/providers/fake-provider.ts";
import { exchangesOf } from "./look-ups/exchanges.ts";

type Field = { type?: string; choices?: string; choicesNeed?: string[]; items?: Field };
type NamedField = { of: string; fields: Record<string, Field>; field: Field; credential: Credential | null };

let credentials: Credential[];
let offering: NamedField[];

beforeAll(async () => {
  const providers = await loadProviders();
  credentials = providers.flatMap(({ credential }) => credential ?? []);
  offering = providers.flatMap(fieldsWithChoices);
});

function fieldsWithChoices({ id, credential, actions, polls }: LoadedProvider): NamedField[] {
  const forms = [
    ...actions.map((action) => ({ of: action.id, schema: toJsonSchema(action.input, "input") })),
    ...polls.map((poll) => ({ of: `${id} ${poll.id}`, schema: toJsonSchema(poll.parameters, "input") })),
  ];
  return forms.flatMap(({ of, schema }) => {
    const fields = schema.properties as Record<string, Field>;
    return Object.entries(fields).flatMap(([name, own]) =>
      [own, own.items ?? {}]
        .filter(({ choices }) => choices !== undefined)
        .map((field) => ({ of: `${of} ${name}`, fields, field, credential })),
    );
  });
}

const listNamed = (type: string, name: string): ChoiceList | undefined =>
  credentials.find((credential) => credential.type === type)?.choices[name];

describe("fields with choices", () => {
  it("are texts, name a list that the account has, and the fields of the form that it needs", () => {
    expect(offering.length).toBeGreaterThanOrEqual(15);
    for (const { of, fields, field, credential } of offering) {
      const { type, choices = "", choicesNeed = [] } = field;
      expect(type, of).toBe("string");
      expect(Object.keys(credential?.choices ?? {}), of).toContain(choices);
      expect(choicesNeed, of).toEqual([...(credential?.choices[choices]?.needs ?? [])]);
      for (const need of choicesNeed) expect(fields[need]?.type, `${of} needs ${need}`).toBe("string");
    }
  });

  it("use every list that there is", () => {
    const used = new Set(offering.map(({ credential, field }) => `${credential?.type} ${field.choices}`));
    for (const { type, choices } of credentials)
      for (const name of Object.keys(choices)) expect(used, `${type} ${name}`).toContain(`${type} ${name}`);
  });
});

describe("what an account offers", () => {
  it("is tried below for every list of a service that is reached over HTTP", () => {
    const lists = credentials
      .filter(({ baseUrl }) => baseUrl !== null)
      .flatMap(({ type, choices }) => Object.keys(choices).map((name) => `${type} ${name}`));
    expect(Object.keys(exchangesOf).sort()).toEqual(lists.sort());
  });

  it.each(Object.entries(exchangesOf))(
    "%s: asks without changing anything, and says names and ids",
    async (of, row) => {
      const [type = "", name = ""] = of.split(" ");
      const definition = credentials.find((credential) => credential.type === type) as Credential;
      const provider = await startFakeProvider();
      try {
        provider.script(row.asks.map(([, answer]) => answer));
        const call = { given: row.given ?? {}, search: row.search ?? "", most: 1000 };
        const found = await withCall(
          { definition, credential: { ...row.account, baseUrl: provider.url } },
          async (opened): Promise<Choice[] | undefined> => await listNamed(type, name)?.load({ ...opened, ...call }),
        );
        expect(provider.requests().map(describeRequest)).toEqual(row.asks.map(([request]) => request));
        for (const request of provider.requests()) expect(onlyReads(request), describeRequest(request)).toBe(true);
        expect(found).toEqual(row.gives);
      } finally {
        await provider.stop();
      }
    },
  );
});

const describeRequest = ({ method, path }: SeenRequest): string => `${method} ${path}`;

/** A search and a query of GraphQL are posted. */
function onlyReads({ method, path, body }: SeenRequest): boolean {
  if (method === "GET") return true;
  if (path === "/graphql") return /^\{"query":"query /.test(body.toString());
  return path === "/v1/search";
}
