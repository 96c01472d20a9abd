import { at, listAt, recordAt, textAt } from "../../contract/read.ts";

/** The title of a page, which is the one property of that type, or of a data source, which has it directly. */
export function readTitle(entry: unknown): string | undefined {
  const property = Object.values(recordAt(entry, "properties") ?? {}).find((value) => at(value, "type") === "title");
  const holder = Array.isArray(at(entry, "title")) ? entry : property;
  if (holder === undefined) return undefined;
  return listAt(holder, "title")
    .map((part) => textAt(part, "plain_text") ?? "")
    .join("");
}
