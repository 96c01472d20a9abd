import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAddressRules } from "../../src/base/address-rules.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createSafeFetch } from "../../src/base/safe-fetch.ts";
import { createTracing, type FinishedSpan } from "../../src/base/tracing.ts";
import { createActionCall } from "../../src/calls/action-call.ts";
import type { OpenedCredential } from "../../src/vault/open-credential.ts";
import type { Vault } from "../../src/vault/vault.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { fakeCredentialTypes } from "../support/vault/fake-credentials.ts";

let app: TestApp;
let second: TestApp;
let provider: FakeOAuth;
let organizationId: string;
let ann: Awaited<ReturnType<typeof signUpOwner>>;

beforeAll(async () => {
  provider = await startFakeOAuth();
  const options = { credentialTypes: fakeCredentialTypes, environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } };
  app = await startTestApp(options);
  second = await startTestApp({ ...options, database: app.database });
  ann = await signUpOwner(app, "Ann");
  ({ organizationId } = ann);
});
beforeEach(() => provider.reset());
afterAll(async () => {
  await second.stop();
  await app.stop();
  await provider.stop();
});

const safeFetch = createSafeFetch({ addressRules: createAddressRules({ allowedCidrs: ["127.0.0.0/8"] }) });

const create = (data: Record<string, unknown>, type = "fake_json") =>
  app.parts.vault.credentials.create(organizationId, {
    type,
    name: "My connection",
    data: type === "fake_oauth" ? { kind: "oauth2", ...data } : data,
    createdBy: null,
  });

async function open(vault: Vault, { reference, type }: { reference: string; type: string }): Promise<OpenedCredential> {
  const [checked] = await vault.check(organizationId, { [type]: reference }, [type]);
  return await vault.open(checked as NonNullable<typeof checked>);
}
const use = (credential: OpenedCredential) =>
  createActionCall(
    { fetch: safeFetch, resolveHost: async (host) => host, clock: systemClock },
    {
      organizationId: null,
      provider: "Fake",
      input: {},
      credential,
      isResendable: false,
      signal: AbortSignal.timeout(10_000),
      idempotencyKey: "x",
    },
  ).http.json({ path: "/me" });
const read = (id: string) => app.parts.vault.credentials.get({ organizationId, credentialId: id });
const minutes = (count: number) => new Date(Date.now() + count * 60_000);

describe("a token that has expired", () => {
  it("is refreshed again and again with the refresh token of the time before", async () => {
    provider.expiresInSeconds = 1;
    const made = await create(provider.connection());
    for (let round = 1; round <= 3; round++) {
      expect(await use(await open(round % 2 ? app.parts.vault : second.parts.vault, made))).toEqual({
        account: "acme",
      });
      expect(provider.tokenRequests).toHaveLength(round);
    }
  });

  it("is a span in the trace of the call that needed it", async () => {
    provider.expiresInSeconds = 1;
    const { reference, type } = await create(provider.connection());
    const ended: FinishedSpan[] = [];
    const trace = createTracing({
      sampler: { ratio: 1, isParentBased: true },
      onEnd: (span) => void ended.push(span),
    }).follow();
    const [checked] = await app.parts.vault.check(organizationId, { [type]: reference }, [type]);
    await app.parts.vault.open(checked as NonNullable<typeof checked>, { trace });
    expect(ended).toMatchObject([
      { name: "token refresh", kind: "client", traceId: trace.traceId, facts: { "switchyard.provider": type } },
    ]);
  });

  it("keeps the refresh token when the provider gives no new one", async () => {
    Object.assign(provider, { rotates: false, expiresInSeconds: 1 });
    const data = provider.connection();
    const made = await create(data);
    await open(app.parts.vault, made);
    await open(app.parts.vault, made);
    expect(provider.tokenRequests.map(({ parameters }) => parameters.refresh_token)).toEqual([
      data.refreshToken,
      data.refreshToken,
    ]);
  });

  it("is stored sealed, and without an end when the provider names none", async () => {
    provider.expiresInSeconds = undefined;
    const made = await create(provider.connection());
    const opened = await open(app.parts.vault, made);
    const [row] = await app.database.query(
      "SELECT credential::text AS dump, encode(sealed, 'escape') AS sealed FROM credential WHERE id = $1",
      [made.id],
    );
    expect(JSON.stringify(row)).not.toMatch(/access-|refresh-/);
    expect(await read(made.id)).toMatchObject({ tokenExpiresAt: null });
    await open(app.parts.vault, made);
    expect(provider.tokenRequests).toHaveLength(1);
    expect(opened.secrets()).toEqual(expect.arrayContaining([opened.data().accessToken, opened.data().refreshToken]));
  });
});

describe("refreshing in time", () => {
  it("begins five minutes early and not before", async () => {
    await open(app.parts.vault, await create(provider.connection(minutes(6))));
    expect(provider.tokenRequests).toHaveLength(0);
    await open(app.parts.vault, await create(provider.connection(minutes(4))));
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("goes on with the old token while it is valid when the provider is down, after one more try", async () => {
    provider.answerToken = () => ({ status: 503, body: "down" });
    const data = provider.connection(minutes(4));
    const made = await create(data);
    expect((await open(app.parts.vault, made)).data().accessToken).toBe(data.accessToken);
    expect(provider.tokenRequests).toHaveLength(2);
    expect(await read(made.id)).toMatchObject({ lastError: expect.stringContaining("503") });
  });

  it("says that the provider failed when the old token is over, and works again when the provider does", async () => {
    const made = await create(provider.connection());
    provider.answerToken = () => ({ status: 500, body: "down" });
    await expect(open(app.parts.vault, made)).rejects.toMatchObject({ code: "provider_error" });
    provider.answerToken = undefined;
    await app.database.query("UPDATE credential SET refresh_paused_until = now() WHERE id = $1", [made.id]);
    expect(await use(await open(app.parts.vault, made))).toEqual({ account: "acme" });
  });
});

describe("a token that the provider refuses", () => {
  it("is replaced once after a 401, and both tokens count as secrets of the call", async () => {
    const data = provider.connection(minutes(60));
    const opened = await open(app.parts.vault, await create(data));
    provider.accessTokens.delete(data.accessToken);
    expect(await use(opened)).toEqual({ account: "acme" });
    expect(provider.tokenRequests).toHaveLength(1);
    expect(opened.secrets()).toEqual(expect.arrayContaining([data.accessToken, opened.data().accessToken]));
  });

  it("is not refreshed again when somebody has already replaced it", async () => {
    const data = provider.connection(minutes(60));
    const made = await create(data);
    const [one, other] = [await open(app.parts.vault, made), await open(second.parts.vault, made)];
    provider.accessTokens.delete(data.accessToken);
    expect(await use(one)).toEqual({ account: "acme" });
    expect(await use(other)).toEqual({ account: "acme" });
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("is not refreshed again when a slower request of the same call fails with the old one", async () => {
    const data = provider.connection(minutes(60));
    const opened = await open(app.parts.vault, await create(data));
    provider.accessTokens.delete(data.accessToken);
    expect(await use(opened)).toEqual({ account: "acme" });
    expect(await opened.refresh?.()).toBe(true);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("fails as refused when the new one is refused too", async () => {
    provider.answerApi = () => ({ status: 401, body: '{"message":"never"}' });
    const opened = await open(app.parts.vault, await create(provider.connection(minutes(60))));
    await expect(use(opened)).rejects.toMatchObject({ code: "provider_error" });
    expect(provider.tokenRequests).toHaveLength(1);
    expect(provider.apiRequests).toHaveLength(2);
  });
});

describe("a dead refresh token", () => {
  it.each(["invalid_grant", "bad_refresh_token"])(
    "(%s) marks the credential, and the error says where to reconnect",
    async (error) => {
      const data = provider.connection();
      const made = await create(data);
      provider.answerToken = ({ parameters }) => ({
        status: 400,
        body: JSON.stringify({ error, error_description: `dead: ${parameters.refresh_token} ${data.accessToken}` }),
      });
      const failure = (await open(app.parts.vault, made).catch((refusal: unknown) => refusal)) as Error;
      expect(failure).toMatchObject({ code: "credential_needs_reconnect", status: 409 });
      expect(failure.message).toBe(
        `The credential "My connection" must be connected again: ${app.platformUrl}/o/${organizationId}/credentials/${made.id}`,
      );
      const stored = await read(made.id);
      expect(stored).toMatchObject({ health: "needs_reconnect", lastError: expect.stringContaining(error) });
      for (const token of [data.refreshToken, data.accessToken]) expect(JSON.stringify(stored)).not.toContain(token);
      await expect(open(second.parts.vault, made)).rejects.toMatchObject({ code: "credential_needs_reconnect" });
      expect(provider.tokenRequests).toHaveLength(1);
    },
  );

  it.each([
    ["Atlassian", 403, { error: "unauthorized_client", error_description: "refresh_token is invalid" }],
    ["HubSpot", 400, { status: "BAD_REFRESH_TOKEN", message: "missing or unknown refresh token", correlationId: "c" }],
    [
      "Microsoft",
      400,
      { error: "interaction_required", error_description: "AADSTS50076: you must use multi-factor authentication." },
    ],
    [
      "GitHub",
      200,
      { error: "bad_refresh_token", error_description: "The refresh token passed is incorrect or expired." },
    ],
  ])("is told by %s in its own form", async (_, status, body) => {
    const made = await create(provider.connection());
    provider.answerToken = () => ({ status, body: JSON.stringify(body) });
    await expect(open(app.parts.vault, made)).rejects.toMatchObject({ code: "credential_needs_reconnect" });
    expect(await read(made.id)).toMatchObject({ health: "needs_reconnect" });
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("is not what a client that may not refresh is told", async () => {
    const made = await create(provider.connection());
    provider.answerToken = () => ({
      status: 400,
      body: '{"error":"unauthorized_client","error_description":"The client may not do this."}',
    });
    await expect(open(app.parts.vault, made)).rejects.not.toMatchObject({ code: "credential_needs_reconnect" });
    expect((await read(made.id)).health).not.toBe("needs_reconnect");
  });

  it("is told with status 200 by some", async () => {
    provider.answerToken = () => ({ body: '{"ok":false,"error":"invalid_refresh_token"}' });
    await expect(open(app.parts.vault, await create(provider.connection()))).rejects.toMatchObject({
      code: "credential_needs_reconnect",
    });
  });
});

describe("a change while a token is being refreshed", () => {
  it("and the rotated refresh token are both kept", async () => {
    const made = await create(provider.connection(), "fake_oauth");
    provider.delayMs = 300;
    const opening = open(app.parts.vault, made);
    await expect.poll(() => provider.tokenRequests.length).toBe(1);
    await app.parts.vault.credentials.update(
      { organizationId, credentialId: made.id },
      { name: "Renamed", data: { account: "changed" } },
    );
    const opened = await opening;
    expect(opened.data().account).toBe("changed");
    expect(provider.refreshTokens).toContain(opened.data().refreshToken);
    const again = await open(second.parts.vault, made);
    expect(again.data()).toEqual(opened.data());
  });

  /** The refresh token would be dead to a provider that sees it twice. */
  it("lets nobody else send the same refresh token", async () => {
    const made = await create(provider.connection(), "fake_oauth");
    const gate = Promise.withResolvers<void>();
    provider.gate = gate.promise;
    const opening = open(app.parts.vault, made);
    await expect.poll(() => provider.tokenRequests.length).toBe(1);
    const { status } = await ann.browser.patch(`/api/organizations/${organizationId}/credentials/${made.id}`, {
      data: { account: "changed" },
    });
    expect(status).toBe(200);
    const other = open(second.parts.vault, made);
    await Promise.race([other, delay(500)]);
    expect(provider.tokenRequests).toHaveLength(1);
    gate.resolve();
    const [first, later] = await Promise.all([opening, other]);
    expect(first.data()).toEqual(later.data());
    expect(later.data()).toMatchObject({ account: "changed", accessToken: provider.issued.at(-1) });
    expect(provider.refreshTokens).toContain(later.data().refreshToken);
    expect(await use(later)).toEqual({ account: "acme" });
    expect([provider.tokenRequests.length, provider.deadGrants]).toEqual([1, []]);
    expect(await read(made.id)).toMatchObject({ health: "ok", data: { account: "changed" } });
  });

  it("to another access token wins over the refreshed one, and the rotated refresh token is kept", async () => {
    const made = await create(provider.connection());
    const gate = Promise.withResolvers<void>();
    provider.gate = gate.promise;
    const opening = open(app.parts.vault, made);
    await expect.poll(() => provider.tokenRequests.length).toBe(1);
    const { accessToken } = provider.connection();
    await app.parts.vault.credentials.update(
      { organizationId, credentialId: made.id },
      { data: { accessToken, expiresAt: minutes(60).toISOString() } },
    );
    gate.resolve();
    const { accessToken: taken, refreshToken } = (await opening).data();
    expect(taken).toBe(accessToken);
    expect(provider.refreshTokens).toContain(refreshToken);
    expect((await open(second.parts.vault, made)).data()).toMatchObject({ accessToken, refreshToken });
    expect((await read(made.id)).tokenExpiresAt).not.toBeNull();
  });

  it("is no reason to wait when the refresh failed", async () => {
    const made = await create(provider.connection(), "fake_oauth");
    const gate = Promise.withResolvers<void>();
    provider.gate = gate.promise;
    provider.answerToken = () => (provider.tokenRequests.length <= 2 ? { status: 503, body: "down" } : undefined);
    const opening = open(app.parts.vault, made);
    await expect.poll(() => provider.tokenRequests.length).toBe(1);
    await app.parts.vault.credentials.update(
      { organizationId, credentialId: made.id },
      { data: { account: "changed" } },
    );
    gate.resolve();
    await expect(opening).rejects.toMatchObject({ code: "provider_error" });
    expect((await open(second.parts.vault, made)).data().account).toBe("changed");
  });

  it("to other tokens wins over the refreshed ones", async () => {
    const made = await create(provider.connection());
    provider.delayMs = 300;
    const opening = open(app.parts.vault, made);
    await expect.poll(() => provider.tokenRequests.length).toBe(1);
    const { accessToken, refreshToken } = provider.connection();
    await app.parts.vault.credentials.update(
      { organizationId, credentialId: made.id },
      { data: { accessToken, refreshToken, expiresAt: minutes(60).toISOString() } },
    );
    expect((await opening).data().accessToken).toBe(accessToken);
  });
});

describe("the token endpoint", () => {
  it("is asked in the body, as a form", async () => {
    await open(app.parts.vault, await create(provider.connection(), "fake_oauth"));
    const [request] = provider.tokenRequests;
    expect(request?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(request?.parameters).toMatchObject({
      grant_type: "refresh_token",
      client_id: "client",
      client_secret: "client-secret-value",
    });
  });

  it("is asked with Basic, JSON and further headers", async () => {
    await open(app.parts.vault, await create(provider.connection()));
    const [request] = provider.tokenRequests;
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "x-version": "7",
      authorization: `Basic ${Buffer.from("client:client-secret-value").toString("base64")}`,
    });
    expect(Object.keys(request?.parameters ?? {}).sort()).toEqual(["grant_type", "refresh_token"]);
  });

  it("may answer with a form", async () => {
    provider.answerToken = () => ({
      type: "application/x-www-form-urlencoded",
      body: "access_token=from-form&token_type=bearer&expires_in=60",
    });
    expect((await open(app.parts.vault, await create(provider.connection()))).data().accessToken).toBe("from-form");
  });

  it.each([1e300, -5, "3600", "soon"])("may name any end: %j", async (expiresIn) => {
    provider.answerToken = () => ({
      body: JSON.stringify({ access_token: "fresh-token", refresh_token: "next-token", expires_in: expiresIn }),
    });
    expect((await open(app.parts.vault, await create(provider.connection()))).data()).toMatchObject({
      accessToken: "fresh-token",
      refreshToken: "next-token",
    });
  });

  it("may put anything into its error", async () => {
    provider.answerToken = () => ({
      status: 400,
      body: JSON.stringify({ error: "x", error_description: `a\0b\ud800${"c".repeat(9000)}` }),
    });
    const made = await create(provider.connection());
    await expect(open(app.parts.vault, made)).rejects.toMatchObject({ code: "provider_error" });
    expect((await read(made.id)).lastError).toContain("a\ufffdb\ufffdccc");
  });

  it.each(["", "<html>", "[]", "null", '{"access_token":""}', '{"access_token":{}}'])(
    "is not believed when it answers %j",
    async (body) => {
      provider.answerToken = () => ({ body });
      await expect(open(app.parts.vault, await create(provider.connection()))).rejects.toMatchObject({
        code: "provider_error",
      });
    },
  );
});
