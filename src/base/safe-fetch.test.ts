import type { LookupAddress } from "node:dns";
import { getEventListeners, once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { createAddressRules } from "./address-rules.ts";
import type { Refusal } from "./refusal.ts";
import { createSafeFetch } from "./safe-fetch.ts";

const loopback = createAddressRules({ allowedCidrs: ["127.0.0.0/8"] });
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

const openFetch = (lookup: () => Promise<LookupAddress[]> = async () => [{ address: "127.0.0.1", family: 4 }]) => {
  const safeFetch = createSafeFetch({ addressRules: loopback, lookup });
  endings.push(safeFetch.close);
  return safeFetch;
};

const listen = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  endings.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

const serve = async (answer: RequestListener): Promise<{ url: string; requests: IncomingMessage[] }> => {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  endings.push(() => server.closeAllConnections());
  return { url: `http://127.0.0.1:${await listen(server)}`, requests };
};

const serveBytes = async (onConnection: (socket: Socket) => void): Promise<string> => {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    endings.push(() => socket.destroy());
    onConnection(socket);
  });
  return `http://127.0.0.1:${await listen(server)}`;
};

const failureOf = async (promise: Promise<unknown>): Promise<Refusal> => {
  const outcome = await promise.then(
    () => "did not fail",
    (error: unknown) => error,
  );
  return outcome as Refusal;
};

const sayHello: RequestListener = (_request, response) => void response.end("hello");

const redirectTo =
  (location: string, status = 302): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { location }).end("moved");

describe("an allowed request", () => {
  test("carries method, headers and body and brings back status, headers and body", async () => {
    const { url, requests } = await serve((request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(201, [
        ["x-answer", "yes"],
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
      ]);
      request.pipe(response);
    });
    const response = await openFetch()(`${url}/path?q=1`, {
      method: "POST",
      headers: { "x-api-key": "k" },
      body: "payload",
    });
    expect([response.status, response.headers.get("x-answer"), response.headers.getSetCookie()]).toEqual([
      201,
      "yes",
      ["a=1", "b=2"],
    ]);
    expect(await response.text()).toBe("payload");
    expect(requests[0]).toMatchObject({ method: "POST", url: "/path?q=1" });
    expect(requests[0]?.headers).toMatchObject({ "x-api-key": "k", "user-agent": "switchyard" });
  });

  test("reaches a name through the given lookup", async () => {
    const { url } = await serve(sayHello);
    const response = await openFetch()(url.replace("127.0.0.1", "provider.test"));
    expect(await response.text()).toBe("hello");
  });

  test("asks the system for a name when no lookup is given", async () => {
    const { url } = await serve(sayHello);
    const safeFetch = createSafeFetch({
      addressRules: createAddressRules({ allowedCidrs: ["127.0.0.0/8", "::1/128"] }),
    });
    endings.push(safeFetch.close);
    expect(await (await safeFetch(url.replace("127.0.0.1", "localhost"))).text()).toBe("hello");
  });

  test("takes header pairs and a URL object, and an answer without body", async () => {
    const { url, requests } = await serve((_request, response) => void response.writeHead(204).end());
    const response = await openFetch()(new URL(url), { headers: new Headers({ accept: "text/plain" }) });
    expect([response.status, response.body]).toEqual([204, null]);
    expect(requests[0]?.headers.accept).toBe("text/plain");
  });

  test("uses no proxy from the environment", async () => {
    const proxy = await serve((_request, response) => void response.end("through the proxy"));
    const { url } = await serve(sayHello);
    const before = { ...process.env };
    Object.assign(process.env, {
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      ALL_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: "1",
    });
    endings.push(() => (process.env = before));
    expect(await (await openFetch()(url)).text()).toBe("hello");
    expect(proxy.requests).toHaveLength(0);
  });
});

describe("what is refused before anything is sent", () => {
  test.each([
    ["ftp://127.0.0.1/", "http and https"],
    ["file:///etc/passwd", "http and https"],
    ["data:text/plain,hello", "http and https"],
    ["javascript:1", "http and https"],
    ["not a url", "valid URL"],
    ["http://", "valid URL"],
    ["http://user@127.0.0.1/", "user name"],
    ["http://:canary@127.0.0.1/", "user name"],
  ])("the address %s", async (url, message) => {
    const refusal = await failureOf(openFetch()(url));
    expect(refusal).toMatchObject({ code: "outbound_refused", message: expect.stringContaining(message) });
    expect(refusal.message).not.toContain("canary");
  });

  test.each([
    ...["Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade"],
    ...["Expect", "Keep-Alive", "TE", "Trailer"],
  ])("the header %s", async (name) => {
    const { url, requests } = await serve(sayHello);
    const refusal = await failureOf(openFetch()(url, { method: "POST", headers: { [name]: "1" }, body: "x" }));
    expect(refusal).toMatchObject({
      code: "outbound_refused",
      message: `The header ${name.toLowerCase()} cannot be set.`,
    });
    expect(requests).toHaveLength(0);
  });

  test("a header value with a line break, without repeating it", async () => {
    const refusal = await failureOf(openFetch()("http://127.0.0.1:1/", { headers: { "x-api-key": "canary\r\nx: y" } }));
    expect(refusal).toMatchObject({ code: "outbound_refused", message: "A header of the request is not valid." });
    expect(`${refusal.stack} ${String(refusal.cause)}`).not.toContain("canary");
  });

  test("a method that is none", async () => {
    expect(await failureOf(openFetch()("http://127.0.0.1:1/", { method: "GE T" }))).toMatchObject({
      code: "outbound_refused",
      message: "The request is not valid.",
    });
  });
});

describe("redirects", () => {
  test("are answers like any other by default", async () => {
    const { url, requests } = await serve(redirectTo("http://127.0.0.1:1/"));
    const response = await openFetch()(url, { headers: { authorization: "Bearer x" } });
    expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
      302,
      "http://127.0.0.1:1/",
      "moved",
    ]);
    expect(requests).toHaveLength(1);
  });

  test("are followed on request, keeping headers on the same origin and dropping all but two on another", async () => {
    const last = await serve(sayHello);
    const middle = await serve((request, response) =>
      redirectTo(request.url === "/start" ? "/next" : last.url)(request, response),
    );
    const headers = { "x-canary": "1", accept: "text/plain", "user-agent": "test" };
    const response = await openFetch()(`${middle.url}/start`, { followRedirects: 2, headers });
    expect(await response.text()).toBe("hello");
    expect(middle.requests.map((request) => request.headers["x-canary"])).toEqual(["1", "1"]);
    expect(last.requests[0]?.headers).toMatchObject({ accept: "text/plain", "user-agent": "test" });
    expect(last.requests[0]?.headers).not.toHaveProperty("x-canary");
  });

  test.each(["GET", "get", "HEAD"])("are followed for %s", async (method) => {
    const { url, requests } = await serve((request, response) =>
      (request.url === "/" ? redirectTo("/next") : sayHello)(request, response),
    );
    expect((await openFetch()(url, { method, followRedirects: 1 })).status).toBe(200);
    expect(requests.map((request) => request.url)).toEqual(["/", "/next"]);
  });

  test.each([
    ["has no location", 302, {}],
    ["is none", 201, { location: "/next" }],
  ])("that %s is an answer like any other", async (_, status, headers) => {
    const { url, requests } = await serve((_request, response) => void response.writeHead(status, headers).end("here"));
    const response = await openFetch()(url, { followRedirects: 1 });
    expect([response.status, await response.text(), requests.length]).toEqual([status, "here", 1]);
  });

  test("end at the limit", async () => {
    const { url, requests } = await serve(redirectTo("/again"));
    expect(await failureOf(openFetch()(url, { followRedirects: 3 }))).toMatchObject({
      code: "outbound_refused",
      message: "127.0.0.1 redirected more than 3 times.",
    });
    expect(requests).toHaveLength(4);
  });

  test.each([
    { method: "POST" },
    { headers: { Authorization: "Bearer x" } },
    { headers: { cookie: "a=1" } },
    { headers: { "X-API-Key": "x" } },
    { headers: { "proxy-authorization": "x" } },
  ])("are not followed with %j", async (init) => {
    const { url, requests } = await serve(redirectTo("/next"));
    expect(await failureOf(openFetch()(url, { ...init, followRedirects: 1 }))).toMatchObject({
      code: "outbound_refused",
      message: "Redirects are followed only for GET and HEAD requests without credentials.",
    });
    expect(requests).toHaveLength(0);
  });

  test.each(["ftp://127.0.0.1/", "http://user:canary@127.0.0.1/", "http://[broken"])(
    "to %s are refused",
    async (location) => {
      const { url } = await serve(redirectTo(location));
      const refusal = await failureOf(openFetch()(url, { followRedirects: 1 }));
      expect(refusal.code).toBe("outbound_refused");
      expect(refusal.message).not.toContain("canary");
    },
  );
});

describe("failures", () => {
  test("the caller's abort passes through with its reason, before, during and after the headers", async () => {
    const { url } = await serve((request, response) => void (request.url === "/half" && response.write("half")));
    const safeFetch = openFetch();
    const reason = new Error("the caller left");
    expect(await failureOf(safeFetch(url, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const during = new AbortController();
    const pending = failureOf(safeFetch(url, { signal: during.signal }));
    await sleep(30);
    during.abort(reason);
    expect(await pending).toBe(reason);
    const after = new AbortController();
    const response = await safeFetch(`${url}/half`, { signal: after.signal });
    const reading = failureOf(response.text());
    after.abort(reason);
    expect(await reading).toBe(reason);
  });

  test("an answer that was read leaves no listener on the caller's signal", async () => {
    const { url } = await serve(sayHello);
    const controller = new AbortController();
    const response = await openFetch()(url, { signal: controller.signal });
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    expect(await response.text()).toBe("hello");
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    controller.abort();
  });

  test.each<[string, RequestListener, (response: Promise<Response>) => Promise<unknown>]>([
    ["has no body", (_request, response) => void response.writeHead(204).end(), (response) => response],
    ["is cancelled", sayHello, async (response) => (await response).body?.cancel()],
    [
      "breaks off",
      (_request, response) => response.write("half", () => response.destroy()),
      async (response) => (await response).text(),
    ],
    ["does not come", (_request, response) => response.destroy(), (response) => response],
  ])("an answer that %s leaves no listener on the caller's signal either", async (_, answer, end) => {
    const { url } = await serve(answer);
    const controller = new AbortController();
    await failureOf(end(openFetch()(url, { signal: controller.signal })));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  test("exchanges that have ended leave no timer", async () => {
    const { url } = await serve(sayHello);
    const safeFetch = openFetch();
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = countTimers();
    for (let call = 0; call < 50; call++) await (await safeFetch(url)).text();
    expect(countTimers() - before).toBeLessThan(25);
  });

  test("cancelling the body closes the connection", async () => {
    let closed = false;
    const { url } = await serve((_request, response) => {
      response.on("close", () => (closed = true)).write("half");
    });
    await (await openFetch()(url)).body?.cancel();
    await expect.poll(() => closed).toBe(true);
  });

  test("an answer that is refused is not left open", async () => {
    let closed = false;
    const { url } = await serve((_request, response) => {
      response.on("close", () => (closed = true));
      response.writeHead(302, { location: "ftp://127.0.0.1/" }).write("half");
    });
    expect(await failureOf(openFetch()(url, { followRedirects: 1 }))).toMatchObject({ code: "outbound_refused" });
    await expect.poll(() => closed).toBe(true);
  });

  test.each<[string, (socket: Socket) => void]>([
    ["resets the connection", (socket) => socket.resetAndDestroy()],
    ["closes it without an answer", (socket) => socket.end()],
    ["does not speak HTTP", (socket) => socket.write("canary, this is not HTTP\r\n\r\n")],
    [
      "answers with a status nobody knows",
      (socket) => socket.write("HTTP/1.1 999 canary\r\ncontent-length: 0\r\n\r\n"),
    ],
  ])("a server that %s is unreachable, and nothing it said is repeated", async (_name, onConnection) => {
    const url = await serveBytes(onConnection);
    const refusal = await failureOf(openFetch()(`${url}/?token=canary`));
    expect(refusal).toMatchObject({ code: "provider_unreachable", cause: undefined });
    expect(JSON.stringify([refusal.message, refusal.stack])).not.toContain("canary");
  });

  test("a status up to 599 is an answer, and the next one is not", async () => {
    const answerWith = (status: number) =>
      serveBytes((socket) => socket.write(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`));
    expect((await openFetch()(await answerWith(599))).status).toBe(599);
    const message = "127.0.0.1 answered with the unknown status 600.";
    expect(await failureOf(openFetch()(await answerWith(600)))).toMatchObject({
      code: "provider_unreachable",
      message,
    });
  });

  test.each([
    ["EAI_AGAIN", " (EAI_AGAIN)"],
    ["E", " or broke off (E)"],
    ["E2", " or broke off (E2)"],
    ["xEAI", " or broke off"],
    ["EAIx", " or broke off"],
    ["2E", " or broke off"],
    ["EAI canary", " or broke off"],
    [undefined, " or broke off"],
  ])("a failure with the code %s is told as %j", async (code, told) => {
    const lookup = () => Promise.reject(Object.assign(new Error("canary"), code === undefined ? {} : { code }));
    const message = `provider.test could not be reached${told}.`;
    expect(await failureOf(openFetch(lookup)("http://provider.test/"))).toMatchObject({
      code: "provider_unreachable",
      message,
    });
  });

  test("a body that breaks off is an unreachable provider, never a short answer", async () => {
    const url = await serveBytes((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", () => setTimeout(() => socket.destroy(), 20));
    });
    expect(await failureOf((await openFetch()(url)).text())).toMatchObject({ code: "provider_unreachable" });
  });

  test("a closed port and an unknown name are unreachable, naming the host and the kind of failure only", async () => {
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    await once(server, "close");
    const refusal = await failureOf(openFetch()(`http://provider.test:${port}/?token=canary`));
    expect(refusal).toMatchObject({
      code: "provider_unreachable",
      message: "provider.test could not be reached (ECONNREFUSED).",
    });
    const lookup = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }));
    const unknown = await failureOf(createSafeFetch({ addressRules: loopback, lookup })("http://provider.test/"));
    expect(unknown).toMatchObject({
      code: "provider_unreachable",
      message: "provider.test could not be reached (ENOTFOUND).",
    });
  });

  test("close breaks off what is running", async () => {
    const { url } = await serve(() => {});
    const safeFetch = openFetch();
    const pending = failureOf(safeFetch(url));
    await sleep(30);
    await safeFetch.close();
    expect(await pending).toMatchObject({ code: "provider_unreachable" });
  });
});
