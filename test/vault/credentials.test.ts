import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { fakeCredentialTypes } from "../support/vault/fake-credentials.ts";

const mask = "••••••••";
let app: TestApp;
let provider: FakeOAuth;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  provider = await startFakeOAuth();
  app = await startTestApp({
    credentialTypes: fakeCredentialTypes,
    environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" },
  });
  [ann, bob] = await Promise.all([signUpOwner(app, "Ann"), signUpOwner(app, "Bob")]);
  path = `/api/organizations/${ann.organizationId}/credentials`;
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

const create = async (type: string, data: Record<string, unknown>, owner = ann) => {
  const { status, body } = await owner.browser.post(`/api/organizations/${owner.organizationId}/credentials`, {
    type,
    name: "Some account",
    data,
  });
  expect([status, body.code]).toEqual([201, undefined]);
  return body as { id: string; reference: string; data: Record<string, unknown>; health: string };
};
const login = { host: "db.example.com", user: "app", password: "canary-password-1" };
const open = async (reference: string, type: string, organizationId = ann.organizationId) => {
  const [checked] = await app.parts.vault.check(organizationId, { [type]: reference }, [type]);
  if (!checked) throw new Error("nothing checked");
  return await app.parts.vault.open(checked);
};
const pointersOf = (body: { errors?: { pointer: string }[] }) => body.errors?.map(({ pointer }) => pointer);
const corrupt = (id: string) =>
  app.database.query(
    "UPDATE credential SET sealed = set_byte(sealed, length(sealed) - 1, 255 - get_byte(sealed, length(sealed) - 1)) WHERE id = $1",
    [id],
  );

describe("creating a credential", () => {
  it("answers with its reference and masked secrets, and shows them nowhere again", async () => {
    const made = await create("fake_login", login);
    expect(made.reference).toBe(`credential:organization:${made.id}`);
    expect(made).toMatchObject({
      health: "unknown",
      kind: "custom",
      data: { host: "db.example.com", port: 5432, user: "app", password: mask },
    });
    const read = await ann.browser.get(`${path}/${made.id}`);
    expect(read.body.data).toEqual(made.data);
    const list = await ann.browser.get(path);
    expect(list.body.data).toContainEqual({
      id: made.id,
      reference: made.reference,
      name: "Some account",
      type: "fake_login",
      health: "unknown",
      isComplete: true,
    });
    expect(read.text + list.text).not.toContain("canary");
    expect((await open(made.reference, "fake_login")).data()).toEqual({ ...login, port: 5432 });
  });

  it.each<[string, string, Record<string, unknown>, string[]]>([
    ["an unknown type", "nothing", {}, ["/type"]],
    ["a missing kind", "fake_oauth", { accessToken: "x" }, ["/data/kind"]],
    ["an unknown kind", "fake_oauth", { kind: "magic", accessToken: "x" }, ["/data/kind"]],
    [
      "every wrong field at once",
      "fake_login",
      { port: "x", user: "", extra: 1, other: 2 },
      ["/data/host", "/data/port", "/data/user", "/data/extra", "/data/other"],
    ],
    ["the mask", "fake_login", { ...login, password: mask }, ["/data/password"]],
    ["a base URL where none is used", "fake_login", { ...login, baseUrl: "https://x.example" }, ["/data/baseUrl"]],
    [
      "a base URL with a user",
      "fake_oauth",
      { kind: "bearer", accessToken: "x", baseUrl: "https://u:p@x.example" },
      ["/data/baseUrl"],
    ],
    [
      "a base URL with a query",
      "fake_oauth",
      { kind: "bearer", accessToken: "x", baseUrl: "https://x.example/?a=b" },
      ["/data/baseUrl"],
    ],
    [
      "a base URL of another protocol",
      "fake_oauth",
      { kind: "bearer", accessToken: "x", baseUrl: "file:///etc/passwd" },
      ["/data/baseUrl"],
    ],
    [
      "a script as authorize URL",
      "fake_oauth",
      { kind: "oauth2", authorizeUrl: "javascript:alert(1)" },
      ["/data/authorizeUrl"],
    ],
  ])("refuses %s", async (_, type, data, pointers) => {
    const problem = expectProblem(await ann.browser.post(path, { type, name: "bad", data }), {
      status: 400,
      code: "validation_failed",
    });
    expect(pointersOf(problem)?.sort()).toEqual(pointers.sort());
  });

  it("never repeats a value it refuses", async () => {
    const { text } = await ann.browser.post(path, {
      type: "fake_login",
      name: "bad",
      data: { ...login, port: "canary-in-port", host: 5 },
    });
    expect(text).not.toContain("canary");
  });
});

describe("changing a credential", () => {
  it("keeps the stored secret when the mask is saved, or when it is not mentioned", async () => {
    const { id, reference } = await create("fake_login", login);
    const saved = await ann.browser.patch(`${path}/${id}`, {
      name: "Renamed",
      data: { ...login, port: 5432, user: "other", password: mask },
    });
    expect(saved.body).toMatchObject({ name: "Renamed", data: { user: "other", password: mask } });
    await ann.browser.patch(`${path}/${id}`, { data: { user: "third" } });
    expect((await open(reference, "fake_login")).data()).toMatchObject({ user: "third", password: login.password });
    await ann.browser.patch(`${path}/${id}`, { data: { password: "canary-password-2" } });
    expect((await open(reference, "fake_login")).data()).toMatchObject({ password: "canary-password-2" });
    expect((await ann.browser.patch(`${path}/${id}`, { data: { password: null } })).body.data).not.toHaveProperty(
      "password",
    );
    expect(pointersOf((await ann.browser.patch(`${path}/${id}`, { data: { password: mask } })).body)).toEqual([
      "/data/password",
    ]);
  });

  it("refuses a change of nothing", async () => {
    const { id } = await create("fake_login", login);
    expect((await ann.browser.patch(`${path}/${id}`, {})).status).toBe(400);
  });

  type Change = { type: string; data: Record<string, unknown>; change: Record<string, unknown>; pointers: string[] };
  const connection = { kind: "oauth2", clientId: "i", clientSecret: "canary-1" };
  const token = { kind: "bearer", accessToken: "canary-1" };
  it.each<[string, Change]>([
    ["host", { type: "fake_login", data: login, change: { host: "evil.example.com" }, pointers: ["/data/password"] }],
    ["port", { type: "fake_login", data: login, change: { port: 1 }, pointers: ["/data/password"] }],
    [
      "base URL",
      { type: "fake_oauth", data: token, change: { baseUrl: "https://evil.example" }, pointers: ["/data/accessToken"] },
    ],
    [
      "place inside the base URL",
      {
        type: "fake_basic",
        data: { place: "acme", user: "u", password: "canary-1" },
        change: { place: "evil.example/" },
        pointers: ["/data/password"],
      },
    ],
    [
      "token URL",
      {
        type: "fake_oauth",
        data: { ...connection, refreshToken: "canary-2" },
        change: { tokenUrl: "https://evil.example" },
        pointers: ["/data/clientSecret", "/data/refreshToken"],
      },
    ],
    [
      "tenant inside the token URL",
      { type: "fake_oauth", data: connection, change: { tenant: "evil" }, pointers: ["/data/clientSecret"] },
    ],
    [
      "kind",
      {
        type: "fake_oauth",
        data: token,
        change: { kind: "oauth2", accessToken: mask },
        pointers: ["/data/accessToken"],
      },
    ],
  ])("wants the secrets anew when the %s changes", async (_, { type, data, change, pointers }) => {
    const { id, data: before } = await create(type, data);
    for (const secrets of [{}, Object.fromEntries(pointers.map((pointer) => [pointer.replace("/data/", ""), mask]))]) {
      const problem = expectProblem(await ann.browser.patch(`${path}/${id}`, { data: { ...secrets, ...change } }), {
        status: 400,
      });
      expect(pointersOf(problem)?.sort()).toEqual(pointers.sort());
    }
    expect((await ann.browser.get(`${path}/${id}`)).body.data).toEqual(before);
    const anew = Object.fromEntries(pointers.map((pointer) => [pointer.replace("/data/", ""), "entered-anew"]));
    expect((await ann.browser.patch(`${path}/${id}`, { data: { ...change, ...anew } })).status).toBe(200);
  });

  it("deletes it, and then it is gone for use too", async () => {
    const { id, reference } = await create("fake_login", login);
    expect((await ann.browser.delete(`${path}/${id}`)).status).toBe(204);
    expect((await ann.browser.delete(`${path}/${id}`)).status).toBe(404);
    await expect(open(reference, "fake_login")).rejects.toMatchObject({ code: "credential_not_accessible" });
  });
});

describe("a reference", () => {
  it.each([
    "",
    "x",
    "credential:organization:",
    "credential:organization:canary-secret",
    "credential:user:01a1dd74-dcd0-7482-9824-7dd92ead8c71",
    5,
    null,
    ["credential:organization:x"],
  ])("of the form %j is refused and not repeated", async (reference) => {
    const failure = await app.parts.vault
      .check(ann.organizationId, { fake_login: reference }, ["fake_login"])
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "credential_reference_invalid", status: 400 });
    expect((failure as Error).message).not.toContain("canary");
  });

  it("that is missing is named", async () => {
    await expect(app.parts.vault.check(ann.organizationId, {}, ["fake_login"])).rejects.toThrow("fake_login");
  });

  it("is checked for its owner, then its type, and only then decrypted", async () => {
    const [foreign, own] = [
      await create("fake_basic", { place: "a", user: "u", password: "canary-1" }, bob),
      await create("fake_login", login),
    ];
    await corrupt(foreign.id);
    await corrupt(own.id);
    await expect(open(foreign.reference, "fake_login")).rejects.toMatchObject({
      code: "credential_not_accessible",
      status: 403,
    });
    await expect(open(own.reference, "fake_basic")).rejects.toMatchObject({
      code: "credential_type_mismatch",
      status: 400,
    });
    await expect(open(own.reference, "fake_login")).rejects.toMatchObject({ code: "credential_unreadable" });
    const mixed = app.parts.vault.check(
      ann.organizationId,
      { fake_basic: own.reference, fake_login: foreign.reference },
      ["fake_basic", "fake_login"],
    );
    await expect(mixed).rejects.toMatchObject({ code: "credential_not_accessible" });
  });

  it("to a foreign and to an unknown credential is answered alike", async () => {
    const foreign = await create("fake_login", login, bob);
    const failures = await Promise.all(
      [foreign.reference, `credential:organization:${randomUUID()}`].map((text) =>
        open(text, "fake_login").catch((error: Error) => error.message),
      ),
    );
    expect(failures[0]).toBe(failures[1]);
  });

  it("does not open the secret of another row that was put in its place", async () => {
    const [one, two] = [
      await create("fake_login", login),
      await create("fake_login", { ...login, password: "canary-password-3" }),
    ];
    await app.database.query(
      "UPDATE credential a SET sealed = b.sealed FROM credential b WHERE a.id = ANY($1::uuid[]) AND b.id = ANY($1::uuid[]) AND a.id <> b.id",
      [[one.id, two.id]],
    );
    for (const { reference } of [one, two])
      await expect(open(reference, "fake_login")).rejects.toMatchObject({ code: "credential_unreadable" });
  });
});

describe("who may do what", () => {
  it.each(["member", "viewer"] as const)(
    "lets a %s see names, types, health, completeness and references only",
    async (role) => {
      const { id } = await create("fake_login", login);
      const { browser } = await signUpMember(app, ann.organizationId, `Cred${role}`, role);
      const entries = (await browser.get(path)).body.data as object[];
      expect(Object.keys(entries[0] ?? {}).sort()).toEqual(["health", "id", "isComplete", "name", "reference", "type"]);
      const answers = [
        await browser.get(`${path}/${id}`),
        await browser.post(path, { type: "fake_login", name: "x", data: login }),
        await browser.patch(`${path}/${id}`, { name: "x" }),
        await browser.delete(`${path}/${id}`),
        await browser.post(`${path}/${id}/test`),
        await browser.post(`${path}/${id}/connect`),
        await browser.post(`${path}/connect`, { type: "fake_json", name: "x" }),
      ];
      for (const { status, body } of answers) expect([status, body.code]).toEqual([403, "role_required"]);
      const uses = await browser.get(`${path}/${id}/uses`);
      expect([uses.status, uses.body]).toEqual([200, { workflows: [], triggers: [], webhooks: [], defaults: [] }]);
    },
  );

  it("answers a foreign credential as if it did not exist", async () => {
    const { id } = await create("fake_login", login, bob);
    const theirs = `/api/organizations/${bob.organizationId}/credentials`;
    for (const [method, end, body] of [
      ["GET", ""],
      ["GET", "/uses"],
      ["PATCH", "", { name: "x" }],
      ["DELETE", ""],
      ["POST", "/test"],
      ["POST", "/connect"],
    ] as const) {
      const answers = await Promise.all(
        [`${path}/${id}${end}`, `${path}/${randomUUID()}${end}`, `${theirs}/${id}${end}`].map((at) =>
          ann.browser.send(method, at, body),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail);
    }
    expect((await bob.browser.get(`${theirs}/${id}`)).status).toBe(200);
    expect((await ann.browser.get(path)).text).not.toContain(id);
  });
});

describe("testing a connection", () => {
  it("says that it works, and remembers it", async () => {
    provider.reset();
    provider.accessTokens.add("good-token");
    const { id } = await create("fake_oauth", { kind: "bearer", accessToken: "good-token", baseUrl: provider.url });
    expect((await ann.browser.post(`${path}/${id}/test`)).body).toEqual({
      ok: true,
      isChecked: true,
      message: "The connection works.",
      health: "ok",
    });
    expect((await ann.browser.get(`${path}/${id}`)).body).toMatchObject({
      health: "ok",
      lastOkAt: expect.any(String),
      lastError: null,
    });
  });

  it("says what the provider said, and remembers it", async () => {
    provider.reset();
    const { id } = await create("fake_oauth", {
      kind: "bearer",
      accessToken: "bad-token-value",
      baseUrl: provider.url,
    });
    const { body } = await ann.browser.post(`${path}/${id}/test`);
    expect(body).toMatchObject({ ok: false, health: "failing", message: expect.stringContaining("401") });
    expect((await ann.browser.get(`${path}/${id}`)).body).toMatchObject({
      health: "failing",
      lastError: body.message,
      lastErrorAt: expect.any(String),
    });
  });

  it("shows the end of a token that cannot be refreshed in advance", async () => {
    const connection = { kind: "oauth2", accessToken: "some-access-token" };
    const soon = await create("fake_oauth", {
      ...connection,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const past = await create("fake_oauth", { ...connection, expiresAt: new Date(Date.now() - 1000).toISOString() });
    const never = await create("fake_oauth", { kind: "oauth2", clientId: "x" });
    expect([soon.health, past.health, never.health]).toEqual(["expiring", "needs_reconnect", "needs_reconnect"]);
    await expect(open(past.reference, "fake_oauth")).rejects.toMatchObject({ code: "credential_needs_reconnect" });
    await expect(open(never.reference, "fake_oauth")).rejects.toMatchObject({ code: "credential_needs_reconnect" });
  });
});

describe("a canary in every field of every type", () => {
  it("appears nowhere, whatever a hostile provider echoes", async () => {
    provider.reset();
    const echo = (text: string) => ({
      status: 400,
      body: JSON.stringify({ message: text, error: { code: text, message: text } }),
    });
    provider.answerApi = ({ authorization = "" }) =>
      echo(`${authorization} ${Buffer.from(authorization).toString("base64")} ${authorization.split(" ")[1]}`);
    provider.answerToken = ({ parameters, headers }) => ({
      status: 400,
      body: JSON.stringify({
        error: parameters.client_secret ?? "other",
        error_description: `${JSON.stringify(parameters)} ${headers.authorization} ${encodeURIComponent(JSON.stringify(parameters))}`,
      }),
    });
    const canary = (name: string) => `CANARY/${name}+secret=${randomUUID()}`;
    const common = { baseUrl: provider.url };
    const connection = {
      ...common,
      clientId: "id",
      tokenUrl: `${provider.url}/token`,
      expiresAt: new Date(Date.now() - 1000).toISOString(),
    };
    const secrets = { clientSecret: canary("client"), accessToken: canary("access"), refreshToken: canary("refresh") };
    const planted: [string, Record<string, unknown>][] = [
      ["fake_login", { ...login, password: canary("login") }],
      ["fake_basic", { ...common, place: "a", user: "u", password: canary("basic") }],
      ["fake_oauth", { ...common, kind: "bearer", accessToken: canary("bearer") }],
      ["fake_oauth", { ...connection, kind: "oauth2", ...secrets }],
      ["fake_json", { ...connection, ...secrets }],
    ];
    const seen: string[] = [];
    for (const [type, data] of planted) {
      const made = await create(type, data);
      seen.push(JSON.stringify(made));
      for (const answer of [
        await ann.browser.post(`${path}/${made.id}/test`),
        await ann.browser.get(`${path}/${made.id}`),
      ])
        seen.push(answer.text);
      seen.push(
        String(
          await open(made.reference, type).then(
            () => "",
            (error: Error) => error.stack,
          ),
        ),
      );
    }
    const tables = await app.database.query<{ dump: string }>("SELECT t::text AS dump FROM credential t");
    const everything = [...seen, ...app.logLines, ...tables.map(({ dump }) => dump)].join("\n");
    const values = planted
      .flatMap(([, data]) => Object.values(data))
      .filter((value) => String(value).startsWith("CANARY")) as string[];
    expect(values.length).toBe(9);
    for (const value of values) {
      const bytes = Buffer.from(value);
      const forms = [
        value,
        bytes.toString("base64"),
        bytes.toString("base64url"),
        bytes.toString("hex"),
        encodeURIComponent(value),
        `u:${value}`,
      ];
      for (const form of [...forms, Buffer.from(`u:${value}`).toString("base64")])
        expect(everything.includes(form)).toBe(false);
    }
    expect(everything).toContain("[secret]");
  });
});
