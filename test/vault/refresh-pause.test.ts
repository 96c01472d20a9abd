import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { createMcpClient, type McpClient } from "../support/gateway/mcp-client.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

// What is refused is counted where it counts: at the provider's token endpoint, which two processes on one database would ask.

let mcp: McpApp;
let second: TestApp;
let provider: FakeOAuth;
let here: McpClient;
let there: McpClient;
let path: string;

beforeAll(async () => {
  provider = await startFakeOAuth();
  const environment = { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" };
  mcp = await startMcpApp({ environment });
  second = await startTestApp({ environment, database: mcp.app.database });
  here = mcp.client;
  there = createMcpClient(second.gatewayUrl, { "x-api-key": mcp.key });
  path = `/api/organizations/${mcp.owner.organizationId}/credentials`;
});
beforeEach(() => {
  provider.reset();
  provider.answerApi = () => ({ body: JSON.stringify({ ok: true, channel: "C1", ts: "1503435956.000247" }) });
});
afterAll(async () => {
  await second.stop();
  await mcp.stop();
  await provider.stop();
});

type Account = { id: string; reference: string };

const minutes = (count: number) => new Date(Date.now() + count * 60_000);
const connect = (expiresAt?: Date) =>
  mcp.app.parts.vault.credentials.create(mcp.owner.organizationId, {
    type: "slack",
    name: "My account",
    createdBy: null,
    data: { kind: "oauth2", ...provider.connection(expiresAt) },
  });

async function call(client: McpClient, { reference }: Account) {
  const given = { channel: "C1", text: "Hello", credentials: { slack: reference } };
  const { json } = await client.modern("slack", "tools/call", { name: "slack_send_message", arguments: given });
  const result = json.result as NonNullable<typeof json.result>;
  const { code, retryAfterSeconds } = result.isError ? result._meta["switchyard/error"] : { code: "fine" };
  return { code, retryAfterSeconds, text: result.content[0]?.text ?? "" };
}

const read = async ({ id }: Account) => (await mcp.owner.browser.get(`${path}/${id}`)).body;
const listed = async ({ id }: Account) =>
  (await mcp.owner.browser.get(path)).body.data.find((one: Account) => one.id === id);
/** As if the pause were over. */
const endPause = ({ id }: Account) =>
  mcp.app.database.query("UPDATE credential SET refresh_paused_until = now() WHERE id = $1", [id]);

/** Keeps a pause from ending while the test is slow; makes none. */
const prolongPause = ({ id }: Account) =>
  mcp.app.database.query(
    "UPDATE credential SET refresh_paused_until = refresh_paused_until + interval '1 hour' WHERE id = $1",
    [id],
  );

/** How long it is until the next try, to the second. */
async function pauseOf({ id }: Account): Promise<number | undefined> {
  const [row] = await mcp.app.database.query<{ left: number }>(
    "SELECT extract(epoch FROM refresh_paused_until - now())::float8 AS left FROM credential WHERE id = $1",
    [id],
  );
  return row?.left === undefined ? undefined : Math.ceil(row.left);
}

/** To tell it from the pauses before and after it, however busy the machine is. */
const near = (seconds: number) =>
  expect.toSatisfy((left: number) => left > seconds / 2 && left <= seconds, `about ${seconds} s`);
const fail = (status: number, body: unknown = {}, headers: Record<string, string> = {}) => {
  provider.answerToken = () => ({ status, body: JSON.stringify(body), headers });
};

describe("after a refresh that failed", () => {
  it.each([
    { title: "the provider is down", status: 503, body: {}, requests: 2 },
    {
      title: "the client is refused",
      status: 401,
      body: { error: "invalid_client", error_description: "unknown client" },
      requests: 1,
    },
    { title: "the provider answers anything", status: 200, body: { hello: 1 }, requests: 1 },
  ])(
    "the provider is left alone by every process, and calls are refused at once ($title)",
    async ({ status, body, requests }) => {
      const account = await connect();
      fail(status, body);
      expect(await call(here, account)).toMatchObject({ code: "provider_error" });
      expect(provider.tokenRequests).toHaveLength(requests);
      await prolongPause(account);
      for (const client of [here, there, here, there])
        expect(await call(client, account)).toMatchObject({ code: "credential_refresh_paused" });
      expect([provider.tokenRequests.length, provider.apiRequests.length]).toEqual([requests, 0]);
    },
  );

  it("a call is told since when, why, and when the next try is, without a secret", async () => {
    const data = provider.connection();
    const account = await mcp.app.parts.vault.credentials.create(mcp.owner.organizationId, {
      type: "slack",
      name: "My account",
      createdBy: null,
      data: { kind: "oauth2", ...data },
    });
    fail(401, { error: "invalid_client", error_description: `no ${data.clientSecret} with ${data.refreshToken}` });
    await call(here, account);
    const { text, retryAfterSeconds } = await call(there, account);
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
    expect(text).toMatch(new RegExp(`^Refreshing the token of the credential "My account" has failed since ${time}: `));
    expect(text).toContain("Slack refused the call (401 invalid_client): no [secret] with [secret].");
    expect(text).toMatch(new RegExp(`The next try is in [1-5] s, at ${time}\\. `));
    expect(text).toContain(`/o/${mcp.owner.organizationId}/credentials/${account.id}`);
    const [checked] = await second.parts.vault.check(mcp.owner.organizationId, { slack: account.reference }, ["slack"]);
    const failure = await second.parts.vault
      .open(checked as NonNullable<typeof checked>)
      .catch((error: unknown) => error);
    expect(retryAfterSeconds).toEqual(near(5));
    expect(failure).toMatchObject({ status: 502, headers: { "Retry-After": expect.stringMatching(/^[1-5]$/) } });
  });

  it("the pause doubles from 5 seconds to 10 minutes, and all of it counts from the first failure", async () => {
    const account = await connect();
    fail(503);
    const pauses: number[] = [];
    let since: string | undefined;
    for (const client of [here, there, here, there, here, there, here, there, here]) {
      expect(await call(client, account)).toMatchObject({ code: "provider_error" });
      pauses.push((await pauseOf(account)) ?? 0);
      const { refreshFailure } = await read(account);
      since ??= refreshFailure.since;
      expect(refreshFailure.since).toBe(since);
      await endPause(account);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600].map(near));
  });

  it("those who waited for it do not try one after the other", async () => {
    const account = await connect();
    const gate = Promise.withResolvers<void>();
    provider.gate = gate.promise;
    fail(400, { error: "invalid_client" });
    const calls = [here, there, here, there, there].map((client) => call(client, account));
    await expect.poll(() => provider.tokenRequests.length).toBe(1);
    gate.resolve();
    const codes = (await Promise.all(calls)).map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set(["provider_error", "credential_refresh_paused"]));
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("only one process tries when the pause is over", async () => {
    const account = await connect();
    fail(503);
    await call(here, account);
    await endPause(account);
    provider.reset();
    provider.delayMs = 200;
    provider.answerApi = () => ({ body: JSON.stringify({ ok: true, channel: "C1", ts: "1503435956.000247" }) });
    const answers = await Promise.all([here, there, here, there].map((client) => call(client, account)));
    expect(answers.map(({ code }) => code)).toEqual(["fine", "fine", "fine", "fine"]);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("no pause is made where the provider was not asked", async () => {
    const { clientId: _, clientSecret: __, ...data } = provider.connection();
    const account = await mcp.app.parts.vault.credentials.create(mcp.owner.organizationId, {
      type: "slack",
      name: "No client",
      createdBy: null,
      data: { kind: "oauth2", ...data },
    });
    for (const client of [here, there])
      expect(await call(client, account)).toMatchObject({ code: "validation_failed" });
    expect(await read(account)).toMatchObject({ refreshFailure: null });
  });
});

describe("Retry-After of the token endpoint", () => {
  it.each([
    { status: 429, after: "90", pause: 90 },
    { status: 503, after: "1", pause: 5 },
    { status: 503, after: "99999999", pause: 86_400 },
  ])(
    "of $after s with $status makes a pause of $pause s, and it is not asked a second time before",
    async ({ status, after, pause }) => {
      const account = await connect();
      fail(status, {}, { "retry-after": after });
      await call(here, account);
      expect(provider.tokenRequests).toHaveLength(1);
      expect(await pauseOf(account)).toEqual(near(pause));
      expect(await call(there, account)).toMatchObject({ code: "credential_refresh_paused" });
      expect(provider.tokenRequests).toHaveLength(1);
    },
  );
});

describe("the pause is over", () => {
  const failOnce = async () => {
    const account = await connect();
    fail(503);
    await call(here, account);
    await prolongPause(account);
    provider.answerToken = undefined;
    provider.tokenRequests = [];
    return account;
  };

  it("and forgotten when a refresh works", async () => {
    const account = await failOnce();
    await endPause(account);
    expect(await call(there, account)).toMatchObject({ code: "fine" });
    expect(await read(account)).toMatchObject({ health: "ok", refreshFailure: null, lastError: null });
    await mcp.app.database.query("UPDATE credential SET token_expires_at = now() WHERE id = $1", [account.id]);
    fail(503);
    await call(here, account);
    expect(await pauseOf(account)).toEqual(near(5));
  });

  it("when a person connects the account again", async () => {
    const account = await failOnce();
    const { body } = await mcp.owner.browser.post(`${path}/${account.id}/connect`);
    provider.codes.add("the-code");
    const state = new URL(body.authorizeUrl).searchParams.get("state") ?? "";
    await mcp.owner.browser.get(`/api/oauth/callback?${new URLSearchParams({ state, code: "the-code" })}`);
    expect(await read(account)).toMatchObject({ health: "ok", refreshFailure: null });
    expect(await call(there, account)).toMatchObject({ code: "fine" });
  });

  it("when a person changes what is sent to the provider, and not when the account is renamed", async () => {
    const account = await failOnce();
    await mcp.owner.browser.patch(`${path}/${account.id}`, { name: "Renamed" });
    expect(await call(there, account)).toMatchObject({ code: "credential_refresh_paused" });
    expect(provider.tokenRequests).toHaveLength(0);
    await mcp.owner.browser.patch(`${path}/${account.id}`, { data: { clientSecret: "another-secret" } });
    expect(await call(there, account)).toMatchObject({ code: "fine" });
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("and the account must be connected again when the provider then says so", async () => {
    const account = await failOnce();
    await endPause(account);
    fail(400, { error: "invalid_grant" });
    for (const client of [here, there])
      expect(await call(client, account)).toMatchObject({ code: "credential_needs_reconnect" });
    expect(provider.tokenRequests).toHaveLength(1);
    expect(await read(account)).toMatchObject({ health: "needs_reconnect", refreshFailure: null });
  });
});

describe("the health of an account whose refresh failed", () => {
  it("is failing when its token is over, with since when, why and the next try", async () => {
    const account = await connect();
    fail(503);
    await call(here, account);
    const stored = await read(account);
    expect(stored).toMatchObject({ health: "failing", refreshFailure: { reason: expect.stringContaining("503") } });
    const { since, nextTryAt } = stored.refreshFailure;
    expect(Date.parse(nextTryAt) - Date.parse(since)).toBe(5000);
    expect(await listed(account)).toMatchObject({ health: "failing" });
  });

  it("shows that the token ends soon while it is valid: calls use it, and the provider is not asked again", async () => {
    const account = await connect(minutes(4));
    fail(503);
    for (const client of [here, there, here]) expect(await call(client, account)).toMatchObject({ code: "fine" });
    expect(provider.tokenRequests).toHaveLength(2);
    expect(await listed(account)).toMatchObject({ health: "expiring" });
    expect(await read(account)).toMatchObject({ refreshFailure: { reason: expect.stringContaining("503") } });
  });

  it("is failing when the provider refuses a token that should be valid, until a call works again", async () => {
    const account = await connect(minutes(60));
    fail(503);
    provider.answerApi = () => ({ body: JSON.stringify({ ok: false, error: "token_expired" }) });
    expect(await call(here, account)).toMatchObject({ code: "provider_error" });
    expect(await call(there, account)).toMatchObject({ code: "credential_refresh_paused" });
    expect(provider.tokenRequests).toHaveLength(2);
    expect(await listed(account)).toMatchObject({ health: "failing" });
    provider.answerApi = () => ({ body: JSON.stringify({ ok: true, channel: "C1", ts: "1503435956.000247" }) });
    expect(await call(here, account)).toMatchObject({ code: "fine" });
    await expect.poll(async () => (await listed(account)).health).toBe("ok");
  });

  it("is what a test of the connection says, without asking the provider", async () => {
    const account = await connect();
    fail(503);
    await call(here, account);
    const { body } = await mcp.owner.browser.post(`${path}/${account.id}/test`);
    expect(body).toMatchObject({
      ok: false,
      health: "failing",
      message: expect.stringContaining("The next try is in"),
    });
    expect(provider.tokenRequests).toHaveLength(2);
    expect(await read(account)).toMatchObject({ lastError: "Slack refused the call (503): no token was given." });
    await endPause(account);
    provider.answerToken = undefined;
    expect((await mcp.owner.browser.post(`${path}/${account.id}/test`)).body).toMatchObject({ ok: true, health: "ok" });
  });
});
