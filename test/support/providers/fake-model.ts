import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

type Asked = { messages: { role: string; content: string }[] };

/** Speaks as much of the OpenAI protocol as filling parameters needs; `answer` is given everything it was told. */
export async function startFakeModel(answer: (told: string) => unknown) {
  const told: string[] = [];

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages } = (await json(request)) as Asked;
    const everything = messages.map(({ content }) => content).join("\n");
    told.push(everything);
    const message = { role: "assistant", content: JSON.stringify(await answer(everything)) };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ id: "1", created: 1, model: "m-1", choices: [{ index: 0, finish_reason: "stop", message }] }),
    );
  }

  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    environment: {
      AI_PROVIDER: "openai-compatible",
      AI_MODEL: "m-1",
      AI_BASE_URL: baseUrl,
      OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
    },
    /** What it was asked so far. */
    told,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
