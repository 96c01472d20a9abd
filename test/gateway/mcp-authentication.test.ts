import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newApiKeyText } from "../../src/identity/api-key-text.ts";
import { expectProblem, readRawAnswer } from "../support/expect-problem.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { createMcpClient, type RpcAnswer } from "../support/gateway/mcp-client.ts";
import { rawRequest } from "../support/raw-request.ts";
import { startTestApp } from "../support/test-app.ts";

let mcp: McpApp;
beforeAll(async () => {
  mcp = await startMcpApp();
});
afterAll(() => mcp.stop());

const metadata = (serverId: string) =>
  `resource_metadata="${mcp.app.gatewayUrl}/.well-known/oauth-protected-resource/${serverId}/mcp"`;
const challengeOf = ({ headers }: { headers: Headers }) => headers.get("www-authenticate");
const post = (serverId: string, headers: Record<string, string | undefined>) =>
  mcp.client.post(serverId, { jsonrpc: "2.0", id: 1, method: "tools/list" }, { "x-api-key": undefined, ...headers });

function expectRefused(answer: RpcAnswer, status: number, code: string, challenge: string) {
  expectProblem(answer, { status, code });
  expect(challengeOf(answer)).toBe(challenge);
}

describe("without a valid key or token", () => {
  it("tells a client where to sign in, and for which scopes", async () => {
    expectRefused(await post("slack", {}), 401, "api_key_missing", `Bearer ${metadata("slack")}, scope="mcp:invoke"`);
    expectRefused(
      await post("platform", {}),
      401,
      "access_token_missing",
      `Bearer ${metadata("platform")}, scope="platform:read platform:write"`,
    );
  });

  it("names no place to sign in where only API keys are taken", async () => {
    const { status } = await fetch(`${mcp.app.gatewayUrl}/.well-known/oauth-protected-resource/workflows/mcp`);
    expect(status).toBe(404);
    const answer = await post("workflows", {});
    expectRefused(answer, 401, "api_key_missing", 'ApiKey header="X-API-Key"');
    expect(answer.text).not.toContain("OAuth");
    expectRefused(
      await post("workflows", { "x-api-key": "swy_nonsense" }),
      401,
      "api_key_invalid",
      'ApiKey header="X-API-Key"',
    );
    expectRefused(
      await post("workflows", { authorization: "Bearer x" }),
      401,
      "access_token_invalid",
      'ApiKey header="X-API-Key"',
    );
  });

  it.each([
    ["an empty key", { "x-api-key": "  " }, "api_key_missing"],
    ["a mistyped key", { "x-api-key": "swy_nonsense" }, "api_key_invalid"],
    ["an unknown key", { "x-api-key": newApiKeyText() }, "api_key_invalid"],
    ["another scheme", { authorization: "Basic dTpw" }, "api_key_missing"],
  ])("refuses %s", async (_, headers, code) => {
    expectRefused(await post("slack", headers), 401, code, `Bearer ${metadata("slack")}, scope="mcp:invoke"`);
  });

  it.each(["Bearer nonsense", "bearer", "Bearer  ", "BEARER a b c"])(
    "refuses the token of %j",
    async (authorization) => {
      for (const serverId of ["slack", "platform"]) {
        const answer = await post(serverId, { authorization });
        expectProblem(answer, { status: 401, code: "access_token_invalid" });
        expect(challengeOf(answer)).toMatch(/^Bearer error="invalid_token", resource_metadata="/);
      }
    },
  );

  it("refuses an API key as a token, and a token as an API key", async () => {
    expectProblem(await post("slack", { authorization: `Bearer ${mcp.key}` }), { code: "access_token_invalid" });
    expectProblem(await post("slack", { "x-api-key": "token-0" }), { code: "api_key_invalid" });
  });

  it("reads nothing of the request first", async () => {
    for (const body of ["{", "x".repeat(1000)])
      expectProblem(await createMcpClient(mcp.app.gatewayUrl, {}).post("slack", body), { status: 401 });
    expectProblem(
      await createMcpClient(mcp.app.gatewayUrl, {}).post("slack", "a", {
        "content-type": "text/plain",
        accept: "text/html",
      }),
      {
        status: 401,
      },
    );
  });

  it("refuses keys and tokens in the address, also beside a valid key", async () => {
    for (const query of [`api_key=${mcp.key}`, `x=1&key=${mcp.key}`, "access_token=token-0"]) {
      const response = await fetch(`${mcp.app.gatewayUrl}/slack/mcp?${query}`, {
        method: "POST",
        headers: { "x-api-key": mcp.key },
      });
      const text = await response.text();
      expectProblem(
        { status: response.status, headers: response.headers, text },
        { status: 401, code: "api_key_missing" },
      );
      expect(challengeOf(response)).toContain("resource_metadata");
      expect(text).not.toContain(mcp.key);
    }
  });
});

describe("an API key", () => {
  it("opens every provider's server", async () => {
    for (const serverId of ["slack", "github", "system"])
      expect((await post(serverId, { "x-api-key": ` ${mcp.key} ` })).status).toBe(200);
  });

  it("needs the scope mcp:invoke", async () => {
    const { key } = await mcp.createKey(["workflows:trigger"]);
    const challenge = `Bearer error="insufficient_scope", scope="mcp:invoke", ${metadata("slack")}`;
    expectRefused(await post("slack", { "x-api-key": key }), 403, "insufficient_scope", challenge);
  });

  it("must be an organization's", async () => {
    const { key, id } = await mcp.createKey();
    await mcp.app.database.query("UPDATE api_key SET owner_type = 'user' WHERE id = $1", [id]);
    const challenge = `Bearer ${metadata("slack")}, scope="mcp:invoke"`;
    expectRefused(await post("slack", { "x-api-key": key }), 403, "organization_key_required", challenge);
  });

  it("stops working on the next request when it is regenerated or deleted", async () => {
    const { key, id } = await mcp.createKey();
    const { organizationId } = mcp.owner;
    expect((await post("slack", { "x-api-key": key })).status).toBe(200);
    const { key: second } = await mcp.app.parts.identity.apiKeys.regenerate(organizationId, id);
    expectProblem(await post("slack", { "x-api-key": key }), { status: 401, code: "api_key_invalid" });
    expect((await post("slack", { "x-api-key": second })).status).toBe(200);
    await mcp.app.parts.identity.apiKeys.revoke(organizationId, id);
    expectProblem(await post("slack", { "x-api-key": second }), { status: 401, code: "api_key_invalid" });
  });

  it("is refused by the platform server, valid or not", async () => {
    const challenge = `Bearer ${metadata("platform")}, scope="platform:read platform:write"`;
    for (const key of [mcp.key, "swy_nonsense"])
      expectRefused(await post("platform", { "x-api-key": key }), 403, "api_key_not_accepted", challenge);
  });

  it("is counted, over all servers together and with every message of a batch", async () => {
    const limited = await startMcpApp({ environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "3" } });
    try {
      const answers = [];
      for (const serverId of ["slack", "github", "system", "slack"])
        answers.push(await limited.client.legacy(serverId, "tools/list"));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(answers.map(({ headers }) => headers.get("ratelimit-remaining"))).toEqual(["2", "1", "0", "0"]);
      const last = answers[3];
      expect(last?.json.error).toMatchObject({ code: -32000, data: { code: "rate_limited" } });
      expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
      const { key } = await limited.createKey();
      const other = createMcpClient(limited.app.gatewayUrl, { "x-api-key": key, "mcp-protocol-version": "2025-03-26" });
      const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
      const first = await other.post("slack", [ping(1), ping(2)]);
      expect([first.status, first.headers.get("ratelimit-remaining")]).toEqual([200, "1"]);
      const second = await other.post("slack", [ping(3), ping(4)]);
      expect([second.status, second.json.error?.data]).toMatchObject([429, { code: "rate_limited" }]);
      // Each process counts for itself, as docs/deployment.md says.
      const beside = await startTestApp({
        database: limited.app.database,
        environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "3" },
      });
      try {
        const elsewhere = createMcpClient(beside.gatewayUrl, { "x-api-key": limited.key });
        expect((await elsewhere.legacy("slack", "tools/list")).headers.get("ratelimit-remaining")).toBe("2");
      } finally {
        await beside.stop();
      }
    } finally {
      await limited.stop();
    }
  });
});

describe("an access token", () => {
  it("opens the server it is for and no other", async () => {
    const client = mcp.connect("slack", ["mcp:invoke"]);
    expect((await client.modern("slack", "tools/list")).status).toBe(200);
    for (const other of ["github", "platform"]) {
      const answer = await client.modern(other, "tools/list");
      expectProblem(answer, { status: 401, code: "access_token_invalid" });
      expect(challengeOf(answer)).toContain('error="invalid_token"');
    }
  });

  it("decides alone when a key comes with it", async () => {
    const both = { "x-api-key": mcp.key };
    expectProblem(await post("slack", { ...both, authorization: "Bearer nonsense" }), {
      status: 401,
      code: "access_token_invalid",
    });
    const client = mcp.connect("platform", ["platform:read"]);
    expect((await client.modern("platform", "tools/list", {}, both)).status).toBe(200);
  });

  it("needs one of the server's scopes", async () => {
    const answer = await mcp.connect("platform", ["mcp:invoke"]).modern("platform", "tools/list");
    const challenge = `Bearer error="insufficient_scope", scope="platform:read platform:write", ${metadata("platform")}`;
    expectRefused(answer, 403, "insufficient_scope", challenge);
  });

  it.each([
    ["platform:read", "platform_set_trigger_active", "platform:write"],
    ["platform:write", "platform_list_workflows", "platform:read"],
  ])("with only %s does not call %s", async (scope, name, needed) => {
    const client = mcp.connect("platform", [scope]);
    const answer = await client.modern("platform", "tools/call", { name, arguments: {} });
    expect([answer.status, answer.json.error?.code, answer.json.id]).toEqual([403, -32000, 1]);
    expect(challengeOf(answer)).toBe(`Bearer error="insufficient_scope", scope="${needed}", ${metadata("platform")}`);
  });
});

describe("a browser", () => {
  it("may call from any page and read the challenge", async () => {
    const preflight = await fetch(`${mcp.app.gatewayUrl}/slack/mcp`, {
      method: "OPTIONS",
      headers: {
        origin: "https://somewhere.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,mcp-protocol-version,mcp-method,mcp-name",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("mcp-method");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    const answer = await post("slack", { origin: "https://somewhere.example" });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
  });

  it.each(["null", "https://somewhere.example", "vscode-webview://abc", "http://localhost:6274"])(
    "may come from %s",
    async (origin) => {
      expect((await post("slack", { origin, "x-api-key": mcp.key })).status).toBe(200);
    },
  );

  it.each(["nonsense", "https://a.example/path", "https://a.example, https://b.example", "https://user@a.example"])(
    "may not come from %s",
    async (origin) => {
      expectRefused(
        await post("slack", { origin, "x-api-key": mcp.key }),
        403,
        "origin_refused",
        `Bearer ${metadata("slack")}, scope="mcp:invoke"`,
      );
    },
  );

  it("is not led here by a foreign name", async () => {
    const lines = [
      "POST /slack/mcp HTTP/1.1",
      "Host: evil.example",
      "Origin: http://evil.example",
      `X-API-Key: ${mcp.key}`,
      "Content-Length: 0",
    ];
    const answer = readRawAnswer(
      await rawRequest(mcp.app.gatewayUrl, `${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`),
    );
    expectProblem(answer, { status: 403, code: "host_refused" });
    expect(challengeOf(answer)).toContain("resource_metadata");
  });
});

it("builds the challenges on the public address", async () => {
  const url = "https://tools.example.com/gateway";
  const behind = await startMcpApp({ environment: { MCP_OAUTH_RESOURCE_URL: url, MCP_OAUTH_ISSUER_URL: url } });
  try {
    const answer = await createMcpClient(behind.app.gatewayUrl, {}).legacy("slack", "ping");
    expect(challengeOf(answer)).toContain(
      'resource_metadata="https://tools.example.com/gateway/.well-known/oauth-protected-resource/slack/mcp"',
    );
  } finally {
    await behind.stop();
  }
});
