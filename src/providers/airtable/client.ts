import { path } from "../../contract/http.ts";
import { recordAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";

/** Of a table, from its ids or from its address, in whichever field that was pasted. */
export function tablePath({ baseId, table }: { baseId: string; table?: string | undefined }): string {
  const address = [baseId, table ?? ""]
    .map((text) => /^https:\/\/airtable\.com\/(app\w+)(?:(?:\/[^/]+)*?\/(tbl\w+))?/.exec(text.trim()))
    .find(Boolean);
  const [, base, addressed] = address ?? [];
  const named = table === undefined || table.includes("://") ? addressed : table;
  const id = readBaseId(base ?? baseId);
  if (named === undefined) throw refuseInput("/table", "must be given where the address does not name a table");
  return path`/v0/${id}/${named}`;
}

/** The id of a base, from itself or from an address. */
export function readBaseId(text: string): string {
  const id = /^https:\/\/airtable\.com\/(app\w+)/.exec(text.trim())?.[1] ?? text.trim();
  if (/^app[A-Za-z0-9]+$/.test(id)) return id;
  throw refuseInput("/baseId", "must be the id of a base, which starts with app, or the address of a table");
}

export const readRecord = (record: unknown) => ({
  id: textAt(record, "id"),
  createdTime: textAt(record, "createdTime"),
  fields: recordAt(record, "fields"),
});
