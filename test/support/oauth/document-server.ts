import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createCertificate } from "../certificate.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export type DocumentServer = Awaited<ReturnType<typeof startDocumentServer>>;

/** A site of clients on https://localhost, which this process trusts until it stops. Every path answers as the test says. */
export async function startDocumentServer() {
  const answers = new Map<string, Answer>();
  const certificate = createCertificate("localhost");
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, certificate.cert]);
  let connections = 0;
  let requests = 0;
  const server = createServer(certificate, (request, response) => {
    requests++;
    const answer = answers.get(request.url ?? "");
    if (answer) answer(response, request);
    else response.writeHead(404).end();
  });
  server.on("connection", () => void connections++);
  server.listen(0, "localhost");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `https://localhost:${port}`;
  return {
    port,
    url,
    connections: () => connections,
    requests: () => requests,
    answer: (path: string, answer: Answer) => void answers.set(path, answer),
    /** Serves the document of a client and gives its id. */
    serve(path: string, metadata: Record<string, unknown>, headers: Record<string, string> = {}): string {
      const document = JSON.stringify({ client_id: url + path, ...metadata });
      answers.set(path, (response) =>
        response.writeHead(200, { "content-type": "application/json", ...headers }).end(document),
      );
      return url + path;
    },
    async stop(): Promise<void> {
      setDefaultCACertificates(trusted);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
