import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createCertificate } from "../certificate.ts";
import { freePort } from "../free-port.ts";

type Message = { path: string; status: number; headers: Record<string, string | string[]>; body: string };

/** What a wrongly set up proxy does to a request or its answer. */
export type ProxyFault = {
  /** Answers in place of the gateway. */
  answer?: (path: string, method: string) => Omit<Message, "path"> | undefined;
  changeRequest?: (headers: Record<string, string | string[]>) => void;
  changePath?: (path: string) => string;
  changeAnswer?: (message: Message) => void;
  tls?: boolean;
};

export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>;

/** A reverse proxy at an address of its own. It lets everything through unchanged until it is given a fault. */
export async function startFaultyProxy() {
  const port = await freePort();
  const tlsPort = await freePort();
  let target = "";
  let fault: ProxyFault = {};

  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = incoming.url ?? "/";
    const own = fault.answer?.(path, incoming.method ?? "GET");
    if (own) return void outgoing.writeHead(own.status, own.headers).end(own.body);
    const headers = { ...incoming.headers } as Record<string, string | string[]>;
    fault.changeRequest?.(headers);
    const { hostname, port: targetPort } = new URL(target);
    const options = {
      hostname,
      port: targetPort,
      path: fault.changePath?.(path) ?? path,
      method: incoming.method ?? "GET",
      headers,
    };
    const forwarded = sendRequest(options, (answer) => void pass(answer, path, outgoing));
    forwarded.on("error", () =>
      outgoing.writeHead(502, { "content-type": "text/html" }).end("<html>Bad gateway</html>"),
    );
    incoming.pipe(forwarded);
  };

  async function pass(answer: IncomingMessage, path: string, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const headers = { ...answer.headers } as Message["headers"];
    for (const name of ["content-length", "transfer-encoding"]) delete headers[name];
    const message = { path, status: answer.statusCode ?? 500, headers, body: Buffer.concat(chunks).toString() };
    fault.changeAnswer?.(message);
    outgoing.writeHead(message.status, message.headers).end(message.body);
  }

  const plain = createServer(handle);
  const secret = createTlsServer(createCertificate("localhost"), handle);
  await Promise.all([
    new Promise<void>((done) => plain.listen(port, "localhost", done)),
    new Promise<void>((done) => secret.listen(tlsPort, "localhost", done)),
  ]);
  return {
    port,
    url: `http://localhost:${port}`,
    tlsUrl: `https://localhost:${tlsPort}`,
    forwardTo(url: string) {
      target = url;
    },
    plant(planted: ProxyFault) {
      fault = planted;
    },
    close() {
      for (const server of [plain, secret]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
