import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { path } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { readBaseId } from "./client.ts";

export async function listBases({ http, most }: ChoicesCall): Promise<Choice[]> {
  const bases = await collectPages<unknown, string>(most, async (offset) => {
    const answer = await http.json({ path: "/v0/meta/bases", query: { offset } });
    return { items: listAt(answer, "bases"), next: textAt(answer, "offset") };
  });
  return toChoices(bases, named);
}

export const listTables = async (call: ChoicesCall): Promise<Choice[]> => toChoices(await readTables(call), named);

export const listViews = async (call: ChoicesCall): Promise<Choice[]> =>
  toChoices(listAt(await readTable(call), "views"), named);

/** Tools name fields by their names. */
export const listFields = async (call: ChoicesCall): Promise<Choice[]> =>
  toChoices(listAt(await readTable(call), "fields"), (field) => ({ value: textAt(field, "name") }));

async function readTable(call: ChoicesCall): Promise<unknown> {
  const { table = "" } = call.given;
  const tables = await readTables(call);
  return tables.find((entry) => textAt(entry, "id") === table || textAt(entry, "name") === table);
}

async function readTables({ http, given: { baseId = "" } }: ChoicesCall): Promise<unknown[]> {
  return listAt(await http.json({ path: path`/v0/meta/bases/${readBaseId(baseId)}/tables` }), "tables");
}

const named = (entry: unknown) => ({ value: textAt(entry, "id"), title: textAt(entry, "name") });
