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
export const readPageId = (pointer: string, text: string): string =>
  readId(text, ({ searchParams, pathname }) => searchParams.get("p") ?? pathname) ??
  refuse(pointer, "must be the id of a page or its address, which ends with the id: 32 hexadecimal digits");

/** The id of a database or data source. Whichever page lies over it in the browser, its address is that of the database. */
const readSourceId = (pointer: string, text: string): string =>
  readId(text.trim(), ({ pathname }) => pathname) ??
  refuse(
    pointer,
    "must be the id of a data source, or the address of its database: it ends with 32 hexadecimal digits",
  );

function readId(text: string, placeOf: (url: URL) => string): string | undefined {
  const url = /^https?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null;
  return url === null ? text : /[0-9a-f]{32}$/i.exec(placeOf(url).replaceAll("-", ""))?.[0];
}

function refuse(pointer: string, detail: string): never {
  throw refuseInput(pointer, detail);
}

export const isMissing = (error: unknown): boolean => error instanceof Refusal && error.provider?.status === 404;

/** Does something with a data source, of which people may have the address of the database: in it is another id than that of what holds the pages. */
export async function withDataSource<Result>(
  http: Http,
  { pointer, text }: { pointer: string; text: string },
  use: (dataSourceId: string) => Promise<Result>,
): Promise<Result> {
  const id = readSourceId(pointer, text);
  try {
    return await use(id);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const database = await http.json({ path: path`/v1/databases/${id}` }).catch((second: unknown) => {
      throw isMissing(second) ? error : second;
    });
    return await use(chooseDataSource(pointer, listAt(database, "data_sources")));
  }
}

function chooseDataSource(pointer: string, sources: unknown[]): string {
  const id = textAt(sources[0], "id");
  if (id !== undefined && sources.length === 1) return id;
  const names = sources.map((source) => `${textAt(source, "name") ?? ""} (${textAt(source, "id") ?? ""})`).join(", ");
  return refuse(
    pointer,
    sources.length === 0
      ? "must be a database with a data source"
      : `must name one of its data sources by its id: ${names}`,
  );
}
