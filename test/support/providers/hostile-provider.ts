import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { formsOf } from "../secret-traces.ts";

/**
 * Says everything it was asked, in the body, in headers and as an error; the path says how: `status-400`, `cut-off`, `no-json`.
 * It is a collector of traces as well, which keeps what it gets.
 */
export async function startHostileProvider() {
  const traces: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/v1/traces") void text(request).then((body) => response.end("{}", () => traces.push(body)));
    else void echo(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    traces,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const said = [decodeURIComponent(request.url ?? ""), ...request.rawHeaders, await text(request)].filter((part) =>
    part.includes("CANARY"),
  );
  const heard = [request.url ?? "", ...said.flatMap(formsOf)];
  const authorization = request.headers.authorization?.split(" ") ?? [];
  const decoded = authorization[0] === "Basic" ? Buffer.from(authorization[1] ?? "", "base64").toString() : "";
  const all = [...heard, ...authorization.flatMap(formsOf), ...formsOf(decoded)];
  const upTo = (length: number) =>
    all.filter((_, index) => all.slice(0, index + 1).join(" ; ").length < length).join(" ; ");
  const plain = all.join(" ; ");
  const [, status = "200"] = /status-(\d+)/.exec(request.url ?? "") ?? [];
  const cookie = `echo=${encodeURIComponent(authorization.join(" "))}`;
  const headers = { "x-echo": upTo(8_000), location: `/${upTo(2_000)}`, "set-cookie": cookie, "retry-after": "0" };
  response.writeHead(Number(status), { "content-type": "application/json", ...headers });
  if (request.url?.includes("cut-off"))
    return void response.write(`{"message":${JSON.stringify(plain)}`, () => response.destroy());
  if (request.url?.includes("no-json")) return void response.end(plain);
  const error = { message: plain, code: upTo(500), error: plain, error_description: plain, detail: plain };
  response.end(
    JSON.stringify({
      ...error,
      errors: [{ message: plain, code: plain }],
      title: plain,
      number: 1,
      html_url: plain,
      [upTo(300)]: plain,
    }),
  );
}
