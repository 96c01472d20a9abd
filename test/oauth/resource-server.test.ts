import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { connectClient } from "../support/oauth/oauth-client.ts";
import { signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";

let oauth: OAuthApp;
let provider: FakeProvider;
let base: string;
beforeAll(async () => {
  provider = await startFakeProvider();
  oauth = await startOAuthApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  base = `/api/organizations/${oauth.ann.organizationId}`;
});
afterAll(async () => {
  await oauth.stop();
  await provider.stop();
});

const connect = (serverId: string) => connectClient(oauth.client, oauth.ann, { serverId });
const list = (serverId: string, headers: Record<string, string | undefined>) =>
  createMcpClient(oauth.app.gatewayUrl, headers).modern(serverId, "tools/list");

async function createAccount(organizationId: string) {
  const data = { kind: "bearer", accessToken: "ghp_upstream", baseUrl: provider.url };
  return await oauth.app.parts.vault.credentials.create(organizationId, {
    type: "github",
    name: "GitHub",
    data,
    createdBy: null,
  });
}

async function lastRecord() {
  const { body } = await oauth.ann.browser.get(`${base}/tool-calls`);
  return (await oauth.ann.browser.get(`${base}/tool-calls/${body.data[0].id}`)).body;
}

describe("an MCP server refuses, and says where to sign in,", () => {
  const cases: [string, () => Promise<Record<string, string>>][] = [
    [
      "an expired token",
      async () => {
        const { tokens } = await connect("slack");
        await oauth.app.database.query(
          "UPDATE oauth_token SET expires_at = now() - interval '1 second' WHERE model = 'AccessToken'",
        );
        return { authorization: `Bearer ${tokens.access_token}` };
      },
    ],
    [
      "a revoked token",
      async () => {
        const { tokens, clientId } = await connect("slack");
        await oauth.client.revoke({ token: tokens.access_token, client_id: clientId });
        return { authorization: `Bearer ${tokens.access_token}` };
      },
    ],
    ["a refresh token", async () => ({ authorization: `Bearer ${(await connect("slack")).tokens.refresh_token}` })],
    ["a code", async () => ({ authorization: `Bearer ${(await connect("slack")).code}` })],
    ["a made-up token", async () => ({ authorization: `Bearer ${"A".repeat(43)}` })],
    ["a JWT without a signature", async () => ({ authorization: "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0." })],
    [
      "an API key as a token",
      async () => {
        const { key } = await oauth.app.parts.identity.apiKeys.create(oauth.ann.organizationId, {
          name: "k",
          scopes: ["mcp:invoke"],
          createdBy: null,
        });
        return { authorization: `Bearer ${key}` };
      },
    ],
  ];

  it.each(cases)("%s", async (_, headersOf) => {
    const answer = await list("slack", await headersOf());
    expectProblem(answer, { status: 401, code: "access_token_invalid" });
    expect(answer.headers.get("www-authenticate")).toMatch(
      /^Bearer error="invalid_token", resource_metadata="[^"]+\/slack\/mcp", scope="mcp:invoke"$/,
    );
  });

  it("the session of the web UI alone", async () => {
    const cookie = [...oauth.ann.browser.cookies].map((pair) => pair.join("=")).join("; ");
    expectProblem(await list("slack", { cookie }), { status: 401, code: "api_key_missing" });
    expectProblem(await list("platform", { cookie }), { status: 401, code: "access_token_missing" });
  });

  it("a token in the address", async () => {
    const { tokens } = await connect("slack");
    const response = await fetch(`${oauth.app.gatewayUrl}/slack/mcp?access_token=${tokens.access_token}`, {
      method: "POST",
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("resource_metadata=");
  });
});

describe("a call with a token", () => {
  it("is recorded with the client and the user, and no key", async () => {
    const { mcp, clientId } = await connect("system");
    await mcp.modern("system", "tools/call", { name: "system_date_time", arguments: {} });
    expect(await lastRecord()).toMatchObject({
      source: "mcp",
      status: "success",
      apiKeyId: null,
      oauthClientId: clientId,
      oauthClientName: "Test client",
      userId: oauth.ann.userId,
      userName: "Ann",
    });
  });

  it("acts on the organization it was approved for, whatever else the user belongs to", async () => {
    const { id } = (await oauth.ann.browser.post("/api/organizations", { name: "Second" })).body;
    const { mcp } = await connectClient(oauth.client, { ...oauth.ann, organizationId: id }, { serverId: "platform" });
    const { json } = await mcp.modern("platform", "tools/call", { name: "platform_get_me", arguments: {} });
    expect(json.result?.structuredContent).toMatchObject({
      user: { id: oauth.ann.userId },
      organization: { id, name: "Second" },
    });
  });

  it("sends nothing of the token to the provider, the log or the history", async () => {
    const { mcp, tokens } = await connect("github");
    const { reference } = await createAccount(oauth.ann.organizationId);
    provider.script([{ status: 201, json: { number: 7 } }]);
    const given = { owner: "acme", repo: "site", title: "It is broken", credentials: { github: reference } };
    const { json } = await mcp.modern("github", "tools/call", { name: "github_create_issue", arguments: given });
    expect(json.result?.structuredContent).toMatchObject({ items: [{ number: 7 }] });
    const seen = JSON.stringify([provider.requests(), await lastRecord(), oauth.app.logLines]);
    expect(seen).toContain("Bearer ghp_upstream");
    for (const secret of [tokens.access_token, tokens.refresh_token]) expect(seen).not.toContain(secret);
  });

  it("cannot use the credentials of another organization", async () => {
    const bob = await signUpOwner(oauth.app, "Bob");
    const { reference } = await createAccount(bob.organizationId);
    const { mcp } = await connect("github");
    const given = { owner: "acme", repo: "site", title: "It is broken", credentials: { github: reference } };
    const { json } = await mcp.modern("github", "tools/call", { name: "github_create_issue", arguments: given });
    expect(json.result?._meta["switchyard/error"].code).toBe("credential_not_accessible");
  });

  it("may leave out credentials where the organization has a default", async () => {
    const { id } = await createAccount(oauth.ann.organizationId);
    await oauth.ann.browser.send("PUT", `${base}/default-credentials/github`, { credentialId: id });
    const { mcp } = await connect("github");
    provider.script([{ status: 201, json: { number: 8 } }]);
    const given = { owner: "acme", repo: "site", title: "It is broken" };
    const { json } = await mcp.modern("github", "tools/call", { name: "github_create_issue", arguments: given });
    expect(json.result?.structuredContent).toMatchObject({ items: [{ number: 8 }] });
  });

  it("is noted as the last use of its connection", async () => {
    const { mcp, clientId } = await connect("system");
    const lastUse = async () =>
      (
        await oauth.app.database.query<{ last_used_at: Date | null }>(
          "SELECT last_used_at FROM oauth_connection WHERE client_id = $1",
          [clientId],
        )
      )[0]?.last_used_at;
    expect(await lastUse()).toBeNull();
    await mcp.modern("system", "tools/list");
    await expect.poll(lastUse).toBeInstanceOf(Date);
  });
});

it("counts the requests of each connection for itself", async () => {
  const strict = await startOAuthApp({ environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "2" } });
  try {
    const [one, two] = [
      await connectClient(strict.client, strict.ann, { serverId: "system" }),
      await connectClient(strict.client, strict.ann, { serverId: "system" }),
    ];
    const statuses = [];
    for (const { mcp } of [one, one, one, two]) statuses.push((await mcp.modern("system", "tools/list")).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  } finally {
    await strict.stop();
  }
});
