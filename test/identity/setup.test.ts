import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createBrowser } from "../support/browser-client.ts";
import { password } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const first = { email: "ann@example.com", password, organizationName: "Ann's team" };
const countRows = async (app: TestApp) =>
  (
    await app.database.query(
      "SELECT (SELECT count(*)::int FROM app_user) AS users, (SELECT count(*)::int FROM organization) AS organizations, (SELECT count(*)::int FROM member) AS members",
    )
  )[0];

describe("the first account", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  it("is missing at first, and needs no token on a loopback address", async () => {
    const { status, body } = await app.browser().get("/api/setup");
    expect([status, body]).toEqual([200, { needed: true, setupTokenRequired: false }]);
  });

  it("is refused with all wrong fields named at once", async () => {
    const empty = await app.browser().post("/api/setup", {});
    expect(empty.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      "/email",
      "/organizationName",
      "/password",
    ]);
    const wrong = await app
      .browser()
      .post("/api/setup", { name: " ", email: "ann", password: "short", organizationName: "\t " });
    expect([wrong.status, wrong.body.code]).toEqual([400, "validation_failed"]);
    expect(wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
      "/email",
      "/name",
      "/organizationName",
      "/password",
    ]);
    expect(await countRows(app)).toEqual({ users: 0, organizations: 0, members: 0 });
  });

  it("is created once when 20 people try at the same moment", async () => {
    const attempts = Array.from({ length: 20 }, (_, index) => {
      const browser = app.browser();
      return browser
        .post("/api/setup", { ...first, email: `ann${index}@example.com` })
        .then((answer) => ({ browser, answer }));
    });
    const answers = await Promise.all(attempts);
    const created = answers.filter(({ answer }) => answer.status === 201);
    expect(created).toHaveLength(1);
    for (const { answer } of answers)
      if (answer.status !== 201) expect([answer.status, answer.body.code]).toEqual([409, "setup_done"]);
    expect(await countRows(app)).toEqual({ users: 1, organizations: 1, members: 1 });

    const [winner] = created;
    const { body } = (await winner?.browser.get("/api/me")) ?? {};
    expect(body.user).toMatchObject({ id: winner?.answer.body.userId, name: expect.stringMatching(/^ann\d+$/) });
    expect(body.organizations).toEqual([{ id: winner?.answer.body.organizationId, name: "Ann's team", role: "owner" }]);
    const sessions = await winner?.browser.get("/api/me/sessions");
    expect(sessions?.body.data).toEqual([expect.objectContaining({ current: true, userAgent: "node" })]);
  });

  it("is not created a second time", async () => {
    expect((await app.browser().get("/api/setup")).body.needed).toBe(false);
    const { status, body, headers } = await app.browser().post("/api/setup", first);
    expect([status, body.code, headers.getSetCookie()]).toEqual([409, "setup_done", []]);
  });

  it("is followed by invitations only: sign-up is closed", async () => {
    const { status, body } = await app.browser().post("/api/sign-up", { name: "Bob", ...first });
    expect([status, body.code]).toEqual([403, "sign_up_closed"]);
    expect((await countRows(app))?.users).toBe(1);
  });
});

describe("the setup token", () => {
  it("is needed when strangers can reach the server", async () => {
    const app = await startTestApp({ environment: { LISTEN_HOST: "0.0.0.0" } });
    try {
      expect((await app.browser().get("/api/setup")).body).toEqual({ needed: true, setupTokenRequired: true });
      for (const setupToken of [
        undefined,
        "",
        "wrong",
        `${app.parts.identity.setupToken} `,
        app.parts.identity.setupToken?.slice(0, -1),
      ]) {
        const { status, body } = await app.browser().post("/api/setup", { ...first, setupToken });
        expect([status, body.code, body.errors[0].pointer]).toEqual([403, "setup_token_invalid", "/setupToken"]);
      }
      expect((await countRows(app))?.users).toBe(0);
      // Behind a proxy another process may answer than the one whose console was read.
      const other = await startTestApp({ environment: { LISTEN_HOST: "0.0.0.0" }, database: app.database });
      onTestFinished(() => other.stop());
      const { status, text } = await other
        .browser()
        .post("/api/setup", { ...first, setupToken: app.parts.identity.setupToken });
      expect(status).toBe(201);
      expect(text).not.toContain(app.parts.identity.setupToken);
    } finally {
      await app.stop();
    }
  });

  it("is needed behind a proxy of the same machine, which brings strangers to a loopback address", async () => {
    const app = await startTestApp({ environment: { PLATFORM_API_BASE_URL: "https://switchyard.example" } });
    onTestFinished(() => app.stop());
    const browser = createBrowser(`http://localhost:${app.config.platform.port}`);
    const origin = { origin: "https://switchyard.example", host: "switchyard.example" };
    const { status, body } = await browser.send("POST", "/api/setup", first, origin);
    expect([status, body.code]).toEqual([403, "setup_token_invalid"]);
    expect((await countRows(app))?.users).toBe(0);
  });
});

describe("the session cookie", () => {
  const cookieOf = (headers: Headers) =>
    headers.getSetCookie().map((line) => line.split("; ").map((part) => part.replace(/^([^=]*_session)=.*/, "$1")));

  it("stays out of reach of scripts and foreign pages", async () => {
    const app = await startTestApp();
    try {
      const { headers } = await app.browser().post("/api/setup", first);
      const [attributes, ...others] = cookieOf(headers);
      expect(others).toEqual([]);
      expect(attributes?.sort()).toEqual([
        "HttpOnly",
        "Max-Age=604800",
        "Path=/",
        "SameSite=Lax",
        "switchyard_session",
      ]);
    } finally {
      await app.stop();
    }
  });

  it("is bound to the host and to TLS when the server is reached by https", async () => {
    const app = await startTestApp({ environment: { PLATFORM_API_BASE_URL: "https://switchyard.example" } });
    try {
      const browser = createBrowser(`http://localhost:${app.config.platform.port}`);
      const origin = { origin: "https://switchyard.example" };
      const owner = { ...first, setupToken: app.parts.identity.setupToken };
      const { status, headers } = await browser.send("POST", "/api/setup", owner, origin);
      expect(status).toBe(201);
      const [attributes, ...others] = cookieOf(headers);
      expect(others).toEqual([]);
      expect(attributes?.sort()).toEqual([
        "HttpOnly",
        "Max-Age=604800",
        "Path=/",
        "SameSite=Lax",
        "Secure",
        "__Host-switchyard_session",
      ]);
      expect((await browser.get("/api/me")).status).toBe(200);
      expect((await browser.send("POST", "/api/sign-out", undefined, origin)).status).toBe(204);
      expect((await browser.get("/api/me")).status).toBe(401);
    } finally {
      await app.stop();
    }
  });
});

describe("the hosted service", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ environment: { DEPLOYMENT_MODE: "cloud" } });
  });
  afterAll(() => app.stop());

  it("lets anybody sign up with an organization of their own", async () => {
    const browser = app.browser();
    const { status, body } = await browser.post("/api/sign-up", { name: "Ann", ...first });
    expect(status).toBe(201);
    expect((await browser.get("/api/me")).body).toMatchObject({
      user: { name: "Ann" },
      organizations: [{ id: body.organizationId, role: "owner" }],
    });
  });

  it("takes only the fields a person may choose", async () => {
    const id = "01a1dd74-dcd0-7482-9824-7dd92ead8c71";
    const browser = app.browser();
    const extra = {
      id,
      userId: id,
      role: "owner",
      emailVerified: true,
      email_verified: true,
      image: "x",
      callbackURL: "https://evil.example",
    };
    const { status, body } = await browser.post("/api/sign-up", {
      name: "Bob",
      ...first,
      email: "bob@example.com",
      ...extra,
    });
    expect([status, body.userId === id]).toEqual([201, false]);
    const [row] = await app.database.query("SELECT email_verified, image FROM app_user WHERE id = $1", [body.userId]);
    expect(row).toEqual({ email_verified: false, image: null });
    await browser.patch("/api/me", { name: "Bobby", email: "ann@example.com", id });
    expect((await browser.get("/api/me")).body.user).toMatchObject({
      id: body.userId,
      name: "Bobby",
      email: "bob@example.com",
    });
  });

  it("creates one account when the same address signs up ten times at the same moment", async () => {
    const request = { name: "Cleo", ...first, email: "cleo@example.com" };
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.browser().post("/api/sign-up", request)));
    const outcomes = answers
      .map(({ status, body }) => (status === 201 ? "created" : `${status} ${body.code} ${body.errors?.[0].pointer}`))
      .sort();
    expect(outcomes).toEqual([...Array.from({ length: 9 }, () => "409 email_taken /email"), "created"]);
    expect(await app.database.query("SELECT id FROM app_user WHERE email = 'cleo@example.com'")).toHaveLength(1);
  });
});
