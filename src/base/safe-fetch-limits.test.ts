import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { createAddressRules } from "./address-rules.ts";
import { createSafeFetch } from "./safe-fetch.ts";

const addressRules = createAddressRules({ allowedCidrs: ["127.0.0.0/8"] });
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

const openFetch = (limits: Parameters<typeof createSafeFetch>[0]["limits"] = {}) => {
  const safeFetch = createSafeFetch({ addressRules, limits, lookup: () => new Promise(() => {}) });
  endings.push(safeFetch.close);
  return safeFetch;
};

const serve = async (answer: RequestListener): Promise<{ url: string }> => {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  endings.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "did not fail",
    (error: unknown) => error,
  );

test.each([
  ["plain", (body: Buffer) => body, {}],
  ["compressed", (body: Buffer) => gzipSync(body), { "content-encoding": "gzip" }],
])("a %s answer may be as large as the limit and not one byte larger", async (_name, encode, headers) => {
  const { url } = await serve((request, response) => {
    response.writeHead(200, headers).end(encode(Buffer.alloc(Number(request.url?.slice(1)))));
  });
  const safeFetch = openFetch({ responseBytes: 100_000 });
  expect((await (await safeFetch(`${url}/100000`)).arrayBuffer()).byteLength).toBe(100_000);
  expect(await failureOf((await safeFetch(`${url}/100001`)).text())).toMatchObject({
    code: "outbound_refused",
    message: "127.0.0.1 sent an answer larger than 98 KB.",
  });
});

test("without limits of its own a request takes twenty mebibytes and many headers", async () => {
  const most = 20 * 1024 * 1024;
  const { url } = await serve((request, response) => {
    response.writeHead(200, { x: "y".repeat(60_000) }).end(Buffer.alloc(Number(request.url?.slice(1))));
  });
  const safeFetch = openFetch();
  expect((await (await safeFetch(`${url}/${most}`)).arrayBuffer()).byteLength).toBe(most);
  expect(await failureOf((await safeFetch(`${url}/${most + 1}`)).arrayBuffer())).toMatchObject({
    code: "outbound_refused",
  });
});

test("an endless answer is broken off at the limit", async () => {
  let closed = false;
  const { url } = await serve((_request, response) => {
    const more = (): void => void (response.writable && response.write(Buffer.alloc(65_536), more));
    response.on("close", () => (closed = true));
    more();
  });
  const response = await openFetch({ responseBytes: 1_000_000 })(url);
  expect(await failureOf(response.arrayBuffer())).toMatchObject({ code: "outbound_refused" });
  await expect.poll(() => closed).toBe(true);
});

test("too many headers are refused", async () => {
  const { url } = await serve((_request, response) => void response.writeHead(200, { x: "y".repeat(12_000) }).end());
  expect(await failureOf(openFetch({ headerBytes: 10_000 })(url))).toMatchObject({
    code: "outbound_refused",
    message: "127.0.0.1 sent an answer with too many headers.",
  });
});

test("a silent server runs into the time limit of the request", async () => {
  const { url } = await serve(() => {});
  const refusal = await failureOf(openFetch()(`${url}/?token=canary`, { timeoutMs: 100 }));
  expect(refusal).toMatchObject({ code: "outbound_timeout", message: "127.0.0.1 did not answer within 100 ms." });
});

test("a body that trickles runs into the same time limit", async () => {
  const { url } = await serve((_request, response) => {
    const timer = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(timer));
  });
  const response = await openFetch({ timeoutMs: 150 })(url);
  expect(await failureOf(response.text())).toMatchObject({ code: "outbound_timeout" });
});

test("an answer nobody reads is given up at the time limit", async () => {
  let closed = false;
  const { url } = await serve((_request, response) => {
    response.on("close", () => (closed = true)).write("half");
  });
  await openFetch()(url, { timeoutMs: 100 });
  await expect.poll(() => closed).toBe(true);
});

test("a time limit longer than a timer can hold is not over at once", async () => {
  const { url } = await serve((_request, response) => void setTimeout(() => response.end("hello"), 20));
  expect(await (await openFetch()(url, { timeoutMs: 2 ** 31 })).text()).toBe("hello");
});

test("a name that never resolves runs into the connect limit", async () => {
  const safeFetch = openFetch({ connectTimeoutMs: 100 });
  expect(await failureOf(safeFetch("http://provider.test/"))).toMatchObject({
    code: "outbound_timeout",
    message: "provider.test did not accept a connection in time.",
  });
});
