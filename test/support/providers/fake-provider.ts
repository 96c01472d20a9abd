import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export type Answer = {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  body?: string | Buffer;
  /** Closes the connection without an answer. */
  drop?: true;
  /** Takes the request and never answers. */
  hang?: true;
};

export type SeenRequest = { method: string; path: string; headers: Record<string, string>; body: Buffer };

export type FakeProvider = Awaited<ReturnType<typeof startFakeProvider>>;

/** A provider on loopback that answers from a list, one answer per request, and remembers what it was asked. */
export async function startFakeProvider() {
  let answers: Answer[] = [];
  let requests: SeenRequest[] = [];
  let brokenOff = 0;

  const server = createServer((request, response) => {
    void respond(request, response);
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    requests.push({
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers as Record<string, string>,
      body,
    });
    const answer = answers.shift() ?? { status: 599, json: { message: "the test expected no further request" } };
    if (answer.drop) return void request.socket.destroy();
    response.on("close", () => {
      if (!response.writableFinished) brokenOff++;
    });
    if (answer.hang) return;
    const type = answer.json === undefined ? {} : { "content-type": "application/json" };
    response.writeHead(answer.status ?? 200, { ...type, ...answer.headers });
    response.end(answer.json === undefined ? answer.body : JSON.stringify(answer.json));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script(next: Answer[]): void {
      answers = [...next];
      requests = [];
      brokenOff = 0;
    },
    requests: () => requests,
    /** How many requests were given up by the caller before they were answered. */
    brokenOff: () => brokenOff,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
