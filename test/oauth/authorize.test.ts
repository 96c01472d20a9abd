import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { createOAuthBrowser } from "../support/oauth/oauth-browser.ts";
import {
  connectClient,
  createChallenge,
  type OAuthParameters,
  openConsent,
  redirectUri,
} from "../support/oauth/oauth-client.ts";

let oauth: OAuthApp;
let clientId: string;
beforeAll(async () => {
  oauth = await startOAuthApp();
  clientId = String(
    (await oauth.client.register({ redirect_uris: [redirectUri, "https://app.example/callback"] })).body.client_id,
  );
});
afterAll(() => oauth.stop());

const requestOf = (changes: OAuthParameters = {}): OAuthParameters => ({
  response_type: "code",
  client_id: clientId,
  redirect_uri: redirectUri,
  state: "of the client",
  code_challenge: createChallenge().challenge,
  code_challenge_method: "S256",
  resource: oauth.client.resourceOf("platform"),
  ...changes,
});
const authorize = async (changes: OAuthParameters = {}) => {
  const answer = await createOAuthBrowser().get(oauth.client.authorizeUrl(requestOf(changes)));
  return { ...answer, query: URL.parse(answer.location)?.searchParams ?? new URLSearchParams() };
};
const consentOf = (changes: OAuthParameters = {}) =>
  openConsent(oauth.client.authorizeUrl(requestOf(changes)), oauth.ann);
const isConsent = ({ status, location }: { status: number; location: string }) =>
  status === 303 && location.includes("/oauth/consent/");

describe("the answer to a client", () => {
  it("carries its state and our issuer, with a code and with an error", async () => {
    const issuer = oauth.app.config.oauth.issuerUrl;
    const { answer, resumed } = await (await consentOf()).answer({
      approve: true,
      organizationId: oauth.ann.organizationId,
    });
    expect(resumed.location.startsWith(`${redirectUri}?`)).toBe(true);
    expect([answer.get("state"), answer.get("iss"), answer.get("code")?.length]).toEqual(["of the client", issuer, 43]);
    const denied = await (await consentOf()).answer({ approve: false });
    expect(Object.fromEntries(denied.answer)).toMatchObject({
      error: "access_denied",
      state: "of the client",
      iss: issuer,
    });
    const wrong = await authorize({ code_challenge: "short" });
    expect(Object.fromEntries(wrong.query)).toMatchObject({
      error: "invalid_request",
      state: "of the client",
      iss: issuer,
    });
  });

  it.each([
    ["no challenge", { code_challenge: undefined, code_challenge_method: undefined }],
    ["a plain challenge", { code_challenge_method: "plain" }],
    ["a challenge of no method", { code_challenge_method: undefined }],
    ["a short challenge", { code_challenge: "short" }],
  ])("is an error for %s", async (_, changes) => {
    const { location, query } = await authorize(changes);
    expect([location.startsWith(redirectUri), query.get("error")]).toEqual([true, "invalid_request"]);
  });

  it.each(["token", "id_token", "code id_token", "none"])(
    "is an error for the response type %s",
    async (response_type) => {
      expect((await authorize({ response_type })).location).toContain("error=unsupported_response_type");
    },
  );

  it.each(["fragment", "form_post", "nonsense"])("is an error for the response mode %s", async (response_mode) => {
    const { query } = await authorize({ response_mode });
    expect(query.get("error")).toBe("unsupported_response_mode");
  });
});

describe("a page, and never a redirect,", () => {
  it.each<[string, OAuthParameters]>([
    ["an unknown client", { client_id: "unknown" }],
    ["no client", { client_id: undefined }],
    ["an address that was not registered", { redirect_uri: "https://evil.example/callback" }],
    ["another path", { redirect_uri: "http://localhost:8787/other" }],
    ["another loopback host", { redirect_uri: "http://127.0.0.1:8787/callback" }],
    ["https on loopback", { redirect_uri: "https://localhost:8787/callback" }],
    ["another port of a web address", { redirect_uri: "https://app.example:444/callback" }],
    ["script", { redirect_uri: "javascript:alert(1)" }],
    ["two addresses", { redirect_uri: [redirectUri, "https://evil.example/"] }],
  ])("answers %s", async (_, changes) => {
    const { status, location, headers, text } = await authorize(changes);
    expect([status, location, headers.get("content-type")]).toEqual([400, "", "text/html; charset=utf-8"]);
    expect(text).toContain("This connection cannot be made");
    expect(text).not.toContain("evil.example");
  });

  it("shows what came as text", async () => {
    const { text } = await authorize({ client_id: "<script>alert(1)</script>" });
    expect(text).not.toContain("<script>");
  });

  it.each(["localhost", "127.0.0.1", "[::1]"])("is not needed for any port of %s", async (host) => {
    const registered = await oauth.client.register({ redirect_uris: [`http://${host}/callback`] });
    const client_id = String(registered.body.client_id);
    expect(isConsent(await authorize({ client_id, redirect_uri: `http://${host}:54321/callback` }))).toBe(true);
    for (const other of [
      "http://localhost:1/callback",
      "http://127.0.0.1:1/callback",
      "http://[::1]:1/callback",
    ].filter((one) => !one.includes(`//${host}:`)))
      expect((await authorize({ client_id, redirect_uri: other })).status, other).toBe(400);
  });
});

describe("the resource", () => {
  const withHost = (change: (text: string) => string) => change(oauth.client.resourceOf("platform"));

  it("may be left out: then the user picks the server, and the token is for that one only", async () => {
    const consent = await consentOf({ resource: undefined, scope: "platform:read" });
    const { body } = await consent.read();
    expect([body.server, body.scopes]).toEqual([null, []]);
    expect(body.servers.map(({ id }) => id).sort()).toEqual(onDisk.serverIds);
    expect(body.servers.find(({ id }) => id === "platform")?.scopes.map(({ name }) => name)).toEqual(["platform:read"]);
    expect(body.servers.find(({ id }) => id === "slack")?.scopes.map(({ name }) => name)).toEqual(["mcp:invoke"]);
    expect(
      (await consent.decide({ approve: true, organizationId: oauth.ann.organizationId })).body.errors[0].pointer,
    ).toBe("/serverId");
    expect(
      (await consent.decide({ approve: true, organizationId: oauth.ann.organizationId, serverId: "nowhere" })).status,
    ).toBe(400);
    const { mcp, tokens, refresh } = await connectClient(oauth.client, oauth.ann, {
      serverId: "slack",
      clientId,
      noResource: true,
    });
    expect([
      (await mcp.modern("slack", "tools/list")).status,
      (await mcp.modern("github", "tools/list")).status,
    ]).toEqual([200, 401]);
    const renewed = await refresh(tokens.refresh_token);
    expect((await oauth.client.use(renewed.body.access_token).modern("slack", "tools/list")).status).toBe(200);
  });

  it("is the same with a slash at the end, or capital letters in the host", async () => {
    for (const change of [
      (text: string) => `${text}/`,
      (text: string) => text.replace("localhost", "LOCALHOST").replace("http:", "HTTP:"),
    ]) {
      const resource = withHost(change);
      expect(isConsent(await authorize({ resource })), resource).toBe(true);
      expect((await (await consentOf({ resource })).read()).body.server?.id).toBe("platform");
    }
    expect(isConsent(await authorize({ resource: [withHost((text) => text), withHost((text) => `${text}/`)] }))).toBe(
      true,
    );
  });

  it.each<[string, () => string | string[]]>([
    ["an unknown server", () => oauth.client.resourceOf("nowhere")],
    ["another host", () => "https://evil.example/platform/mcp"],
    ["a fragment", () => withHost((text) => `${text}#part`)],
    ["a query", () => withHost((text) => `${text}?a=b`)],
    ["the gateway as a whole", () => oauth.app.gatewayUrl],
    ["no address", () => "platform"],
    ["two servers", () => [oauth.client.resourceOf("platform"), oauth.client.resourceOf("slack")]],
  ])("is refused when it is %s", async (_, resource) => {
    const { location, query } = await authorize({ resource: resource() });
    expect([location.startsWith(redirectUri), query.get("error")]).toEqual([true, "invalid_target"]);
  });
});

describe("the scope", () => {
  it.each([
    ["is that of the server when it is left out", undefined, ["platform:read", "platform:write"]],
    ["is what was asked for", "platform:read", ["platform:read"]],
    ["leaves out what belongs to other servers", "mcp:invoke platform:read", ["platform:read"]],
    ["leaves out what nobody knows", "openid admin platform:read", ["platform:read"]],
    ["may begin with a space", "  platform:write", ["platform:write"]],
    ["tolerates offline_access", "offline_access platform:read", ["platform:read"]],
    ["is that of the server when nothing of it is known", "openid offline_access", ["platform:read", "platform:write"]],
  ])("%s", async (_, scope, expected) => {
    const { body } = await (await consentOf({ scope })).read();
    expect(body.scopes.map(({ name }) => name)).toEqual(expected);
  });
});

describe("prompt", () => {
  it("none is answered with login_required, because a person is asked every time", async () => {
    expect((await authorize({ prompt: "none" })).query.get("error")).toBe("login_required");
  });

  it.each(["login", "consent", "select_account", "login consent"])("%s is accepted", async (prompt) => {
    const { answer } = await (await consentOf({ prompt })).answer({
      approve: true,
      organizationId: oauth.ann.organizationId,
    });
    expect(answer.get("code")).toHaveLength(43);
  });

  it("and what belongs to OpenID Connect does no harm", async () => {
    expect(isConsent(await authorize({ nonce: "n", max_age: "0", id_token_hint: "x", claims: "{" }))).toBe(true);
  });
});
