import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

export type CountingProvider = Awaited<ReturnType<typeof startCountingProvider>>;

/**
 * Speaks enough of GitHub to open issues: answers with the title it was given, and knows how many calls really run at once.
 * A call takes its time here also when its caller is dead.
 */
export async function startCountingProvider() {
  const seen = { running: 0, most: 0 };
  let callMs = () => 0;
  const requests: { title: string; authorization: string }[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    try {
      const { title } = (await json(request)) as { title: string };
      requests.push({ title, authorization: request.headers.authorization ?? "" });
      await delay(callMs());
      response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ number: requests.length, title }));
    } catch {
      // The caller was killed in the middle of its request.
      response.destroy();
    } finally {
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
    /** Each call takes up to this long. */
    takeTime(mostMs: number): void {
      callMs = () => mostMs * (0.5 + Math.random() / 2);
    },
    async whenRunning(count: number, limitMs: number): Promise<void> {
      const deadline = performance.now() + limitMs;
      while (seen.running < count) {
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
