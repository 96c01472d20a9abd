import { at, listAt, recordAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";

/** The title of a page, which is the one property of that type, or of a data source, which has it directly. */
export function readTitle(entry: unknown): string | undefined {
  const property = Object.values(recordAt(entry, "properties") ?? {}).find((value) => at(value, "type") === "title");
  const holder = Array.isArray(at(entry, "title")) ? entry : property;
  if (holder === undefined) return undefined;
  return listAt(holder, "title")
    .map((part) => textAt(part, "plain_text") ?? "")
    .join("");
}

/** The id of a page. In its address it stands at the end, behind the title, or in `p` when the page lies over another. */
export function readPageId(pointer: string, text: string): string {
  const url = /^https?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null;
  if (url === null) return text;
  const id = /[0-9a-f]{32}$/i.exec((url.searchParams.get("p") ?? url.pathname).replaceAll("-", ""))?.[0];
  if (id !== undefined) return id;
  throw refuseInput(pointer, "must be the id of a page or its address, which ends with the id: 32 hexadecimal digits");
}
