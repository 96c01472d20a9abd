import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { connectClient, createChallenge, openConsent, redirectUri } from "../support/oauth/oauth-client.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";

let oauth: OAuthApp;
beforeAll(async () => {
  oauth = await startOAuthApp({ environment: { MCP_OAUTH_ACCESS_TOKEN_TTL: "10m" } });
});
afterAll(() => oauth.stop());

const connect = (serverId = "slack") => connectClient(oauth.client, oauth.ann, { serverId });
const works = async (token: string, serverId = "slack") =>
  (await oauth.client.use(token).modern(serverId, "tools/list")).status === 200;
const query = (text: string, values: unknown[] = []) => oauth.app.database.query(text, values);

/** A client with a code that it has not used yet. */
async function receiveCode() {
  const { body } = await oauth.client.register({ redirect_uris: [redirectUri, `${redirectUri}/2`] });
  const { verifier: code_verifier, challenge } = createChallenge();
  const client_id = String(body.client_id);
  const request = {
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    resource: oauth.client.resourceOf("slack"),
  };
  const url = oauth.client.authorizeUrl({ ...request, code_challenge: challenge, code_challenge_method: "S256" });
  const { answer } = await (await openConsent(url, oauth.ann)).answer({
    approve: true,
    organizationId: oauth.ann.organizationId,
  });
  return {
    grant_type: "authorization_code",
    code: answer.get("code") ?? "",
    redirect_uri: redirectUri,
    client_id,
    code_verifier,
  };
}

describe("a code", () => {
  it("becomes a short-lived token for one server and a refresh token, which nobody may cache", async () => {
    const { status, body, headers } = await oauth.client.token(await receiveCode());
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 600, scope: "mcp:invoke" });
    expect([body.access_token.length, body.refresh_token.length]).toEqual([43, 43]);
    expect(body).not.toHaveProperty("id_token");
  });

  it.each([
    ["another verifier", { code_verifier: createChallenge().verifier }],
    ["no verifier", { code_verifier: undefined }],
    ["another address", { redirect_uri: `${redirectUri}/2` }],
    ["a made-up code", { code: "A".repeat(43) }],
  ])("is refused with %s", async (_, changes) => {
    const { status, body } = await oauth.client.token({ ...(await receiveCode()), ...changes });
    expect([status, body.error]).toEqual([400, "invalid_grant"]);
  });

  it("is refused to another client, and after a minute", async () => {
    const code = await receiveCode();
    const other = (await oauth.client.register({ redirect_uris: [redirectUri] })).body.client_id as string;
    expect((await oauth.client.token({ ...code, client_id: other })).body.error).toBe("invalid_grant");
    const [row] = await query(
      "SELECT extract(epoch FROM expires_at - created_at)::int AS lifetime, payload FROM oauth_token WHERE model = 'AuthorizationCode' ORDER BY created_at DESC LIMIT 1",
    );
    const { lifetime, payload } = row as { lifetime: number; payload: string };
    const { iat, exp } = JSON.parse(payload.replaceAll("\u0001", "")) as { iat: number; exp: number };
    expect([lifetime, exp - iat]).toEqual([60, 60]);
    await query("UPDATE oauth_token SET payload = replace(payload, $1, $2) WHERE model = 'AuthorizationCode'", [
      `"exp":${exp}`,
      `"exp":${iat - 60}`,
    ]);
    expect((await oauth.client.token(code)).body.error).toBe("invalid_grant");
  });

  it("that is used again ends what it was used for, also after its minute", async () => {
    const code = await receiveCode();
    const { body } = await oauth.client.token(code);
    expect(await works(body.access_token)).toBe(true);
    await query(
      `UPDATE oauth_token SET payload = regexp_replace(payload, '"exp":\\d+', '"exp":1') WHERE model = 'AuthorizationCode'`,
    );
    expect((await oauth.client.token(code)).body.error).toBe("invalid_grant");
    expect(await works(body.access_token)).toBe(false);
    const refresh = { grant_type: "refresh_token", refresh_token: body.refresh_token, client_id: code.client_id };
    expect((await oauth.client.token(refresh)).body.error).toBe("invalid_grant");
  });

  it("has one winner when it is used six times at once", async () => {
    const code = await receiveCode();
    const answers = await Promise.all(Array.from({ length: 6 }, () => oauth.client.token(code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  });
});

describe("the token endpoint", () => {
  it.each([
    "client_credentials",
    "password",
    "implicit",
    "urn:ietf:params:oauth:grant-type:device_code",
    "nonsense",
    undefined,
  ])("knows no grant %s", async (grant_type) => {
    const client_id = (await oauth.client.register({ redirect_uris: [redirectUri] })).body.client_id as string;
    const { status, body } = await oauth.client.token({ grant_type, client_id, username: "ann", password: "x" });
    expect([status, body.error]).toEqual([
      400,
      grant_type === undefined ? "invalid_request" : "unsupported_grant_type",
    ]);
  });

  it("answers an unknown client with 401, and a body of another kind with an error of OAuth", async () => {
    const { status, body } = await oauth.client.token({
      grant_type: "refresh_token",
      refresh_token: "x",
      client_id: "unknown",
    });
    expect([status, body.error]).toEqual([401, "invalid_client"]);
    const json = await fetch(`${oauth.app.gatewayUrl}/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect([json.status, ((await json.json()) as { error: string }).error]).toEqual([400, "invalid_request"]);
  });

  it("is at the short path too", async () => {
    const body = new URLSearchParams(await receiveCode());
    expect((await fetch(`${oauth.app.gatewayUrl}/token`, { method: "POST", body })).status).toBe(200);
  });
});

describe("a refresh", () => {
  it("gives new tokens and says what they are for", async () => {
    const { tokens, refresh } = await connect();
    const { status, body, headers } = await refresh(tokens.refresh_token, { scope: " mcp:invoke offline_access" });
    expect([status, body.scope, headers.get("cache-control")]).toEqual([200, "mcp:invoke", "no-store"]);
    expect(new Set([body.access_token, body.refresh_token, tokens.access_token, tokens.refresh_token]).size).toBe(4);
    expect([await works(body.access_token), await works(tokens.access_token)]).toEqual([true, true]);
  });

  it("gives the same tokens to eight who ask at once, and to one who asks again", async () => {
    const { tokens, refresh } = await connect();
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(tokens.refresh_token)));
    const successors = new Set(
      [...answers, await refresh(tokens.refresh_token)].map(({ body }) => `${body.access_token} ${body.refresh_token}`),
    );
    expect(successors.size).toBe(1);
    const [first] = answers;
    expect([first?.status, await works(first?.body.access_token ?? "")]).toEqual([200, true]);
    const next = await refresh(first?.body.refresh_token ?? "");
    expect([next.status, next.body.refresh_token === first?.body.refresh_token]).toEqual([200, false]);
  });

  it("that comes too late ends the whole family", async () => {
    const { tokens, refresh } = await connect();
    const { body: second } = await refresh(tokens.refresh_token);
    await query("UPDATE oauth_token SET consumed_at = now() - interval '31 seconds' WHERE consumed_at IS NOT NULL");
    const late = await refresh(tokens.refresh_token);
    expect([late.status, late.body.error]).toEqual([400, "invalid_grant"]);
    expect((await refresh(second.refresh_token)).body.error).toBe("invalid_grant");
    expect([await works(tokens.access_token), await works(second.access_token)]).toEqual([false, false]);
  });

  it("succeeds again when the process died before it saved the new tokens", async () => {
    const { tokens, refresh } = await connect();
    const { body } = await refresh(tokens.refresh_token);
    const isNew = "id_sha256 IN (sha256($1::bytea), sha256($2::bytea))";
    await query(`DELETE FROM oauth_token WHERE ${isNew}`, [
      Buffer.from(body.access_token),
      Buffer.from(body.refresh_token),
    ]);
    expect(await works(body.access_token)).toBe(false);
    const again = await refresh(tokens.refresh_token);
    expect([again.status, again.body.access_token === body.access_token, await works(body.access_token)]).toEqual([
      200,
      true,
      true,
    ]);
  });

  it("by another client, or for another server, gets nothing and costs nothing", async () => {
    const { tokens, refresh, clientId } = await connect("platform");
    const other = (await oauth.client.register({ redirect_uris: [redirectUri] })).body.client_id as string;
    expect((await refresh(tokens.refresh_token, { client_id: other })).body.error).toBe("invalid_grant");
    for (const resource of [
      oauth.client.resourceOf("slack"),
      "https://evil.example/platform/mcp",
      [oauth.client.resourceOf("platform"), "https://a.example/"],
    ])
      expect((await refresh(tokens.refresh_token, { resource })).body.error).toBe("invalid_target");
    expect((await refresh(tokens.refresh_token, { scope: "platform:read mcp:invoke" })).body.error).toBe(
      "invalid_scope",
    );
    const used =
      "SELECT 1 FROM oauth_token JOIN oauth_connection connection ON connection.id = connection_id WHERE client_id = $1 AND consumed_at IS NOT NULL";
    expect(await query(`${used} AND model = 'RefreshToken'`, [clientId])).toEqual([]);
    const narrow = await refresh(tokens.refresh_token, {
      scope: "platform:read",
      resource: `${oauth.client.resourceOf("platform")}/`,
    });
    expect([narrow.status, narrow.body.scope, clientId === other]).toEqual([200, "platform:read", false]);
    expect((await refresh(tokens.refresh_token, { client_id: other })).body.error).toBe("invalid_grant");
  });

  it("cannot widen what was granted", async () => {
    const { tokens, refresh } = await connectClient(oauth.client, oauth.ann, {
      serverId: "platform",
      scopes: ["platform:read"],
    });
    expect((await refresh(tokens.refresh_token, { scope: "platform:read platform:write" })).body.error).toBe(
      "invalid_scope",
    );
    expect((await refresh(tokens.refresh_token)).body.scope).toBe("platform:read");
  });

  it("ends with the connection after 180 days, and after 30 days without one", async () => {
    const [ended, idle] = [await connect(), await connect()];
    await query("UPDATE oauth_connection SET expires_at = now() - interval '1 second' WHERE client_id = $1", [
      ended.clientId,
    ]);
    expect((await ended.refresh(ended.tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect(await works(ended.tokens.access_token)).toBe(false);
    const [lifetimes] = await query(
      `SELECT extract(day FROM connection.expires_at - connection.created_at)::int AS connection, extract(day FROM token.expires_at - token.created_at)::int AS token
       FROM oauth_connection connection JOIN oauth_token token ON token.connection_id = connection.id WHERE client_id = $1 AND model = 'RefreshToken'`,
      [idle.clientId],
    );
    expect(lifetimes).toEqual({ connection: 180, token: 30 });
  });
});

describe("everything ends at once", () => {
  const organizationOf = (id: string) => `/api/organizations/${id}`;
  const endings: [
    string,
    (connected: { clientId: string; userId: string; memberId: string; organizationId: string }) => Promise<unknown>,
  ][] = [
    [
      "the member is removed",
      ({ memberId, organizationId }) =>
        oauth.ann.browser.delete(`${organizationOf(organizationId)}/members/${memberId}`),
    ],
    ["the user is deleted", ({ userId }) => query("DELETE FROM app_user WHERE id = $1", [userId])],
    ["the client is deleted", ({ clientId }) => query("DELETE FROM oauth_client WHERE id = $1", [clientId])],
    [
      "the connection is deleted",
      ({ clientId }) => query("DELETE FROM oauth_connection WHERE client_id = $1", [clientId]),
    ],
  ];

  it.each(endings)("when %s", async (name, end) => {
    const { organizationId } = oauth.ann;
    const member = await signUpMember(
      oauth.app,
      organizationId,
      `member${endings.findIndex(([one]) => one === name)}`,
      "member",
    );
    const { tokens, clientId, refresh } = await connectClient(
      oauth.client,
      { ...member, organizationId },
      { serverId: "slack" },
    );
    expect(await works(tokens.access_token)).toBe(true);
    await end({ clientId, ...member, organizationId });
    expect(await works(tokens.access_token)).toBe(false);
    const { status, body } = await refresh(tokens.refresh_token);
    expect([status, body.error]).toEqual(
      name === "the client is deleted" ? [401, "invalid_client"] : [400, "invalid_grant"],
    );
  });

  it("when the organization is deleted", async () => {
    const owner = await signUpOwner(oauth.app, "Olga");
    const { tokens, refresh } = await connectClient(oauth.client, owner, { serverId: "slack" });
    expect((await owner.browser.delete(organizationOf(owner.organizationId))).status).toBe(204);
    expect(await works(tokens.access_token)).toBe(false);
    expect((await refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  it("for what a lower role no longer allows", async () => {
    const { organizationId } = oauth.ann;
    const member = await signUpMember(oauth.app, organizationId, "Demoted", "member");
    const { tokens } = await connectClient(oauth.client, { ...member, organizationId }, { serverId: "slack" });
    await oauth.ann.browser.patch(`${organizationOf(organizationId)}/members/${member.memberId}`, { role: "viewer" });
    expect((await oauth.client.use(tokens.access_token).modern("slack", "tools/list")).status).toBe(403);
  });
});
