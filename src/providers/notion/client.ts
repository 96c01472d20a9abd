import { Refusal } from "../../base/refusal.ts";
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

/** A page, or a block that was left out of one, with its properties and, as Markdown, what is on it. */
export async function readPage(http: Http, pageId: string, includeContent: boolean) {
  const readContent = () => http.json({ path: path`/v1/pages/${pageId}/markdown` });
  const { page, ...known } = await readPageOrBlock(http, pageId, includeContent ? readContent : undefined);
  const content = includeContent ? (known.content ?? (await readContent())) : undefined;
  const missing = textsAt(content, "unknown_block_ids");
  return {
    id: textAt(page, "id") ?? textAt(content, "id"),
    title: readTitle(page),
    url: textAt(page, "url"),
    properties: recordAt(page, "properties"),
    markdown: textAt(content, "markdown"),
    ...(missing.length > 0 || booleanAt(content, "truncated") === true
      ? { isTruncated: true, missingBlockIds: missing, leftOut: describeMissing(missing.length) }
      : {}),
    lastEditedTime: textAt(page, "last_edited_time"),
  };
}

/** What was left out of a long page is a block, which has content but is no page. */
async function readPageOrBlock(http: Http, pageId: string, readContent: (() => Promise<unknown>) | undefined) {
  try {
    return { page: await http.json({ path: path`/v1/pages/${pageId}` }) };
  } catch (error) {
    if (!readContent || !(error instanceof Refusal && error.provider?.status === 404)) throw error;
    const content = await readContent().catch((second: unknown) => {
      throw second instanceof Refusal ? error : second;
    });
    return { page: undefined, content };
  }
}

function describeMissing(count: number): string {
  if (count === 0)
    return "Notion left out content without saying which. Read the rest in Notion, or make several pages of it.";
  const blocks = count === 1 ? "1 block" : `${count} blocks`;
  return `Notion left out ${blocks}. Call notion_get_page with each of missingBlockIds as pageId to read the rest; what is not shared with the connection stays closed.`;
}

/** The id of a page. In its address it stands at the end, behind the title, or in `p` when the page lies over another. */
export function readPageId(pointer: string, text: string): string {
  const url = /^https?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null;
  if (url === null) return text;
  const id = /[0-9a-f]{32}$/i.exec((url.searchParams.get("p") ?? url.pathname).replaceAll("-", ""))?.[0];
  if (id !== undefined) return id;
  throw refuseInput(pointer, "must be the id of a page or its address, which ends with the id: 32 hexadecimal digits");
}
