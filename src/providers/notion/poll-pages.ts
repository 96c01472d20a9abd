import { z } from "zod";
import type { CredentialCall } from "../../contract/credential.ts";
import { path } from "../../contract/http.ts";
import { definePoll } from "../../contract/poll.ts";
import { listByTime, type TimedPage } from "../../contract/poll-by-time.ts";
import { at, known, listAt, textAt } from "../../contract/read.ts";
import { isMissing, readPage, withDataSource } from "./client.ts";

export const newPage = definePoll({
  id: "new_page",
  title: "New page in a database",
  description:
    "Starts for each page that is created in a database. It may be read before somebody has filled it in. Pages outside of databases are not seen: Notion's search does not promise to list them all.",
  // Notion takes three requests a second from an integration, and tells times in minutes.
  everySeconds: { least: 30, usual: 120 },
  parameters: z.strictObject({
    database: z
      .string()
      .min(1)
      .describe(
        "Address of the database in your browser, its id, or the id of one of its data sources, which notion_search finds. Share it with the integration first.",
      )
      .meta({ choices: "dataSources" }),
    includeContent: z.boolean().default(true).describe("Whether to read what is on the page, too."),
  }),
  async list(call, { parameters, mark, now }) {
    const place = { pointer: "/database", text: parameters.database };
    const readPageOfList = (since: Date | null, cursor: string | undefined) =>
      withDataSource(call.http, place, (id) => queryDataSource(call, { id, since, cursor }));
    return await listByTime({ mark, now }, { overlapMs, readPage: readPageOfList });
  },
  async read({ http }, item, { includeContent }) {
    try {
      return { ...(await readPage(http, item.id, includeContent)), ...(item.payload as Listed) };
    } catch (error) {
      if (!isMissing(error)) throw error;
      return undefined;
    }
  },
  promptOf: (payload) => known([textAt(payload, "title"), textAt(payload, "markdown")]).join("\n\n") || undefined,
  senderOf: (payload) => ({ id: textAt(payload, "createdBy"), name: undefined }),
});

type Listed = { createdTime: string | undefined; createdBy: string | undefined };
type Wanted = { id: string; since: Date | null; cursor: string | undefined };

// Times are cut to their minute, and a page may be missing in a list for a while.
const overlapMs = 15 * 60_000;
const pageSize = 100;

async function queryDataSource({ http }: CredentialCall, { id, since, cursor }: Wanted): Promise<TimedPage> {
  const json = {
    ...(since ? { filter: { timestamp: "created_time", created_time: { on_or_after: since.toISOString() } } } : {}),
    sorts: [{ timestamp: "created_time", direction: since ? "ascending" : "descending" }],
    page_size: pageSize,
    start_cursor: cursor,
  };
  const answer = await http.json({ method: "POST", path: path`/v1/data_sources/${id}/query`, json, repeatable: true });
  const items = listAt(answer, "results").flatMap((page) => {
    const pageId = textAt(page, "id");
    if (pageId === undefined || at(page, "object") !== "page") return [];
    const createdAt = textAt(page, "created_time");
    return [
      {
        id: pageId,
        createdAt,
        payload: { createdTime: createdAt, createdBy: textAt(page, "created_by", "id") } satisfies Listed,
      },
    ];
  });
  return { items, next: at(answer, "has_more") === true ? textAt(answer, "next_cursor") : undefined };
}
