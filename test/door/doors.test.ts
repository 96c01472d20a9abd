import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem, readRawAnswer } from "../support/expect-problem.ts";
import { password, signUpOwner } from "../support/people.ts";
import { rawRequest } from "../support/raw-request.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let owner: Awaited<ReturnType<typeof signUpOwner>>;
const doors = ["platform", "gateway"] as const;

beforeAll(async () => {
  app = await startTestApp();
  owner = await signUpOwner(app, "Ann");
});
afterAll(() => app.stop());

const urlOf = (door: (typeof doors)[number]) => (door === "platform" ? app.platformUrl : app.gatewayUrl);

async function raw(
  head: string,
  { door = "platform", body = "" }: { door?: (typeof doors)[number]; body?: string } = {},
) {
  const lines = head.trim().split(/\n\s*/).join("\r\n");
  const closing = /^connection:/im.test(head) ? "" : "\r\nConnection: close";
  return readRawAnswer(await rawRequest(urlOf(door), Buffer.from(`${lines}${closing}\r\n\r\n${body}`, "latin1"), 2000));
}

describe.each(doors)("requests that are not quite HTTP, at the %s", (door) => {
  it.each([
    ["no HTTP at all", "hello"],
    ["a method nobody knows", "FOO / HTTP/1.1\nHost: localhost"],
    ["a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00"],
    [
      "length and chunks together",
      "POST /livez HTTP/1.1\nHost: localhost\nContent-Length: 4\nTransfer-Encoding: chunked",
    ],
    ["chunks that are not last", "POST /livez HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked, identity"],
    ["two lengths", "POST /livez HTTP/1.1\nHost: localhost\nContent-Length: 0\nContent-Length: 4"],
    ["a negative length", "POST /livez HTTP/1.1\nHost: localhost\nContent-Length: -1"],
    ["a control character in a header", "GET /livez HTTP/1.1\nHost: localhost\nX-A: a\0b"],
    ["a space before the colon", "GET /livez HTTP/1.1\nHost : localhost"],
    ["HTTP/2 without asking", "PRI * HTTP/2.0"],
  ])("refuses %s", async (_, head) => {
    expectProblem(await raw(head, { door, body: "0\r\n\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n" }), {
      status: 400,
      code: "malformed_request",
    });
  });

  it("answers a smuggled second request never", async () => {
    const head = "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n";
    const answer = await rawRequest(urlOf(door), `${head}0\r\n\r\nGET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
  });

  it("refuses more than 16 KiB of headers", async () => {
    expectProblem(await raw(`GET /livez HTTP/1.1\nHost: localhost\nX-A: ${"a".repeat(17_000)}`, { door }), {
      status: 431,
    });
  });

  it.each(["Host", "X-API-Key", "Content-Type", "Authorization", "Origin", "Idempotency-Key"])(
    "refuses a repeated %s and names it",
    async (name) => {
      const host = name === "Host" ? "" : "Host: localhost\n";
      const { errors } = expectProblem(
        await raw(`GET /nothing HTTP/1.1\n${host}${name}: localhost\n${name.toLowerCase()}: localhost`, { door }),
        {
          status: 400,
          code: "malformed_request",
        },
      );
      expect(errors).toEqual([{ pointer: name.toLowerCase(), detail: "may be sent only once" }]);
    },
  );

  it("refuses a request without Host, except for probes", async () => {
    for (const version of ["1.0", "1.1"]) {
      expectProblem(await raw(`GET /nothing HTTP/${version}`, { door }), { status: 400, code: "malformed_request" });
      expect((await raw(`GET /livez HTTP/${version}`, { door })).status).toBe(200);
    }
  });

  it.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example:3000",
    "localhost@evil.example",
    "0.0.0.0",
  ])("refuses the foreign host %s, except for probes", async (host) => {
    expectProblem(await raw(`GET /nothing HTTP/1.1\nHost: ${host}\nX-Forwarded-Host: localhost`, { door }), {
      status: 403,
      code: "host_refused",
    });
    for (const path of ["/livez", "/readyz"])
      expect((await raw(`GET ${path} HTTP/1.1\nHost: ${host}`, { door })).status).toBe(200);
    expectProblem(await raw(`GET /metrics HTTP/1.1\nHost: ${host}`, { door }), { status: 403, code: "host_refused" });
  });

  it.each([
    "GET /livez",
    "GET /livez HTTP/0.9\nHost: localhost",
    "GET /livez HTTP/2.0\nHost: localhost",
    "GET /livez HTTP/1.2\nHost: localhost",
  ])("refuses another version than HTTP/1.1 and HTTP/1.0: %j", async (head) => {
    const bytes = `${head.replaceAll("\n", "\r\n")}\r\n\r\n`;
    expectProblem(readRawAnswer(await rawRequest(urlOf(door), bytes)), { status: 400, code: "malformed_request" });
  });

  it("shows its metrics to no page of another origin", async () => {
    const origin = { origin: "https://evil.example", "access-control-request-method": "GET" };
    for (const method of ["GET", "HEAD", "OPTIONS"]) {
      const { headers } = await fetch(`${urlOf(door)}/metrics`, { method, headers: origin });
      expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
    for (const path of ["/metrics", "/%6detrics", "/%6Detric%73?a"]) {
      const { status, headers } = await fetch(urlOf(door) + path, { headers: origin });
      expect([path, status, headers.get("access-control-allow-origin")]).toEqual([path, 200, null]);
    }
  });

  it("answers CONNECT and other methods with the ones it has", async () => {
    const connect = await raw("CONNECT example.com:443 HTTP/1.1\nHost: localhost", { door });
    expectProblem(connect, { status: 405, code: "method_not_allowed" });
    expect(connect.headers.get("allow")).toBeTruthy();
    for (const method of ["TRACE", "PROPFIND", "PUT", "DELETE"]) {
      const answer = await raw(`${method} /livez HTTP/1.1\nHost: localhost\nContent-Length: 0`, { door });
      expectProblem(answer, { status: 405, code: "method_not_allowed" });
      expect(answer.headers.get("allow")).toBe("GET, HEAD");
    }
  });

  it("ends a refused connection that its caller keeps open, and survives one that breaks", async () => {
    const { hostname, port } = new URL(urlOf(door));
    for (const isBreaking of [false, true]) {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      const ended = new Promise((resolve) => socket.once("close", resolve));
      socket.resume().on("error", () => {});
      socket.on("data", () => isBreaking && socket.resetAndDestroy());
      socket.write("CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n");
      // Bytes into a connection that the server has given up tell the caller at last.
      const knocking = setInterval(() => socket.write("more"), 100);
      await ended.finally(() => clearInterval(knocking));
    }
    expect((await raw("GET /livez HTTP/1.1\nHost: localhost", { door })).status).toBe(200);
  });

  it("gives every answer a request id and forbids guessing its type", async () => {
    for (const path of ["/livez", "/nothing", "/%", "/%00"]) {
      const { headers } = await raw(`GET ${path} HTTP/1.1\nHost: localhost\nX-Request-Id: mine`, { door });
      expect(headers.get("x-request-id"), path).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("content-type"), path).toMatch(/; charset=utf-8$/);
    }
  });

  it("treats an unknown expectation and an upgrade like any other request", async () => {
    expect((await raw("GET /livez HTTP/1.1\nHost: localhost\nExpect: miracles", { door })).status).toBe(200);
    expect(
      (await raw("GET /livez HTTP/1.1\nHost: localhost\nConnection: Upgrade, close\nUpgrade: websocket", { door }))
        .status,
    ).toBe(200);
  });
});

describe("addresses", () => {
  it.each([
    ["/api/organizations/%E0%A4%A", 400],
    ["/api/organizations/%00", 400],
    ["/api/setup?token=%00", 400],
    [`/api/organizations/${"a".repeat(5000)}`, 400],
    [`/${"a/".repeat(3000)}`, 404],
    ["/..%2f..%2f..%2fetc/passwd", 404],
    ["/../../../../etc/passwd", 404],
    ["/docs/static/..%2f..%2fpackage.json", 404],
    ["/docs/static/%2e%2e/%2e%2e/package.json", 400],
    ["/assets/..%5c..%5cpackage.json", 404],
    ["/.env", 404],
    ["/api/setup/", 404],
    ["//api/setup", 404],
    ["/API/setup", 404],
    ["/api/auth/sign-in/email", 404],
    ["/api/setup;x=y", 404],
  ])("GET %s is refused with %i", async (path, status) => {
    const problem = expectProblem(await raw(`GET ${path} HTTP/1.1\nHost: localhost`), { status });
    expect(problem.instance).toBe(path.split("?")[0]);
  });

  it("answers HEAD like GET without a body", async () => {
    const head = await raw("HEAD /api/setup HTTP/1.1\nHost: localhost");
    const get = await raw("GET /api/setup HTTP/1.1\nHost: localhost");
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([
      200,
      "",
      get.headers.get("content-length"),
    ]);
  });

  it("tells a wrong method from an unknown path", async () => {
    const wrong = await owner.browser.send("PUT", "/api/me", {});
    expectProblem(wrong, { status: 405, code: "method_not_allowed" });
    expect(wrong.headers.get("allow")).toBe("GET, HEAD, PATCH");
    expectProblem(await owner.browser.get("/api/nothing"), { status: 404, code: "not_found" });
    expectProblem(
      await owner.browser.get(`/api/organizations/${owner.organizationId}/api-keys/${owner.organizationId}`),
      { status: 405 },
    );
  });

  it("refuses a range that no file has", async () => {
    expectProblem(await raw("GET /docs/static/swagger-ui.css HTTP/1.1\nHost: localhost\nRange: bytes=99999999-"), {
      status: 400,
    });
  });
});

describe("bodies on the wire", () => {
  const post = "POST /api/sign-in HTTP/1.1\nHost: localhost\nContent-Type: application/json";

  it("refuses chunks that are none", async () => {
    expectProblem(await raw(`${post}\nTransfer-Encoding: chunked`, { body: "zz\r\n{}\r\n0\r\n\r\n" }), {
      status: 400,
      code: "malformed_request",
    });
  });

  it("reads a chunked body as one", async () => {
    expectProblem(await raw(`${post}\nTransfer-Encoding: chunked`, { body: "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n" }), {
      code: "validation_failed",
    });
  });

  it("takes what comes after the announced length for another request", async () => {
    const answer = await rawRequest(
      app.platformUrl,
      `${post.replaceAll("\n", "\r\n")}\r\nContent-Length: 2\r\n\r\n{}GET /livez`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toContain('"status":"ok"');
  });

  it("refuses a length above the limit before the body arrives", async () => {
    expectProblem(await raw(`${post}\nContent-Length: 999999999999`), { status: 413, code: "body_too_large" });
  });

  it.each([
    ["1e400", "is a number too large to be kept"],
    ["-1e400", "is a number too large to be kept"],
    ["1e-400", "is a number too small to be kept"],
    ["9007199254740993", "is a whole number too large to be kept exactly; send it as text"],
    ["-12345678901234567890", "is a whole number too large to be kept exactly; send it as text"],
  ])("refuses the number %s and names its place, before it can be changed", async (number, detail) => {
    const body = `{"name":"x","canvas":{"nodes":[{"id":"a","nodeId":"set_fields","parameters":{"fields":{"a/b":["\\"1e400",${number}]}}}],"edges":[]}}`;
    const answer = await owner.browser.send("POST", `/api/organizations/${owner.organizationId}/workflows`, body);
    const problem = expectProblem(answer, { status: 400, code: "validation_failed" });
    expect(problem.errors).toEqual([{ pointer: "/canvas/nodes/0/parameters/fields/a~1b/1", detail }]);
    expect(problem.detail).toBe(`canvas/nodes/0/parameters/fields/a~1b/1 ${detail}.`);
  });

  it("refuses a body without a type", async () => {
    expectProblem(await raw("POST /api/sign-in HTTP/1.1\nHost: localhost\nContent-Length: 2", { body: "{}" }), {
      status: 415,
    });
  });
});

describe("headers of the platform", () => {
  it.each(["/", "/docs", "/api/setup", "/api/me", "/openapi.json", "/nothing"])("protect %s", async (path) => {
    const { headers } = await fetch(app.platformUrl + path, { headers: { accept: "text/html" } });
    const policy = headers.get("content-security-policy") ?? "";
    for (const rule of [
      "default-src 'self'",
      "script-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'self'",
    ])
      expect(policy.split(";")).toContain(rule);
    expect(policy.includes("unsafe-inline")).toBe(path === "/docs");
    expect(policy).not.toContain("unsafe-eval");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("strict-transport-security")).toBeNull();
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("x-powered-by")).toBeNull();
    expect(headers.get("content-type")).toMatch(/charset=utf-8/i);
  });

  it("keep answers about people out of caches", async () => {
    expect((await owner.browser.get("/api/me")).headers.get("cache-control")).toBe("no-store");
  });
});

describe("CORS of the gateway", () => {
  it("lets any page read, without cookies, and shows what to sign in with", async () => {
    const { headers } = await fetch(`${app.gatewayUrl}/livez`, { headers: { origin: "https://evil.example" } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
  });

  it("answers preflights, also those that are not quite one", async () => {
    const ask = {
      origin: "https://a.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key, mcp-method",
    };
    const preflight = await fetch(`${app.gatewayUrl}/some/mcp`, { method: "OPTIONS", headers: ask });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("x-api-key");
    expect((await fetch(`${app.gatewayUrl}/livez`, { method: "OPTIONS" })).status).toBe(204);
  });
});

describe("the address of a caller", () => {
  const forwarded = { "x-forwarded-for": "203.0.113.7", "x-real-ip": "203.0.113.8", forwarded: "for=203.0.113.9" };

  async function addressSeenBy(server: TestApp) {
    const browser = server.browser();
    await browser.send("POST", "/api/sign-in", { email: owner.email, password }, forwarded);
    const { body } = await browser.get("/api/me/sessions");
    return body.data.find(({ current }: { current: boolean }) => current).ipAddress;
  }

  it("is the peer's, whatever headers say", async () => {
    expect(await addressSeenBy(app)).toMatch(/^(127\.0\.0\.1|::1|0000:0000:0000:0000:.*)$/);
  });

  it("is the forwarded one when a trusted proxy says so", async () => {
    const behindProxy = await startTestApp({
      database: app.database,
      environment: { TRUSTED_PROXIES: "127.0.0.0/8, ::1/128" },
    });
    try {
      expect(await addressSeenBy(behindProxy)).toBe("203.0.113.7");
    } finally {
      await behindProxy.stop();
    }
  });
});
