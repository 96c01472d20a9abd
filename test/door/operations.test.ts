import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { createLog } from "../../src/base/log.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { freePort } from "../support/free-port.ts";
import { password, signUpOwner } from "../support/people.ts";
import { rawRequest } from "../support/raw-request.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const port = 5432;

/** Stands between the product and PostgreSQL on a unix socket. */
async function createSwitch() {
  const { host, port: realPort } = inject("postgres");
  const folder = mkdtempSync(join(tmpdir(), "switchyard-proxy-"));
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(join(host, `.s.PGSQL.${realPort}`));
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near]] as const) {
      from.pipe(to);
      from.on("error", () => {});
      from.on("close", () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  const open = () => new Promise<void>((resolve) => server.listen(join(folder, `.s.PGSQL.${port}`), resolve));
  const cut = () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const [near] of pairs) near.destroy();
    return closed;
  };
  await open();
  return {
    folder,
    /** The database goes away: connections break and new ones are refused. */
    cut,
    open,
    async remove() {
      if (server.listening) await cut();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let between: Awaited<ReturnType<typeof createSwitch>>;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let app: TestApp;
let owner: Awaited<ReturnType<typeof signUpOwner>>;
let key: string;

beforeAll(async () => {
  [between, database] = await Promise.all([createSwitch(), createTestDatabase()]);
  const { user, database: name } = database.target;
  const url = `postgres://${user}@localhost/${name}?host=${encodeURIComponent(between.folder)}&port=${port}`;
  app = await startTestApp({ database: { ...database, url } });
  owner = await signUpOwner(app, "Ann");
  const created = await owner.browser.post(`/api/organizations/${owner.organizationId}/api-keys`, {
    name: "k",
    scopes: ["workflows:trigger"],
  });
  key = created.body.key;
});
afterAll(async () => {
  await app.stop();
  await between.remove();
  await database.drop();
});

async function timed(path: string, init: RequestInit = {}) {
  const startedAt = performance.now();
  const response = await fetch(path.startsWith("http") ? path : app.platformUrl + path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, elapsedMs: performance.now() - startedAt };
}

const trigger = () => timed("/task-runner/trigger/some", { method: "POST", headers: { "x-api-key": key } });

describe("health", () => {
  it.each(["/livez", "/readyz"])("answers %s on both doors", async (path) => {
    for (const base of [app.platformUrl, app.gatewayUrl]) {
      const { status, text } = await timed(base + path);
      expect([status, text]).toEqual([200, '{"status":"ok"}']);
    }
  });

  it("fails closed while the database is away and comes back alone", async () => {
    await between.cut();
    for (const base of [app.platformUrl, app.gatewayUrl]) {
      expect((await timed(`${base}/livez`)).status).toBe(200);
      expectProblem(await timed(`${base}/readyz`), { status: 503, code: "database_unavailable" });
      expect(await timed(`${base}/metrics`)).toMatchObject({
        status: 200,
        text: expect.stringContaining("switchyard_run_queue"),
      });
    }
    expectProblem(await trigger(), { status: 503, code: "database_unavailable" });
    expectProblem(await owner.browser.get("/api/me"), { status: 503, code: "database_unavailable" });
    expectProblem(await owner.browser.post("/api/sign-in", { email: owner.email, password }), {
      status: 503,
      code: "database_unavailable",
    });
    await between.open();
    await expect.poll(async () => (await timed("/readyz")).status, { timeout: 5000 }).toBe(200);
    expect((await trigger()).status).toBe(404);
    expect((await owner.browser.get("/api/me")).status).toBe(200);
  });
});

describe("metrics", () => {
  it("tell both doors apart and hold no id, name or address", async () => {
    await owner.browser.get(`/api/organizations/${owner.organizationId}/api-keys`);
    await timed("/some/unknown/path-zebra");
    await timed(`${app.gatewayUrl}/livez`);
    const { status, headers, text } = await timed("/metrics");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("text/plain");
    expect(text).toContain(
      'switchyard_http_request_seconds_count{door="gateway",method="GET",route="/livez",status="200"}',
    );
    expect(text).toContain('route="/api/organizations/:organizationId/api-keys",status="200"');
    expect(text).toContain('route="(none)",status="404"');
    expect(text).toContain('switchyard_database_connections{pool="main",state="idle"}');
    expect(text).toContain('switchyard_slots{state="waiting"} 0');
    expect(text).not.toMatch(/zebra|@|[0-9a-f]{8}-[0-9a-f]{4}-|swy_/);
  });

  it.each(["x-forwarded-for", "forwarded", "x-real-ip"])(
    "are not shown to who comes through a proxy (%s)",
    async (name) => {
      expectProblem(await timed("/metrics", { headers: { [name]: "203.0.113.7" } }), {
        status: 404,
        code: "not_found",
      });
    },
  );

  it("are shown to who has the token, and then to nobody else", async () => {
    const other = await startTestApp({ database, environment: { METRICS_TOKEN: "open sesame" } });
    try {
      const read = (headers: Record<string, string>) => timed(`${other.gatewayUrl}/metrics`, { headers });
      expect((await read({ authorization: "Bearer open sesame", "x-forwarded-for": "203.0.113.7" })).status).toBe(200);
      const byAddress = (headers: string) =>
        rawRequest(
          other.gatewayUrl,
          `GET /metrics HTTP/1.1\r\nHost: 10.1.2.3:3100\r\nConnection: close\r\n${headers}\r\n`,
        );
      expect(await byAddress("Authorization: Bearer open sesame\r\n")).toMatch(/^HTTP\/1.1 200 /);
      expect(await byAddress("")).toMatch(/^HTTP\/1.1 404 /);
      for (const headers of [
        {},
        { authorization: "Bearer open" },
        { authorization: "open sesame" },
        { authorization: "Bearer " },
      ])
        expectProblem(await read(headers as Record<string, string>), { status: 404 });
    } finally {
      await other.stop();
    }
  });
});

describe("a process that is only a worker", () => {
  it("tells how it is at a port of its own, when it is given one", async () => {
    const port = await freePort();
    const worker = await startTestApp({ database, roles: ["worker"], environment: { OPERATIONS_PORT: String(port) } });
    onTestFinished(() => worker.stop());
    const ask = (path: string) => timed(`http://localhost:${port}${path}`);
    expect([(await ask("/livez")).status, (await ask("/readyz")).status]).toEqual([200, 200]);
    expect((await ask("/metrics")).text).toContain('switchyard_runs_here{state="running"} 0');
    expectProblem(await ask("/api/me"), { status: 404, code: "not_found" });
    expectProblem(await ask("/servers"), { status: 404, code: "not_found" });
  });
});

describe("the log", () => {
  it("is JSON lines that name requests and hold no secret", async () => {
    const browser = app.browser();
    const wrong = "a wrong password 123";
    await browser.post("/api/sign-in", { email: owner.email, password });
    await browser.post("/api/sign-in", { email: owner.email, password: wrong });
    await browser.post("/api/me/password", { currentPassword: wrong, newPassword: `${wrong}4` });
    await timed(`/task-runner/trigger/some?api_key=${key}`, { method: "POST" });
    await timed("/task-runner/trigger/some", {
      method: "POST",
      headers: { "x-api-key": key, authorization: `Bearer ${key}` },
    });
    const { headers } = await timed("/api/me", { headers: { cookie: "switchyard_session=stolen-cookie-text" } });
    await delay(50);
    const lines = app.logLines.map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ requestId: headers.get("x-request-id"), route: "/api/me", status: 401 }),
    );
    const secrets = [
      password,
      wrong,
      key,
      key.slice(4),
      "stolen-cookie-text",
      ...browser.cookies.values(),
      ...owner.browser.cookies.values(),
    ];
    for (const secret of secrets) expect(app.logLines.join("")).not.toContain(secret);
  });

  it("keeps the trace that a caller began", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    await timed("/livez", { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
    await timed("/livez", { headers: { traceparent: '00-nonsense"}-1' } });
    await expect.poll(() => app.logLines.filter((line) => line.includes(`"traceId":"${traceId}"`))).toHaveLength(1);
    expect(app.logLines.join("")).not.toContain("nonsense");
  });

  it("hides what is named like a secret, wherever it was put", () => {
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    const secret = "hunter2";
    const error = Object.assign(new Error("no"), {
      client: { password: secret },
      headers: { cookie: secret, authorization: secret },
    });
    log.error(
      { err: error, password: secret, cookie: secret, request: { key: secret, token: secret, apiKey: secret } },
      "failed",
    );
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: 50,
      msg: "failed",
      err: { message: "no" },
      time: expect.stringMatching(/^\d{4}-/),
    });
    expect(lines.join("")).not.toContain(secret);
  });
});
