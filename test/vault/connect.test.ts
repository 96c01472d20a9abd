import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { signIn, signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { fakeCredentialTypes } from "../support/vault/fake-credentials.ts";

let app: TestApp;
let provider: FakeOAuth;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  provider = await startFakeOAuth();
  app = await startTestApp({
    credentialTypes: fakeCredentialTypes,
    environment: {
      OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
      OAUTH_CLIENT_FAKE_JSON_ID: "shared-client",
      OAUTH_CLIENT_FAKE_JSON_SECRET: "shared-secret-value",
    },
  });
  ann = await signUpOwner(app, "Ann");
  path = `/api/organizations/${ann.organizationId}/credentials`;
});
beforeEach(() => provider.reset());
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

const client = () => ({
  clientId: "my-client",
  clientSecret: "my-client-secret",
  tokenUrl: `${provider.url}/token`,
  baseUrl: provider.url,
});

async function start(browser = ann.browser, data: Record<string, unknown> = client()) {
  const { status, body } = await browser.post(`${path}/connect`, { type: "fake_oauth", name: "New", data });
  expect([status, body.code]).toEqual([201, undefined]);
  const url = new URL(body.authorizeUrl);
  return { id: body.credentialId as string, url, state: url.searchParams.get("state") as string };
}

/** What the provider's consent page does: sends the browser back. */
function comeBack(state: string, rest: Record<string, string> = {}, browser = ann.browser) {
  const code = `code-${Math.random()}`;
  provider.codes.add(code);
  return browser.get(`/api/oauth/callback?${new URLSearchParams({ state, ...(rest.error ? {} : { code }), ...rest })}`);
}
const page = (id: string) => `${app.platformUrl}/o/${ann.organizationId}/credentials/${id}`;
const read = async (id: string) => (await ann.browser.get(`${path}/${id}`)).body;

describe("starting", () => {
  it("leads to the provider with everything it needs to know", async () => {
    const { url, state, id } = await start();
    expect(url.origin + url.pathname).toBe("https://login.fake.invalid/common/authorize");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      prompt: "consent",
      response_type: "code",
      client_id: "my-client",
      redirect_uri: `${app.platformUrl}/api/oauth/callback`,
      scope: "read,write",
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    expect(Buffer.from(state, "base64url")).toHaveLength(32);
    expect(await read(id)).toMatchObject({ health: "needs_reconnect", kind: "oauth2" });
    const [row] = await app.database.query(
      "SELECT oauth_state::text AS dump FROM oauth_state WHERE credential_id = $1",
      [id],
    );
    expect(JSON.stringify(row)).not.toContain(state);
  });

  it("asks for further scopes that the account has, each once", async () => {
    const { url } = await start(ann.browser, { ...client(), furtherScopes: "admin write,files:read" });
    expect(url.searchParams.get("scope")).toBe("read,write,admin,files:read");
  });

  it("keeps the scopes and parameters of an authorize address of one's own", async () => {
    const own = {
      authorizeUrl: "https://login.own.test/authorize?scope=openid%20mail&prompt=none&state=theirs&client_id=theirs",
    };
    const { url, state } = await start(ann.browser, { ...client(), ...own });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      scope: "openid mail",
      prompt: "none",
      client_id: "my-client",
      state,
    });
    const further = await start(ann.browser, { ...client(), ...own, furtherScopes: "files mail" });
    expect(further.url.searchParams.get("scope")).toBe("openid,mail,files");
    const spaced = { authorizeUrl: own.authorizeUrl.replace("mail", "mail%20") };
    const { url: together } = await start(ann.browser, { ...client(), ...spaced, furtherScopes: "files" });
    expect(together.searchParams.get("scope")).toBe("openid,mail,files");
  });

  it("fills fields into the address, each as one part of it", async () => {
    const { url } = await start(ann.browser, { ...client(), tenant: "a/../b?c" });
    expect(url.href).toMatch(/^https:\/\/login\.fake\.invalid\/a%2F\.\.%2Fb%3Fc\/authorize\?/);
  });

  it("needs a client, and leaves nothing behind without one", async () => {
    const before = (await ann.browser.get(path)).body.data.length;
    const problem = expectProblem(
      await ann.browser.post(`${path}/connect`, { type: "fake_oauth", name: "x", data: {} }),
      { status: 400 },
    );
    expect(problem.errors).toEqual([{ pointer: "/data/clientId", detail: "is required" }]);
    expect((await ann.browser.get(path)).body.data).toHaveLength(before);
  });

  it("takes the installation's client, but never for an address somebody typed in", async () => {
    const shared = await ann.browser.post(`${path}/connect`, { type: "fake_json", name: "x" });
    const url = new URL(shared.body.authorizeUrl);
    expect([
      url.searchParams.get("client_id"),
      url.searchParams.has("code_challenge"),
      url.searchParams.has("scope"),
    ]).toEqual(["shared-client", false, false]);
    const stolen = await ann.browser.post(`${path}/connect`, {
      type: "fake_json",
      name: "x",
      data: { tokenUrl: `${provider.url}/token` },
    });
    expect(expectProblem(stolen, { status: 400 }).errors?.[0]?.pointer).toBe("/data/clientId");
    expect(shared.text).not.toContain("shared-secret-value");
  });

  it("makes it the default of the organization when that is asked for, and leaves no default behind when it cannot start", async () => {
    const defaults = async () =>
      (await ann.browser.get(`/api/organizations/${ann.organizationId}/default-credentials`)).body.data;
    const request = { type: "fake_oauth", name: "Chosen", makeDefault: true };
    expectProblem(await ann.browser.post(`${path}/connect`, { ...request, data: {} }), { status: 400 });
    expect(await defaults()).toEqual([]);
    const { body } = await ann.browser.post(`${path}/connect`, { ...request, data: client() });
    expect(await defaults()).toMatchObject([{ type: "fake_oauth", credentialId: body.credentialId, apiKeyId: null }]);
    await start();
    expect(await defaults()).toMatchObject([{ credentialId: body.credentialId }]);
  });

  it("refuses a kind that is not connected", async () => {
    const { body } = await ann.browser.post(path, {
      type: "fake_oauth",
      name: "x",
      data: { kind: "bearer", accessToken: "some-token" },
    });
    expectProblem(await ann.browser.post(`${path}/${body.id}/connect`), { status: 400, code: "validation_failed" });
  });
});

describe("coming back", () => {
  it("exchanges the code, seals the tokens, completes the data and shows the credential", async () => {
    const { id, url, state } = await start();
    const { status, headers } = await comeBack(state);
    expect([status, headers.get("location")]).toEqual([302, page(id)]);
    const [request] = provider.tokenRequests;
    expect(request?.parameters).toMatchObject({
      grant_type: "authorization_code",
      redirect_uri: url.searchParams.get("redirect_uri"),
      client_secret: "my-client-secret",
    });
    const challenge = createHash("sha256")
      .update(request?.parameters.code_verifier ?? "")
      .digest("base64url");
    expect(challenge).toBe(url.searchParams.get("code_challenge"));
    expect(await read(id)).toMatchObject({
      health: "ok",
      tokenExpiresAt: expect.any(String),
      data: { accessToken: "••••••••", refreshToken: "••••••••", account: "acme" },
    });
    const dump =
      JSON.stringify(await app.database.query("SELECT credential::text AS dump FROM credential WHERE id = $1", [id])) +
      app.logLines.join("");
    for (const token of [...provider.accessTokens, ...provider.refreshTokens]) expect(dump).not.toContain(token);
  });

  it("connects again what needs it, with nothing of the old tokens", async () => {
    const { id, state } = await start();
    await comeBack(state);
    await app.database.query("UPDATE credential SET health = 'needs_reconnect' WHERE id = $1", [id]);
    const again = await ann.browser.post(`${path}/${id}/connect`);
    provider.answerToken = () => ({ body: '{"access_token":"second-token"}' });
    provider.accessTokens.add("second-token");
    await comeBack(new URL(again.body.authorizeUrl).searchParams.get("state") as string);
    const stored = await read(id);
    expect(stored).toMatchObject({ health: "ok", tokenExpiresAt: null });
    expect(stored.data).not.toHaveProperty("refreshToken");
  });

  it("takes a state once", async () => {
    const { id, state } = await start();
    expect((await comeBack(state)).headers.get("location")).toBe(page(id));
    expectProblem(await comeBack(state), { status: 400, code: "oauth_state_invalid" });
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("takes a state once also when the browser sends it ten times at the same moment", async () => {
    const { state } = await start();
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => comeBack(state)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([302, ...Array.from({ length: 9 }, () => 400)]);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("refuses a state of another person, of another session of the same person, and of nobody", async () => {
    const admin = await signUpMember(app, ann.organizationId, "Adam", "admin");
    const elsewhere = await signIn(app, ann.email);
    const { state, id } = await start();
    for (const browser of [admin.browser, elsewhere.browser])
      expectProblem(await comeBack(state, {}, browser), { status: 400, code: "oauth_state_invalid" });
    expectProblem(await comeBack(state, {}, app.browser()), { status: 401, code: "not_signed_in" });
    expectProblem(await comeBack("A".repeat(43)), { status: 400, code: "oauth_state_invalid" });
    expect(provider.tokenRequests).toHaveLength(0);
    expect((await comeBack(state)).headers.get("location")).toBe(page(id));
  });

  it("refuses a state after ten minutes", async () => {
    const { state, id } = await start();
    await app.database.query("UPDATE oauth_state SET expires_at = expires_at - interval '10 minutes'");
    expect((await comeBack(state)).headers.get("location")).toBe(`${page(id)}?problem=oauth_expired`);
    expect(provider.tokenRequests).toHaveLength(0);
  });

  it("refuses whoever is no longer an admin", async () => {
    const { browser, memberId } = await signUpMember(app, ann.organizationId, "Dora", "admin");
    const { state } = await start(browser);
    await ann.browser.patch(`/api/organizations/${ann.organizationId}/members/${memberId}`, { role: "member" });
    expect((await comeBack(state, {}, browser)).headers.get("location")).toBe(
      `${app.platformUrl}/?problem=role_required`,
    );
    expect(provider.tokenRequests).toHaveLength(0);
  });

  it("says that the person or the provider refused, in words of ours", async () => {
    for (const [error, problem] of [
      ["access_denied", "oauth_denied"],
      ["server_error<script>", "oauth_failed"],
    ] as const) {
      const { state, id } = await start();
      expect((await comeBack(state, { error })).headers.get("location")).toBe(`${page(id)}?problem=${problem}`);
    }
  });

  it("keeps what the provider said about a failed exchange, without the secrets it repeats", async () => {
    provider.answerToken = ({ parameters }) => ({
      status: 400,
      body: JSON.stringify({ error: "invalid_client", error_description: JSON.stringify(parameters) }),
    });
    const { state, id } = await start();
    expect((await comeBack(state)).headers.get("location")).toBe(`${page(id)}?problem=provider_error`);
    const stored = await read(id);
    expect(stored).toMatchObject({ health: "needs_reconnect", lastError: expect.stringContaining("invalid_client") });
    for (const secret of [
      "my-client-secret",
      provider.tokenRequests[0]?.parameters.code,
      provider.tokenRequests[0]?.parameters.code_verifier,
    ])
      expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it("keeps the tokens when reading the account fails, and says so", async () => {
    provider.answerApi = ({ authorization }) => ({
      status: 500,
      body: JSON.stringify({ message: `oops ${authorization}` }),
    });
    const { state, id } = await start();
    expect((await comeBack(state)).headers.get("location")).toBe(`${page(id)}?problem=provider_error`);
    const stored = await read(id);
    expect(stored).toMatchObject({
      health: "failing",
      data: { refreshToken: "••••••••" },
      lastError: expect.stringContaining("[secret]"),
    });
  });

  it("goes only to pages of ours, whatever the request asks for", async () => {
    const { state, id } = await start();
    const location = (
      await comeBack(state, {
        redirect: "https://evil.example",
        redirect_uri: "https://evil.example",
        next: "//evil.example",
      })
    ).headers.get("location");
    expect(location).toBe(page(id));
  });

  it("does not lead inside the network", async () => {
    const { state, id } = await start(ann.browser, { ...client(), tokenUrl: "http://169.254.169.254/token" });
    expect((await comeBack(state)).headers.get("location")).toBe(`${page(id)}?problem=outbound_refused`);
  });
});
