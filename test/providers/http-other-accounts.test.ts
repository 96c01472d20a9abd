import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toReference } from "../../src/vault/reference.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const token = "ghp_canary0123456789abcdef";
let app: TestApp;
let service: FakeProvider;
let elsewhere: FakeProvider;
let oauth: FakeOAuth;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let bob: Awaited<ReturnType<typeof signUpOwner>>;

beforeAll(async () => {
  [service, elsewhere, oauth] = await Promise.all([startFakeProvider(), startFakeProvider(), startFakeOAuth()]);
  app = await startTestApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  ann = await signUpOwner(app, "Ann");
  bob = await signUpOwner(app, "Bob");
});
beforeEach(() => {
  service.script([]);
  elsewhere.script([]);
  oauth.reset();
});
afterAll(async () => {
  await app.stop();
  await Promise.all([service.stop(), elsewhere.stop(), oauth.stop()]);
});

type Owner = typeof ann;

async function connect(type: string, data: Record<string, unknown>, owner: Owner = ann): Promise<string> {
  const { id } = await app.parts.vault.credentials.create(owner.organizationId, {
    type,
    name: type,
    data,
    createdBy: null,
  });
  return id;
}

const github = (data: object = {}) =>
  connect("github", { kind: "bearer", accessToken: token, baseUrl: service.url, ...data });

async function call(type: string, id: string, parameters: Record<string, unknown>) {
  const answer = await ann.browser.post(`/api/organizations/${ann.organizationId}/tools/http_request/call`, {
    parameters,
    credentials: { [type]: toReference(id) },
    confirm: true,
  });
  return read(answer.body);
}

/** What is refused before anything is sent is a problem document and not a record. */
const read = (body: Record<string, unknown>) =>
  ({ ...body, error: body.error ?? { code: body.code, message: body.detail } }) as {
    status: string;
    outputs: Record<string, unknown>[];
    error: { code: string; message: string };
  };

const healthOf = async (id: string) =>
  (await ann.browser.get(`/api/organizations/${ann.organizationId}/credentials/${id}`)).body as {
    health: string;
    lastError: string;
  };

describe("http_request with the account of a provider", () => {
  it("sends what that provider's own tools send with every request", async () => {
    service.script([{ json: [{ id: 1 }] }]);
    const record = await call("github", await github(), { url: `${service.url}/gists`, query: { per_page: 1 } });
    expect(record).toMatchObject({ status: "success", outputs: [{ status: 200, body: [{ id: 1 }] }] });
    expect(service.requests()).toMatchObject([
      {
        path: "/gists?per_page=1",
        headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" },
      },
    ]);
  });

  it("puts the token into the path where the provider wants it there", async () => {
    const id = await connect("telegram_bot", { botToken: "123:canary-of-the-bot", baseUrl: `${service.url}/proxy` });
    service.script([{ json: { ok: true, result: {} } }]);
    expect(await call("telegram_bot", id, { url: `${service.url}/proxy/getMyName` })).toMatchObject({
      status: "success",
    });
    expect(service.requests().map(({ path }) => path)).toEqual(["/proxy/bot123:canary-of-the-bot/getMyName"]);
  });

  it("signs a request of a storage account", async () => {
    const id = await connect("s3", {
      accessKeyId: "AKIAEXAMPLE",
      secretAccessKey: "canary-of-storage",
      endpoint: service.url,
    });
    service.script([{ headers: { "content-type": "application/xml" }, body: "<Tagging/>" }]);
    const record = await call("s3", id, { url: `${service.url}/bucket/key`, query: { tagging: "" } });
    expect(record).toMatchObject({ status: "success", outputs: [{ body: "<Tagging/>" }] });
    expect(service.requests()[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\//);
  });

  it("gives bytes as they are, also where the provider's answers are read for refusals", async () => {
    const id = await connect("slack", { kind: "bearer", accessToken: token, baseUrl: service.url });
    service.script([{ headers: { "content-type": "image/png" }, body: Buffer.from([0x89, 0xff, 0x00]) }]);
    const record = await call("slack", id, { url: `${service.url}/files-pri/T1-F1/a.png` });
    expect(record.outputs).toMatchObject([
      { body: Buffer.from([0x89, 0xff, 0x00]).toString("base64"), bodyEncoding: "base64" },
    ]);
  });

  it("answers with a refusal that is about the call and not about the account", async () => {
    const id = await connect("slack", { kind: "bearer", accessToken: token, baseUrl: service.url });
    service.script([
      { json: { ok: false, error: "channel_not_found" } },
      { status: 404, json: { message: "Not Found" } },
    ]);
    expect(await call("slack", id, { url: `${service.url}/conversations.info` })).toMatchObject({
      outputs: [{ status: 200, body: { ok: false, error: "channel_not_found" } }],
    });
    expect(await call("slack", id, { url: `${service.url}/nothing` })).toMatchObject({ outputs: [{ status: 404 }] });
    expect((await healthOf(id)).health).toBe("unknown");
  });

  it("refreshes an OAuth token that is refused, and goes on with the new one", async () => {
    const id = await connect("github", { kind: "oauth2", ...oauth.connection(new Date(Date.now() + 3_600_000)) });
    oauth.accessTokens.clear();
    expect(await call("github", id, { url: `${oauth.url}/me` })).toMatchObject({
      status: "success",
      outputs: [{ status: 200, body: { account: "acme" } }],
    });
    expect(oauth.tokenRequests).toHaveLength(1);
    expect((await healthOf(id)).health).toBe("ok");
  });

  it("fails when the account itself is refused, and its health says so", async () => {
    const id = await github();
    service.script([
      { status: 401, json: { message: "Bad credentials" } },
      { status: 401, json: { message: "Bad credentials" } },
    ]);
    const record = await call("github", id, { url: `${service.url}/user` });
    expect(record).toMatchObject({ status: "failed", error: { code: "provider_error" } });
    expect(record.error.message).toContain("GitHub refused the call (401): Bad credentials.");
    expect(await healthOf(id)).toMatchObject({
      health: "failing",
      lastError: expect.stringContaining("Bad credentials"),
    });
  });

  it("fails when a header of the caller is refused, and the account, which still works, is left as it was", async () => {
    const id = await connect("slack", {
      kind: "oauth2",
      ...oauth.connection(new Date(Date.now() + 3_600_000)),
      baseUrl: service.url,
    });
    const refusal = { json: { ok: false, error: "invalid_auth" } };
    service.script([refusal, refusal, { json: { ok: true } }]);
    const headers = { Authorization: "Bearer YOUR_TOKEN" };
    expect(await call("slack", id, { url: `${service.url}/chat.postMessage`, headers })).toMatchObject({
      status: "failed",
    });
    expect(service.requests().map(({ path }) => path)).toEqual([
      "/chat.postMessage",
      "/chat.postMessage",
      "/auth.test",
    ]);
    expect((await healthOf(id)).health).toBe("ok");
  });

  it("says nothing good about an account whose service answers anything", async () => {
    const id = await github();
    service.script([{ status: 401, json: { message: "Bad credentials" } }, { status: 401, json: {} }, { json: {} }]);
    await call("github", id, { url: `${service.url}/user` });
    expect((await call("github", id, { url: `${service.url}/robots.txt` })).status).toBe("success");
    expect((await healthOf(id)).health).toBe("failing");
  });
});

describe("the secret of such an account goes", () => {
  it.each([
    ["another origin", () => `${elsewhere.url}/collect`],
    ["another port", () => `http://127.0.0.1:1/collect`],
    ["another scheme", () => service.url.replace("http:", "https:")],
    ["a name that only looks alike", () => `${service.url.replace("127.0.0.1", "127.0.0.1.evil.test")}/x`],
    ["the provider's public address instead of the account's own", () => "https://api.github.com/user"],
  ])("not to %s", async (_name, url) => {
    const record = await call("github", await github(), { url: url() });
    expect(record).toMatchObject({
      status: "failed",
      error: { code: "outbound_refused", message: `This credential may only be used with ${service.url}.` },
    });
    expect([...service.requests(), ...elsewhere.requests()]).toEqual([]);
  });

  it.each([
    "https://api.github.com.evil.test/user",
    "https://evil.test/api.github.com",
    "https://api-github.com/user",
    "http://api.github.com/user",
    "https://api.github.com:8443/user",
    "https://api.github.com./user",
    "https://gist.github.com/user",
  ])("not to %s, without an address of its own", async (url) => {
    const id = await connect("github", { kind: "bearer", accessToken: token });
    const record = await call("github", id, { url });
    expect(record.error).toMatchObject({
      code: "outbound_refused",
      message: "This credential may only be used with https://api.github.com, https://uploads.github.com.",
    });
  });

  it("not to an address with a user name, which may hide another host", async () => {
    const record = await call("github", await github(), {
      url: service.url.replace("http://", "http://api.github.com@"),
    });
    expect(record.error).toMatchObject({ code: "validation_failed" });
    expect(service.requests()).toEqual([]);
  });

  it("along with redirects within the origin, and not with those that leave it", async () => {
    const id = await github();
    service.script([
      { status: 301, headers: { location: "/moved" } },
      { status: 302, headers: { location: `${elsewhere.url}/there?a=1` } },
    ]);
    elsewhere.script([{ json: { there: true } }]);
    expect(await call("github", id, { url: `${service.url}/old`, headers: { "x-mine": "1" } })).toMatchObject({
      outputs: [{ body: { there: true } }],
    });
    expect(service.requests()).toMatchObject([
      { path: "/old" },
      { path: "/moved", headers: { authorization: `Bearer ${token}` } },
    ]);
    expect(elsewhere.requests()).toHaveLength(1);
    expect(JSON.stringify(elsewhere.requests()[0]?.headers)).not.toMatch(/canary|x-mine/);
  });

  it.each([
    ["query", (bot: string) => `/collect?t=${bot}`, ["/collect"]],
    ["path", (bot: string) => `/bot${bot}/collect`, []],
    ["path as base64", (bot: string) => `/${Buffer.from(bot).toString("base64url")}`, []],
  ])("not along in the %s of a redirect that leaves the origin", async (_name, location, seen) => {
    const bot = "123:canary-of-the-bot";
    const id = await connect("telegram_bot", { botToken: bot, baseUrl: service.url });
    service.script([{ status: 302, headers: { location: elsewhere.url + location(bot) } }]);
    elsewhere.script([{ json: {} }]);
    await call("telegram_bot", id, { url: `${service.url}/getMe` });
    expect(elsewhere.requests().map(({ path }) => path)).toEqual(seen);
  });

  it("nowhere with a changing request that is redirected", async () => {
    service.script([{ status: 307, headers: { location: "/moved" } }]);
    const record = await call("github", await github(), { method: "POST", url: `${service.url}/old`, body: {} });
    expect(record).toMatchObject({ outputs: [{ status: 307 }] });
    expect(service.requests()).toHaveLength(1);
  });
});

describe("http_request refuses", () => {
  it.each<[string, Record<string, unknown>]>([
    ["postgres", { host: "db.test", database: "a", user: "a", password: "canary-password" }],
    ["mysql", { host: "db.test", database: "a", user: "a", password: "canary-password" }],
    ["redis", { host: "cache.test", password: "canary-password" }],
    ["email", { user: "a", password: "canary-password", smtpHost: "mail.test" }],
  ])("an account of the type %s, which is not reached over HTTP", async (type, data) => {
    const record = await call(type, await connect(type, data), { url: `${service.url}/x` });
    expect(record.error).toEqual({
      code: "credential_type_mismatch",
      message: `A credential of the type http_auth, or one of a service that is reached over HTTP, is needed here, not one of the type ${type}.`,
    });
    expect(service.requests()).toEqual([]);
  });

  it("an account of another organization like one that is not there", async () => {
    const foreign = await connect("github", { kind: "bearer", accessToken: token, baseUrl: service.url }, bob);
    const missing = "0190a000-0000-7000-8000-000000000000";
    for (const id of [foreign, missing])
      expect((await call("github", id, { url: `${service.url}/x` })).error).toEqual({
        code: "credential_not_accessible",
        message: "There is no such credential in this organization.",
      });
    expect(service.requests()).toEqual([]);
  });

  it("an account under the name of another type, and two at once", async () => {
    const id = await github();
    expect((await call("slack", id, { url: `${service.url}/x` })).error).toMatchObject({
      code: "credential_type_mismatch",
      message: "This is a credential of the type github: name it as that and not as slack.",
    });
    const slack = await connect("slack", { kind: "bearer", accessToken: token, baseUrl: service.url });
    const { body } = await ann.browser.post(`/api/organizations/${ann.organizationId}/tools/http_request/call`, {
      parameters: { url: `${service.url}/x` },
      credentials: { github: toReference(id), slack: toReference(slack) },
      confirm: true,
    });
    expect(read(body).error).toMatchObject({
      code: "credential_reference_invalid",
      message: "http_request uses one account. Name only one.",
    });
    expect(service.requests()).toEqual([]);
  });

  it("nothing more for the other tools, which take their own account alone", async () => {
    const id = await github();
    for (const tool of ["http_read_feed", "slack_list_channels"]) {
      const { body } = await ann.browser.post(`/api/organizations/${ann.organizationId}/tools/${tool}/call`, {
        parameters: tool === "http_read_feed" ? { url: `${service.url}/x` } : {},
        credentials: { github: toReference(id) },
        confirm: true,
      });
      expect(read(body).error.code).toMatch(/^credential_/);
    }
    expect(service.requests()).toEqual([]);
  });
});

describe("a workflow", () => {
  const canvasWith = (credentials: Record<string, string>) => ({
    nodes: [
      {
        id: "a",
        nodeId: "http_request",
        position: { x: 0, y: 0 },
        parameters: { url: `${service.url}/gists` },
        credentials,
      },
    ],
    edges: [],
  });
  const path = () => `/api/organizations/${ann.organizationId}/workflows`;

  it("has an HTTP node with the account of a provider, and refuses two", async () => {
    const reference = toReference(await github());
    expect(
      (await ann.browser.post(`${path()}/check`, { canvas: canvasWith({ github: reference }) })).body,
    ).toMatchObject({ errors: [] });
    const slack = toReference(await connect("slack", { kind: "bearer", accessToken: token }));
    const { body } = await ann.browser.post(`${path()}/check`, { canvas: canvasWith({ github: reference, slack }) });
    expect(body.errors).toEqual([
      {
        pointer: "/canvas/nodes/0/credentials/slack",
        detail: "is one account too many beside that of the type github",
      },
    ]);
    const database = toReference(await connect("redis", { host: "cache.test" }));
    const refused = await ann.browser.post(`${path()}/check`, { canvas: canvasWith({ redis: database }) });
    expect(refused.body.errors).toEqual([
      { pointer: "/canvas/nodes/0/credentials/redis", detail: "is not a type of credential this node takes" },
    ]);
  });
});
