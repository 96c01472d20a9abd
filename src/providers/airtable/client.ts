import { path } from "../../contract/http.ts";
import { recordAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";

export function tablePath(baseId: string, table: string): string {
  if (!/^app[A-Za-z0-9]+$/.test(baseId))
    throw refuseInput("/baseId", "must be the id of a base, which starts with app");
  return path`/v0/${baseId}/${table}`;
}

export const readRecord = (record: unknown) => ({
  id: textAt(record, "id"),
  createdTime: textAt(record, "createdTime"),
  fields: recordAt(record, "fields"),
});
