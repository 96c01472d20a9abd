import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";

export type CountingProvider = Awaited<ReturnType<typeof startCountingProvider>>;

/**
 * Speaks enough of GitHub to open issues: answers with the title it was given, and knows how many calls really run at once.
 * A call takes its time here also when its caller is dead. The first word of a title may ask for something else:
 * `fail`, `nul` (fails with a character that PostgreSQL cannot store), `drop` (closes the connection), `hang` (until the caller gives up),
 * `huge` (more than anybody can take).
 */
export async function startCountingProvider() {
  const seen = { running: 0, most: 0 };
  let callMs = () => 0;
  let gate = Promise.resolve();
  const requests: {
    title: string;
    authorization: string;
    traceparent: string | undefined;
    at: number;
    until: number;
  }[] = [];
  const brokenOff: string[] = [];
  const planned = new Map<string, string[]>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    const { authorization = "", traceparent } = request.headers;
    const named = { title: "", authorization, traceparent: traceparent?.toString() };
    const heard = { ...named, at: performance.now(), until: Number.POSITIVE_INFINITY };
    try {
      const title = await readTitle(request);
      requests.push(Object.assign(heard, { title }));
      response.on("close", () => response.writableFinished || brokenOff.push(title));
      await delay(callMs());
      await gate;
      await (endings[planned.get(title)?.shift() ?? title.split(" ")[0] ?? ""] ?? endings.answer)(response, {
        number: requests.length,
        title,
      });
    } catch {
      // The caller was killed in the middle of its request.
      response.destroy();
    } finally {
      heard.until = performance.now();
      seen.running -= 1;
    }
  }
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    requests,
    /** Titles of calls that were given up before they were answered. */
    brokenOff,
    forget(): void {
      gate = Promise.resolve();
      requests.length = 0;
      brokenOff.length = 0;
      seen.most = seen.running;
    },
    /** How the next calls with exactly this title end; those after them as always. */
    plan: (title: string, ends: string[]) => planned.set(title, ends),
    /** Each call takes up to this long. */
    takeTime(mostMs: number): void {
      callMs = () => mostMs * (0.5 + Math.random() / 2);
    },
    /** Answers nobody until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    /** Of those that came since it forgot: a call of the test before may still hang. */
    async whenRunning(count: number, limitMs: number): Promise<void> {
      const deadline = performance.now() + limitMs;
      while (requests.filter(({ until }) => until === Number.POSITIVE_INFINITY).length < count) {
        if (performance.now() > deadline) throw new Error(`Not ${count} calls at once in ${Math.round(limitMs)} ms.`);
        await delay(2);
      }
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What only reads has no body, and its title in its query. */
async function readTitle(request: IncomingMessage): Promise<string> {
  if (request.method === "GET")
    return new URL(request.url ?? "", "http://provider.test").searchParams.get("title") ?? "";
  return ((await json(request)) as { title: string }).title;
}

type Issue = { number: number; title: string };
type End = (response: ServerResponse, issue: Issue) => unknown;

const sendJson = (response: ServerResponse, status: number, value: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

const endings: Record<string, End> & { answer: End } = {
  answer: (response, issue) => sendJson(response, 201, issue),
  fail: (response, { title }) => sendJson(response, 422, { message: `Nobody can open ${title}` }),
  nul: (response) => sendJson(response, 422, { message: "before \0 after" }),
  drop: (response) => response.destroy(),
  hang: (response) => response.closed || once(response, "close"),
  async huge(response) {
    response.writeHead(201, { "content-type": "application/json" }).write('{"title":"');
    const pieces = Readable.from(Array<Buffer>(500).fill(Buffer.alloc(1024 * 1024, "x")));
    // Whoever has enough closes the connection.
    await pipeline(pieces, response).catch(() => {});
  },
};
