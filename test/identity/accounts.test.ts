import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { password, signIn, signUpOwner } from "../support/people.ts";
import { startMailbox } from "../support/providers/mailbox.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;

beforeAll(async () => {
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
});
afterAll(() => app.stop());

const withoutIds = (body: object) => ({ ...body, requestId: "", instance: "" });

describe("signing in", () => {
  it("answers with the person, the session and the organizations", async () => {
    const browser = app.browser();
    const { status, body, headers } = await browser.post("/api/sign-in", { email: ann.email, password });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { id: ann.userId, name: "Ann", email: ann.email },
      organizations: [{ id: ann.organizationId, role: "owner" }],
    });
    expect(headers.getSetCookie()).toHaveLength(1);
    expect((await browser.get("/api/me")).body).toEqual(body);
  });

  it("answers an unknown address and a wrong password alike", async () => {
    const wrong = await app.browser().post("/api/sign-in", { email: ann.email, password: "not this one" });
    const unknown = await app.browser().post("/api/sign-in", { email: "nobody@example.com", password: "not this one" });
    expect([wrong.status, wrong.body.code, wrong.headers.getSetCookie()]).toEqual([401, "sign_in_failed", []]);
    expect([unknown.status, withoutIds(unknown.body)]).toEqual([401, withoutIds(wrong.body)]);
  });

  it("takes the address in any case and with spaces around it", async () => {
    const { status, body } = await app
      .browser()
      .post("/api/sign-in", { email: `  ${ann.email.toUpperCase()}\n`, password });
    expect([status, body.user?.email]).toEqual([200, ann.email]);
  });

  it("compares the password exactly", async () => {
    for (const text of [` ${password}`, `${password} `, password.toUpperCase(), password.slice(0, -1)])
      expect((await app.browser().post("/api/sign-in", { email: ann.email, password: text })).status).toBe(401);
  });

  it("is limited per caller and account, whatever address the caller claims to have", async () => {
    const limited = await startTestApp({ database: app.database, environment: { RATE_LIMIT_SIGN_IN_PER_MINUTE: "3" } });
    try {
      const attempt = (email: string, index: number) =>
        limited
          .browser()
          .send(
            "POST",
            "/api/sign-in",
            { email, password: "not this one" },
            { "x-forwarded-for": `10.0.0.${index}`, forwarded: `for=10.0.0.${index}` },
          );
      const spellings = [ann.email, ann.email.toUpperCase(), ` ${ann.email}`, ann.email];
      const answers = [];
      for (const [index, email] of spellings.entries()) answers.push(await attempt(email, index));
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
      const last = answers.at(-1);
      expect(last?.body.code).toBe("rate_limited");
      expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await limited.browser().post("/api/sign-in", { email: ann.email, password })).status).toBe(429);
      expect((await attempt("nobody@example.com", 9)).status).toBe(401);
    } finally {
      await limited.stop();
    }
  });

  it("is limited per caller, whichever accounts it tries", async () => {
    const environment = { RATE_LIMIT_SIGN_IN_ADDRESS_PER_MINUTE: "3", TRUSTED_PROXIES: "127.0.0.0/8, ::1/128" };
    const limited = await startTestApp({ database: app.database, environment });
    try {
      const attempt = (email: string, from = "192.0.2.1") =>
        limited
          .browser()
          .send("POST", "/api/sign-in", { email, password: "not this one" }, { "x-forwarded-for": from });
      for (const name of ["a", "b", "c"]) expect((await attempt(`${name}@example.com`)).status).toBe(401);
      const fourth = await attempt("d@example.com");
      expect([fourth.status, fourth.body.code]).toEqual([429, "rate_limited"]);
      expect(Number(fourth.headers.get("retry-after"))).toBeGreaterThan(0);
      const reset = { "x-forwarded-for": "192.0.2.1" };
      expect(
        (await limited.browser().send("POST", "/api/password-reset", { email: "e@example.com" }, reset)).status,
      ).toBe(429);
      expect((await attempt("d@example.com", "192.0.2.2")).status).toBe(401);
    } finally {
      await limited.stop();
    }
  });

  it("counts a whole IPv6 /64 as one caller behind a trusted proxy", async () => {
    const environment = { RATE_LIMIT_SIGN_IN_PER_MINUTE: "3", TRUSTED_PROXIES: "127.0.0.0/8, ::1/128" };
    const limited = await startTestApp({ database: app.database, environment });
    try {
      const attempt = (from: string) =>
        limited.browser().send("POST", "/api/sign-in", { email: "x", password: "x" }, { "x-forwarded-for": from });
      const statuses = [];
      for (const from of [
        "2001:db8:1:1::1",
        "2001:db8:1:1::2",
        "2001:db8:1:1:a:b:c:d",
        "2001:db8:1:1:ffff::",
        "2001:db8:1:2::1",
        "192.0.2.1",
      ])
        statuses.push((await attempt(from)).status);
      expect(statuses).toEqual([400, 400, 400, 429, 400, 400]);
    } finally {
      await limited.stop();
    }
  });
});

describe("a person's name", () => {
  it.each([
    "Ł",
    "Zoë 👩🏽‍🚀 שלום",
    "名".repeat(100),
    "Robert'); DROP TABLE app_user;--",
    "<img src=x onerror=alert(1)>",
    "a\u202eb\u0301",
  ])("survives as %j", async (name) => {
    expect((await ann.browser.patch("/api/me", { name })).body.user.name).toBe(name);
    expect((await ann.browser.get("/api/me")).body.user.name).toBe(name);
  });

  it.each([
    ["only spaces", '{"name":" \\t\\u00a0 "}'],
    ["nothing", '{"name":""}'],
    ["101 characters", JSON.stringify({ name: "x".repeat(101) })],
    ["NUL", '{"name":"a\\u0000b"}'],
    ["half of a surrogate pair", '{"name":"a\\ud800b"}'],
    ["a number", '{"name":7}'],
  ])("is refused as %s and the field is named", async (_what, text) => {
    const { status, body } = await ann.browser.patch("/api/me", text);
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, "validation_failed", "/name"]);
  });
});

describe("changing the password", () => {
  const next = "an even better horse";

  it("needs the current one", async () => {
    const { status, body } = await ann.browser.post("/api/me/password", {
      currentPassword: "not this one",
      newPassword: next,
    });
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, "validation_failed", "/currentPassword"]);
    expect(
      (await ann.browser.post("/api/me/password", { currentPassword: password, newPassword: "short" })).body.errors[0]
        .pointer,
    ).toBe("/newPassword");
    await signIn(app, ann.email);
  });

  it("ends the other sessions, open reset links and the old password, and gives the caller a new session", async () => {
    const bob = await signUpOwner(app, "Bob");
    const elsewhere = await signIn(app, bob.email);
    const link = await askForReset(app, bob.email);
    const before = [...bob.browser.cookies];
    expect((await bob.browser.post("/api/me/password", { currentPassword: password, newPassword: next })).status).toBe(
      204,
    );
    expect([...bob.browser.cookies]).not.toEqual(before);
    expect((await bob.browser.get("/api/me")).status).toBe(200);
    expect((await elsewhere.browser.get("/api/me")).status).toBe(401);
    const thief = app.browser();
    for (const [name, value] of before) thief.cookies.set(name, value);
    expect((await thief.get("/api/me")).status).toBe(401);
    expect((await app.browser().post("/api/sign-in", { email: bob.email, password })).status).toBe(401);
    expect((await app.browser().post("/api/sign-in", { email: bob.email, password: next })).status).toBe(200);
    expect((await confirm(app, link, "chosen by a stranger")).status).toBe(400);
  });

  it("is limited, so that a stolen session cannot be used to guess the password", async () => {
    const limited = await startTestApp({ database: app.database, environment: { RATE_LIMIT_SIGN_IN_PER_MINUTE: "3" } });
    try {
      const { browser } = await signIn(limited, ann.email);
      const guess = () => browser.post("/api/me/password", { currentPassword: "not this one", newPassword: next });
      const statuses = [];
      for (let index = 0; index < 4; index += 1) statuses.push((await guess()).status);
      expect(statuses).toEqual([400, 400, 400, 429]);
    } finally {
      await limited.stop();
    }
  });
});

/** Follows the link an operator finds in the log. */
async function askForReset(where: TestApp, email: string): Promise<string> {
  const seen = where.logLines.length;
  expect((await where.browser().post("/api/password-reset", { email })).status).toBe(202);
  const find = () =>
    where.logLines
      .slice(seen)
      .join("")
      .match(/\/reset-password\?token=([\w-]+)/)?.[1];
  await expect.poll(find).toBeTypeOf("string");
  return find() as string;
}

const confirm = (where: TestApp, token: string, newPassword: string) =>
  where.browser().post("/api/password-reset/confirm", { token, newPassword });

describe("resetting the password", () => {
  it("answers known and unknown addresses alike", async () => {
    const seen = app.logLines.length;
    const countLinks = async () => (await app.database.query("SELECT id FROM verification")).length;
    const before = await countLinks();
    const known = await app.browser().post("/api/password-reset", { email: ann.email });
    const unknown = await app.browser().post("/api/password-reset", { email: "nobody@example.com" });
    expect([known.status, known.text]).toEqual([202, ""]);
    expect([unknown.status, unknown.text]).toEqual([202, ""]);
    expect(app.logLines.slice(seen).join("")).not.toContain("nobody@example.com");
    // The time that storing takes would tell them apart.
    expect(await countLinks()).toBe(before + 2);
  });

  it("works once, ends every session and every other link", async () => {
    const cleo = await signUpOwner(app, "Cleo");
    const other = await askForReset(app, cleo.email);
    const token = await askForReset(app, cleo.email);
    const stored = await app.database.query("SELECT * FROM verification");
    expect(JSON.stringify(stored)).not.toContain(token);

    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => confirm(app, token, `brand new horse ${index}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400, 400, 400, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect([refused?.body.code, refused?.body.errors[0].pointer]).toEqual(["validation_failed", "/token"]);
    expect((await cleo.browser.get("/api/me")).status).toBe(401);
    expect((await app.browser().post("/api/sign-in", { email: cleo.email, password })).status).toBe(401);
    const chosen = `brand new horse ${answers.findIndex(({ status }) => status === 204)}`;
    expect((await app.browser().post("/api/sign-in", { email: cleo.email, password: chosen })).status).toBe(200);
    expect((await confirm(app, other, "chosen by a stranger")).status).toBe(400);
  });

  it("ends after an hour and is not used up by a password that is too short", async () => {
    const token = await askForReset(app, ann.email);
    expect((await confirm(app, token, "short")).body.errors[0].pointer).toBe("/newPassword");
    const [row] = await app.database.query(
      "SELECT max(expires_at) - now() > interval '59 minutes' AND max(expires_at) - now() <= interval '1 hour' AS ok FROM verification",
    );
    expect(row?.ok).toBe(true);
    await app.database.query("UPDATE verification SET expires_at = now() - interval '1 second'");
    expect((await confirm(app, token, "too late for this")).body.errors[0].pointer).toBe("/token");
    await signIn(app, ann.email);
  });

  it.each(["x", "reset-password:x", "%00", "../../etc/passwd"])("refuses the link %j", async (token) => {
    expect((await confirm(app, token, "brand new horse")).status).toBe(400);
  });
});

describe("with a mail server", () => {
  it("mails the reset link without telling by its pace whether the account exists, and keeps secrets out of the log", async () => {
    const mailbox = await startMailbox({ delayMs: 700 });
    const mailing = await startTestApp({ database: app.database, environment: { SMTP_URL: mailbox.url } });
    const dora = await signUpOwner(mailing, "Dora");
    try {
      expect((await mailing.browser().post("/api/password-reset", { email: dora.email })).status).toBe(202);
      expect(mailbox.mails).toEqual([]);
    } finally {
      await mailing.stop();
      await mailbox.stop();
    }
    const [mail] = mailbox.to(dora.email);
    const token = mail?.text.match(
      new RegExp(`${mailing.platformUrl}/reset-password\\?token=([\\w-]+)`),
    )?.[1] as string;
    expect((await confirm(app, token, "brand new horse")).status).toBe(204);
    const log = mailing.logLines.join("");
    for (const secret of [
      token,
      password,
      ...[...dora.browser.cookies.values()].flatMap((value) => [
        value,
        decodeURIComponent(value).split(".", 1)[0] as string,
      ]),
    ])
      expect(log).not.toContain(secret);
  });

  it("answers as always when the mail server is away", async () => {
    const mailing = await startTestApp({ database: app.database, environment: { SMTP_URL: "smtp://127.0.0.1:1" } });
    try {
      expect((await mailing.browser().post("/api/password-reset", { email: ann.email })).status).toBe(202);
      await expect.poll(() => mailing.logLines.join("")).toContain("mail could not be sent");
      expect(mailing.logLines.join("")).not.toContain("token=");
    } finally {
      await mailing.stop();
    }
  });
});
