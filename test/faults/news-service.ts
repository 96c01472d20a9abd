import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export type NewsService = Awaited<ReturnType<typeof startNewsService>>;

type Entry = { id: string; createdAt: string };
type Query = {
  filter?: { created_time: { on_or_after: string } };
  sorts: [{ direction: string }];
  start_cursor?: string;
};

/** More than a look at pages goes back, so that whatever the mark has passed is never listed again. */
const apartMs = 20 * 60_000;
const pageSize = 3;

/**
 * The same entries as a JSON feed, which always lists all of them, and as pages of a database as Notion has them, of which each look lists what is
 * behind its mark. Answers come after a while, so that processes die at every moment of a look.
 */
export async function startNewsService() {
  let entries: Entry[] = [];
  let refused: string | undefined;
  let asked = 0;
  let slowestMs = 0;
  const startedAt = Date.now() - 60 * 86_400_000;

  const toFeed = () => ({
    version: "https://jsonfeed.org/version/1.1",
    items: entries.toReversed().map(({ id }) => ({ id, title: id })),
  });

  function queryPages({ filter, sorts, start_cursor }: Query) {
    const since = filter?.created_time.on_or_after ?? "";
    const listed = entries.filter(({ createdAt }) => createdAt >= since);
    if (sorts[0].direction === "descending") listed.reverse();
    const from = Number(start_cursor ?? 0);
    const results = listed
      .slice(from, from + pageSize)
      .map(({ id, createdAt }) => ({ object: "page", id, created_time: createdAt }));
    const has_more = from + pageSize < listed.length;
    return { results, has_more, next_cursor: has_more ? String(from + pageSize) : null };
  }

  async function answerOf(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const path = decodeURIComponent(request.url ?? "");
    if (path.endsWith("/query")) return { status: 200, body: queryPages((await json(request)) as Query) };
    const [, pageId] = /^\/v1\/pages\/(.*)$/.exec(path) ?? [];
    if (pageId === undefined) return { status: 200, body: toFeed() };
    return pageId === refused
      ? { status: 400, body: { object: "error", code: "validation_error", message: "This page cannot be read." } }
      : { status: 200, body: { object: "page", id: pageId, properties: {} } };
  }

  const server = createServer((request, response) => {
    asked += 1;
    void answerOf(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" });
      setTimeout(() => response.end(JSON.stringify(body)), Math.random() * slowestMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const add = (more: string[]) => {
    const from = entries.length;
    entries = [
      ...entries,
      ...more.map((id, index) => ({ id, createdAt: new Date(startedAt + (from + index) * apartMs).toISOString() })),
    ];
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ids: () => entries.map(({ id }) => id),
    asked: () => asked,
    add,
    /** Begins again with these. */
    begin(first: string[]): void {
      [entries, refused, slowestMs] = [[], undefined, 0];
      add(first);
    },
    /** Which page cannot be read. */
    refuse(id: string | undefined): void {
      refused = id;
    },
    slowDown(ms: number): void {
      slowestMs = ms;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
