import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { connectClient, createOAuthClient, redirectUri } from "../support/oauth/oauth-client.ts";

let oauth: OAuthApp;
beforeAll(async () => {
  oauth = await startOAuthApp();
});
afterAll(() => oauth.stop());

const register = (metadata: unknown) => oauth.client.register(metadata);
const storedClient = async (id: unknown) =>
  (await oauth.app.database.query<{ metadata: string }>("SELECT metadata FROM oauth_client WHERE id = $1", [id]))[0];

describe("a client registers itself", () => {
  it("as public, and gets no secret", async () => {
    const { status, body, headers } = await register({
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      client_name: "A",
    });
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(body).toMatchObject({
      client_name: "A",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      application_type: "native",
    });
    expect(body).not.toHaveProperty("client_secret");
    expect(body).not.toHaveProperty("registration_access_token");
  });

  it("with nothing but an address to come back to", async () => {
    const { status, body } = await register({ redirect_uris: ["https://app.example/callback"] });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      application_type: "web",
    });
  });

  it.each(["client_secret_basic", "client_secret_post"])(
    "with %s, and only a hash of its secret is kept",
    async (method) => {
      const { status, body } = await register({ redirect_uris: [redirectUri], token_endpoint_auth_method: method });
      const secret = String(body.client_secret);
      expect([status, secret.length > 40]).toEqual([201, true]);
      const stored = (await storedClient(body.client_id))?.metadata ?? "";
      expect(stored).toContain('"client_secret":"sha256:');
      expect(stored).not.toContain(secret);
      const request = { grant_type: "refresh_token", refresh_token: "x" };
      const basic = (given: string) => ({
        authorization: `Basic ${Buffer.from(`${body.client_id}:${given}`).toString("base64")}`,
      });
      const send = (given: string) =>
        method === "client_secret_basic"
          ? oauth.client.token(request, basic(given))
          : oauth.client.token({ ...request, client_id: String(body.client_id), client_secret: given });
      expect([(await send(secret)).body.error, (await send("wrong")).status, (await send("wrong")).body.error]).toEqual(
        ["invalid_grant", 401, "invalid_client"],
      );
      const hash = /"(sha256:[^"]+)"/.exec(stored)?.[1] ?? "";
      expect((await send(hash)).body.error).toBe("invalid_client");
      expect((await oauth.client.token({ ...request, client_id: String(body.client_id) })).status).toBe(401);
    },
  );

  it.each([
    [
      "Cursor",
      [
        "cursor://anysphere.cursor-mcp/oauth/callback",
        "https://www.cursor.com/agents/mcp/oauth/callback",
        "http://localhost:8787/callback",
      ],
    ],
    [
      "VS Code",
      [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://127.0.0.1/",
        "http://127.0.0.1:33418/",
      ],
    ],
    ["claude.ai", ["https://claude.ai/api/mcp/auth_callback"]],
    ["ChatGPT", ["https://chatgpt.com/connector_platform_oauth_redirect"]],
  ])("as %s does", async (client_name, redirect_uris) => {
    const others = {
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code"],
    };
    const { status, body } = await register({
      client_name,
      redirect_uris,
      token_endpoint_auth_method: "none",
      scope: "everything",
      ...others,
    });
    expect([status, body.redirect_uris]).toEqual([201, redirect_uris]);
    expect(body.grant_types).toEqual(["authorization_code", "refresh_token"]);
    expect(body).not.toHaveProperty("scope");
  });

  it("and its own scope does not bind it to one server", async () => {
    const { body } = await register({
      redirect_uris: [redirectUri],
      scope: "mcp:invoke",
      software_id: "x",
      unknown_field: "y",
    });
    expect(body).not.toHaveProperty("software_id");
    expect(body).not.toHaveProperty("unknown_field");
    for (const serverId of ["slack", "platform"]) {
      const { tokens } = await connectClient(oauth.client, oauth.ann, { serverId, clientId: String(body.client_id) });
      expect(tokens.scope).toBe(serverId === "slack" ? "mcp:invoke" : "platform:read platform:write");
    }
  });

  it("through the short path too", async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ redirect_uris: [redirectUri] });
    expect((await fetch(`${oauth.app.gatewayUrl}/register`, { method: "POST", headers, body })).status).toBe(201);
  });
});

describe("a registration is refused", () => {
  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://a.example/x",
    "http://app.example/callback",
    "http://127.0.0.1.example/callback",
    "https://app.example/callback#part",
    "https://app.example/callback#",
    "https://user@app.example/callback",
    "https://user:password@app.example/callback",
    "https://*.example/callback",
    "/callback",
    "app.example/callback",
    "https://app.example/a b",
    "",
    7,
  ])("that wants to be sent to %j", async (uri) => {
    const { status, body } = await register({ redirect_uris: [redirectUri, uri] });
    expect([status, body.error]).toEqual([400, "invalid_redirect_uri"]);
  });

  it.each<[string, unknown]>([
    ["without addresses", { redirect_uris: [] }],
    ["without a list of addresses", { client_name: "A" }],
    [
      "with too many addresses",
      { redirect_uris: Array.from({ length: 11 }, (_, index) => `https://app.example/${index}`) },
    ],
    ["with a page that runs script", { redirect_uris: [redirectUri], client_uri: "javascript:alert(1)" }],
    ["with a logo that runs script", { redirect_uris: [redirectUri], logo_uri: "javascript:alert(1)" }],
    ["with a name that fills the page", { redirect_uris: [redirectUri], client_name: "A".repeat(101) }],
    ["with a name that is none", { redirect_uris: [redirectUri], client_name: { a: 1 } }],
    [
      "with an authentication we do not have",
      { redirect_uris: [redirectUri], token_endpoint_auth_method: "private_key_jwt" },
    ],
    ["that is a list", []],
    ["that is no JSON", "{"],
  ])("%s", async (_, metadata) => {
    const { status, body } = await register(metadata);
    expect(status).toBe(400);
    expect(body.error).toMatch(/^invalid_(redirect_uri|client_metadata|request)$/);
  });

  it("that is too large, or not JSON", async () => {
    const large = await register({ redirect_uris: [redirectUri], client_name: "A", contacts: ["x".repeat(70_000)] });
    expect([large.status, large.body.error]).toEqual([413, "invalid_request"]);
    const form = await fetch(`${oauth.app.gatewayUrl}/oauth/register`, {
      method: "POST",
      body: new URLSearchParams({ redirect_uris: redirectUri }),
    });
    expect([form.status, ((await form.json()) as { error: string }).error]).toEqual([400, "invalid_request"]);
  });

  it("from an address that registers too many", async () => {
    const strict = await startOAuthApp({
      environment: { RATE_LIMIT_OAUTH_REGISTRATION_PER_HOUR: "2", RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE: "3" },
    });
    try {
      const client = createOAuthClient(strict.app.gatewayUrl);
      const answers = [];
      for (let count = 0; count < 3; count++) answers.push(await client.register({ redirect_uris: [redirectUri] }));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
      expect([answers[2]?.body.error, Number(answers[2]?.headers.get("retry-after")) > 60]).toEqual([
        "temporarily_unavailable",
        true,
      ]);
      expect((await fetch(`${strict.app.gatewayUrl}/register`, { method: "POST" })).status).toBe(429);
      const statuses = [];
      for (let count = 0; count < 4; count++)
        statuses.push((await client.token({ client_id: "x", grant_type: "refresh_token", refresh_token: "x" })).status);
      expect(statuses).toEqual([401, 401, 401, 429]);
    } finally {
      await strict.stop();
    }
  });
});

describe("clients that nobody uses", () => {
  const age = (id: unknown, columns: string) =>
    oauth.app.database.query(`UPDATE oauth_client SET ${columns} WHERE id = $1`, [id]);

  it("are removed after a day, or when idle for 90 days, but never with a connection", async () => {
    const [unused, fresh, idle] = await Promise.all(
      [1, 2, 3].map(async () => (await register({ redirect_uris: [redirectUri] })).body.client_id),
    );
    const connected = await connectClient(oauth.client, oauth.ann, { serverId: "slack" });
    await age(unused, "created_at = now() - interval '25 hours'");
    await age(fresh, "created_at = now() - interval '23 hours'");
    await age(idle, "last_used_at = now() - interval '91 days'");
    await age(
      connected.clientId,
      "created_at = now() - interval '200 days', last_used_at = now() - interval '91 days'",
    );
    await oauth.app.parts.oauth.cleanup.run();
    const left = await Promise.all(
      [unused, fresh, idle, connected.clientId].map(async (id) => (await storedClient(id)) !== undefined),
    );
    expect(left).toEqual([false, true, false, true]);
    expect((await connected.mcp.modern("slack", "tools/list")).status).toBe(200);
  });

  it("and everything that has expired is removed too", async () => {
    const { tokens, clientId } = await connectClient(oauth.client, oauth.ann, { serverId: "github" });
    const count = async (table: string) =>
      Number((await oauth.app.database.query<{ count: string }>(`SELECT count(*) FROM ${table}`))[0]?.count);
    await oauth.app.database.query(
      "INSERT INTO consent_ticket VALUES ($1, $1, $2, '{}', now() - interval '1 minute')",
      [randomBytes(32), oauth.ann.userId],
    );
    await oauth.app.database.query(
      "UPDATE oauth_connection SET created_at = now() - interval '2 hours' WHERE client_id = $1",
      [clientId],
    );
    await oauth.app.database.query("UPDATE oauth_token SET expires_at = now() - interval '1 second'");
    await oauth.app.parts.oauth.cleanup.run();
    expect([await count("oauth_token"), await count("consent_ticket")]).toEqual([0, 0]);
    expect(
      (await oauth.app.database.query("SELECT 1 FROM oauth_connection WHERE client_id = $1", [clientId])).length,
    ).toBe(0);
    expect((await oauth.client.use(tokens.access_token).modern("github", "tools/list")).status).toBe(401);
  });
});
