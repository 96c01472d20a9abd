import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

export type FakeCollector = Awaited<ReturnType<typeof startFakeCollector>>;

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number };
type Attribute = { key: string; value: Value };
type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Attribute[];
  status: { code?: number; message?: string };
};
type OtlpRequest = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

export type SeenSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  facts: Record<string, string | number>;
  hasFailed: boolean;
};

/** Takes OTLP over HTTP on loopback and keeps every byte. */
export async function startFakeCollector() {
  const requests: { path: string; headers: Record<string, string>; text: string }[] = [];
  const held: ServerResponse[] = [];
  let isSilent = false;
  let status = 200;

  const server = createServer((request, response) => {
    void (async () => {
      const bytes = await buffer(request);
      const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
      requests.push({ path: request.url ?? "", headers: request.headers as Record<string, string>, text });
      if (isSilent) held.push(response);
      else response.writeHead(status, { "content-type": "application/json" }).end("{}");
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const documents = () => requests.map(({ text }) => JSON.parse(text) as OtlpRequest);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Takes requests and answers none of them. */
    fallSilent(): void {
      isSilent = true;
    },
    answerWith(next: number): void {
      status = next;
    },
    spans: (): SeenSpan[] =>
      documents().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(toSeen))),
      ),
    resource: () => toFacts(documents()[0]?.resourceSpans[0]?.resource.attributes ?? []),
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const toSeen = ({ traceId, spanId, parentSpanId, name, kind, attributes, status }: OtlpSpan): SeenSpan => ({
  traceId,
  spanId,
  name,
  kind,
  parentSpanId: parentSpanId || undefined,
  facts: toFacts(attributes),
  hasFailed: status.code === 2,
});

const toFacts = (attributes: Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)]),
  );
