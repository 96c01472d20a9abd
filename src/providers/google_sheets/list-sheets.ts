import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { path } from "../../contract/http.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { readGoogleId } from "../_google/read-id.ts";

/** The sheets of a spreadsheet by their names. */
export const listSheets = async (call: ChoicesCall): Promise<Choice[]> =>
  toChoices(await readNames(call), (value) => ({ value }));

/** The same as ranges, which are those sheets as a whole. */
export const listRanges = async (call: ChoicesCall): Promise<Choice[]> =>
  toChoices(await readNames(call), (title) => ({ value: toRange(title), title }));

async function readNames({ http, given: { spreadsheetId = "" } }: ChoicesCall): Promise<string[]> {
  const id = readGoogleId("/spreadsheetId", spreadsheetId);
  const answer = await http.json({ path: path`/v4/spreadsheets/${id}`, query: { fields: "sheets.properties.title" } });
  return listAt(answer, "sheets").flatMap((sheet) => textAt(sheet, "properties", "title") ?? []);
}

/** A name that could be read as a cell, or that has other signs than letters and digits, goes in quotes. */
function toRange(name: string): string {
  const isPlain = /^[a-z_]\w*$/i.test(name) && !/^(?:[a-z]{1,3}\d+|r\d*c\d*)$/i.test(name);
  return isPlain ? name : `'${name.replaceAll("'", "''")}'`;
}
