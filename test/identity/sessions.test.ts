import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { password, signIn, signUpOwner } from "../support/people.ts";
import { rawRequest } from "../support/raw-request.ts";
import { openDatabaseLink } from "../support/storage/database-link.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
const cookieName = "switchyard_session";

beforeAll(async () => {
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
});
afterAll(() => app.stop());

function browserWith(cookie: string | undefined) {
  const browser = app.browser();
  if (cookie !== undefined) browser.cookies.set(cookieName, cookie);
  return browser;
}

describe("a session", () => {
  it("is a new one at each sign-in, whatever cookie the browser brought along", async () => {
    const planted = (await signIn(app, ann.email)).browser.cookies.get(cookieName);
    const browser = browserWith(planted);
    expect((await browser.post("/api/sign-in", { email: ann.email, password })).status).toBe(200);
    expect(browser.cookies.get(cookieName)).not.toBe(planted);
  });

  it("ends when somebody signs in anew with the same browser, and no other one does", async () => {
    const dana = await signUpOwner(app, "Dana");
    const elsewhere = await signIn(app, ann.email);
    const ids = async () =>
      (await elsewhere.browser.get("/api/me/sessions")).body.data.map(({ id }: { id: string }) => id);
    const count = (await ids()).length;
    for (const next of [ann.email, dana.email]) {
      const { browser } = await signIn(app, ann.email);
      const old = browser.cookies.get(cookieName);
      expect((await browser.post("/api/sign-in", { email: next, password })).status).toBe(200);
      const { status, body } = await browserWith(old).get("/api/me");
      expect([status, body.code]).toEqual([401, "not_signed_in"]);
      expect((await browser.get("/api/me")).body.user.email).toBe(next);
    }
    // That of her second sign-in with the first of these browsers.
    expect(await ids()).toHaveLength(count + 1);
    expect((await ann.browser.get("/api/me")).status).toBe(200);
  });

  it("stays when the password of a new sign-in is wrong", async () => {
    const { browser } = await signIn(app, ann.email);
    expect((await browser.post("/api/sign-in", { email: ann.email, password: "not the password" })).status).toBe(401);
    expect((await browser.get("/api/me")).status).toBe(200);
  });

  it("ends on the server when the person signs out", async () => {
    const { browser } = await signIn(app, ann.email);
    const old = browser.cookies.get(cookieName);
    expect((await browser.post("/api/sign-out")).status).toBe(204);
    expect(browser.cookies.has(cookieName)).toBe(false);
    const { status, body } = await browserWith(old).get("/api/me");
    expect([status, body.code]).toEqual([401, "not_signed_in"]);
    expect((await ann.browser.get("/api/me")).status).toBe(200);
  });

  it("is refused with any other cookie than the signed one", async () => {
    const [token = "", signature = ""] = decodeURIComponent(ann.browser.cookies.get(cookieName) as string).split(
      /\.(.*)/s,
    );
    const flipped = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1);
    const [stored] = await app.database.query("SELECT token, id FROM session WHERE token = $1", [token]);
    expect(stored?.token).toBe(token);
    const forgeries = [
      "",
      token,
      `${token}.`,
      `${flipped(token)}.${signature}`,
      `${token}.${flipped(signature)}`,
      `${stored?.id}.${signature}`,
      ".",
      "null",
      "{}",
      "x".repeat(4000),
    ];
    for (const forgery of [...forgeries.map(encodeURIComponent), "%", "%00", "%E0%A4%A", "%ff"]) {
      const { status, body } = await browserWith(forgery).get("/api/me");
      expect([forgery.slice(0, 80), status, body.code]).toEqual([forgery.slice(0, 80), 401, "not_signed_in"]);
    }
  });

  it("does not come of a password that is changed while it is being checked", async () => {
    const zoe = await signUpOwner(app, "Zoe");
    const other = new pg.Client({ connectionString: app.database.url });
    await other.connect();
    try {
      await other.query("BEGIN");
      await other.query("UPDATE account SET password = 'aa:bb' WHERE user_id = $1", [zoe.userId]);
      const browser = app.browser();
      const signingIn = browser.post("/api/sign-in", { email: zoe.email, password });
      const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await expect.poll(async () => (await app.database.query(waiting)).length).toBe(1);
      await other.query("COMMIT");
      const { status, body } = await signingIn;
      expect([status, body.code, browser.cookies.size]).toEqual([401, "sign_in_failed", 0]);
    } finally {
      await other.end();
    }
  });

  it("ends by itself when its time is over", async () => {
    const { browser } = await signIn(app, ann.email);
    const { sessionId } = (await browser.get("/api/me")).body;
    await app.database.query("UPDATE session SET expires_at = now() - interval '1 second' WHERE id = $1", [sessionId]);
    expect((await browser.get("/api/me")).status).toBe(401);
    expect((await ann.browser.get("/api/me/sessions")).text).not.toContain(sessionId);
  });

  it("lives longer while it is used, with a fresh cookie", async () => {
    const { browser } = await signIn(app, ann.email);
    const { sessionId } = (await browser.get("/api/me")).body;
    await app.database.query(
      "UPDATE session SET expires_at = now() + interval '3 days', updated_at = now() - interval '4 days' WHERE id = $1",
      [sessionId],
    );
    const { status, headers } = await browser.get("/api/me");
    expect([status, headers.getSetCookie().map((line) => line.split("=", 1)[0])]).toEqual([200, [cookieName]]);
    const [row] = await app.database.query(
      "SELECT expires_at > now() + interval '6 days' AS renewed FROM session WHERE id = $1",
      [sessionId],
    );
    expect(row?.renewed).toBe(true);
  });
});

describe("where I am signed in", () => {
  it("lists my sessions without their tokens and marks this one", async () => {
    const { browser } = await signIn(app, ann.email);
    const { body, text } = await browser.get("/api/me/sessions");
    const { sessionId } = (await browser.get("/api/me")).body;
    expect(body.data.filter(({ current }: { current: boolean }) => current)).toEqual([
      {
        id: sessionId,
        current: true,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        ipAddress: expect.stringMatching(/^(127\.0\.0\.1|::1|(0000:){7}0001)$/),
        userAgent: "node",
      },
    ]);
    for (const { token } of await app.database.query<{ token: string }>("SELECT token FROM session"))
      expect(text).not.toContain(token);
  });

  it("shows the address a person came from, which only a trusted proxy may name", async () => {
    const proxied = await startTestApp({
      database: app.database,
      environment: { TRUSTED_PROXIES: "127.0.0.0/8, ::1/128" },
    });
    try {
      const addressSeenBy = async (where: TestApp) => {
        const browser = where.browser();
        await browser.send(
          "POST",
          "/api/sign-in",
          { email: ann.email, password },
          { "x-forwarded-for": "2001:db8:9:9:a:b:c:d" },
        );
        const { data } = (await browser.get("/api/me/sessions")).body;
        return data.find(({ current }: { current: boolean }) => current).ipAddress;
      };
      expect(await addressSeenBy(proxied)).toMatch(/^2001:0?db8:0*9:0*9:0*a:0*b:0*c:0*d$/);
      expect(await addressSeenBy(app)).not.toContain("db8");
    } finally {
      await proxied.stop();
    }
  });

  it("ends one session, and then all others", async () => {
    const [one, two, three] = [
      await signIn(app, ann.email),
      await signIn(app, ann.email),
      await signIn(app, ann.email),
    ];
    const { sessionId } = (await two.browser.get("/api/me")).body;
    expect((await one.browser.delete(`/api/me/sessions/${sessionId}`)).status).toBe(204);
    expect((await two.browser.get("/api/me")).status).toBe(401);
    expect((await three.browser.get("/api/me")).status).toBe(200);
    expect((await one.browser.delete(`/api/me/sessions/${sessionId}`)).status).toBe(404);
    expect((await three.browser.delete("/api/me/sessions")).status).toBe(204);
    expect((await one.browser.get("/api/me")).status).toBe(401);
    expect((await three.browser.get("/api/me")).status).toBe(200);
    ann.browser = three.browser;
  });

  it("answers a foreign session like an unknown one and leaves it alone", async () => {
    const bob = await signUpOwner(app, "Bob");
    const { sessionId } = (await bob.browser.get("/api/me")).body;
    const foreign = await ann.browser.delete(`/api/me/sessions/${sessionId}`);
    const unknown = await ann.browser.delete(`/api/me/sessions/${randomUUID()}`);
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, requestId: "", instance: "" }).toEqual({ ...unknown.body, requestId: "", instance: "" });
    expect((await ann.browser.delete("/api/me/sessions/not-an-id")).status).toBe(400);
    expect((await bob.browser.get("/api/me")).status).toBe(200);
  });
});

describe("the page a change comes from", () => {
  const rename = (headers: Record<string, string>) => ann.browser.send("PATCH", "/api/me", { name: "Ann" }, headers);

  it.each([
    "https://evil.example",
    "null",
    "http://localhost:1",
    "http://localhost.evil.example",
    "https://localhost",
    "",
    "file://",
    "not a url",
  ])("must not be %j", async (origin) => {
    const { status, body } = await rename({ origin });
    expect([status, body.code, body.errors[0].pointer]).toEqual([403, "origin_refused", "origin"]);
  });

  it("must be named when a session is used", async () => {
    const cookie = `${cookieName}=${ann.browser.cookies.get(cookieName)}`;
    const response = await fetch(`${app.platformUrl}/api/me`, {
      method: "PATCH",
      headers: { cookie, "content-type": "application/json" },
      body: '{"name":"Eve"}',
    });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, "origin_refused"]);
    expect((await ann.browser.get("/api/me")).body.user.name).toBe("Ann");
  });

  it("must not be foreign when somebody signs in", async () => {
    const { status, headers } = await app
      .browser()
      .send("POST", "/api/sign-in", { email: ann.email, password }, { origin: "https://evil.example" });
    expect([status, headers.getSetCookie()]).toEqual([403, []]);
  });

  it("may be another loopback name with the same port", async () => {
    const { port } = new URL(app.platformUrl);
    for (const origin of [`http://127.0.0.1:${port}`, `http://[::1]:${port}`, `http://localhost:${port}`])
      expect((await rename({ origin })).status).toBe(200);
  });

  it("does not matter for reading", async () => {
    expect((await ann.browser.send("GET", "/api/me", undefined, { origin: "https://evil.example" })).status).toBe(200);
  });

  it.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "2130706433", ""])(
    "is not answered under the name %j",
    async (host) => {
      const answer = await rawRequest(
        app.platformUrl,
        `GET /api/setup HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      expect(answer).toContain('"code":"host_refused"');
    },
  );

  it.each(["localhost", "127.0.0.1:3000", "[::1]", "LOCALHOST:99"])("is answered under the name %j", async (host) => {
    expect(
      await rawRequest(app.platformUrl, `GET /api/setup HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 200 /);
  });
});

it("says that the database is away, neither that nobody is signed in nor that something is broken", async () => {
  const link = await openDatabaseLink(app.database);
  const linked = await startTestApp({ database: app.database, environment: { DATABASE_URL: link.url } });
  try {
    const { browser } = await signIn(linked, ann.email);
    link.cut();
    for (const answer of [
      await browser.get("/api/me"),
      await browser.post("/api/sign-in", { email: ann.email, password }),
    ])
      expect([answer.status, answer.body.code, answer.headers.getSetCookie()]).toEqual([
        503,
        "database_unavailable",
        [],
      ]);
  } finally {
    link.cut();
    await linked.stop();
  }
});
