import { type Http, path } from "../../contract/http.ts";
import { at, booleanAt, listAt, recordAt, textAt, textsAt } from "../../contract/read.ts";
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

/** A page with its properties and, as Markdown, what is on it. */
export async function readPage(http: Http, pageId: string, includeContent: boolean) {
  const page = await http.json({ path: path`/v1/pages/${pageId}` });
  const content = includeContent ? await http.json({ path: path`/v1/pages/${pageId}/markdown` }) : undefined;
  const missing = textsAt(content, "unknown_block_ids");
  return {
    id: textAt(page, "id"),
    title: readTitle(page),
    url: textAt(page, "url"),
    properties: recordAt(page, "properties"),
    markdown: textAt(content, "markdown"),
    ...(missing.length > 0 || booleanAt(content, "truncated") === true ? { isTruncated: true, missingBlockIds: missing } : {}),
    lastEditedTime: textAt(page, "last_edited_time"),
  };
}

/** The id of a page. In its address it stands at the end, behind the title, or in `p` when the page lies over another. */
export function readPageId(pointer: string, text: string): string {
  const url = /^https?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null;
  if (url === null) return text;
  const id = /[0-9a-f]{32}$/i.exec((url.searchParams.get("p") ?? url.pathname).replaceAll("-", ""))?.[0];
  if (id !== undefined) return id;
  throw refuseInput(pointer, "must be the id of a page or its address, which ends with the id: 32 hexadecimal digits");
}
