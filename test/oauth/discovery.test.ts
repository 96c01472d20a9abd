import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";

let oauth: OAuthApp;
let serverIds: string[];
beforeAll(async () => {
  oauth = await startOAuthApp();
  const { data } = (await read(`${oauth.app.gatewayUrl}/servers`)).body as { data: { id: string }[] };
  serverIds = data.map(({ id }) => id);
});
afterAll(() => oauth.stop());

async function read(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Record<string, unknown> };
}

const protectedResource = (path: string) => `${oauth.app.gatewayUrl}/.well-known/oauth-protected-resource${path}`;

describe("the protected resource document", () => {
  it("exists for each server, under the address of the challenge", async () => {
    expect(serverIds.toSorted()).toEqual(onDisk.serverIds);
    for (const id of serverIds) {
      const challenged = await oauth.client.use("").post(id, {}, { authorization: undefined });
      const address = /resource_metadata="([^"]+)"/.exec(challenged.headers.get("www-authenticate") ?? "")?.[1];
      expect(address).toBe(protectedResource(`/${id}/mcp`));
      const { status, body } = await read(String(address));
      expect([status, body.resource]).toEqual([200, `${oauth.app.gatewayUrl}/${id}/mcp`]);
      expect(body.authorization_servers).toEqual([oauth.app.config.oauth.issuerUrl]);
      expect(body.scopes_supported).toEqual(id === "platform" ? ["platform:read", "platform:write"] : ["mcp:invoke"]);
    }
  });

  it("names the server, the way tokens are sent, and no refresh scope", async () => {
    const { body } = await read(protectedResource("/slack/mcp"));
    expect(body).toMatchObject({ resource_name: "Slack", bearer_methods_supported: ["header"] });
    expect(JSON.stringify(body)).not.toContain("offline_access");
  });

  it.each(["/nowhere/mcp", "", "/", "/slack", "/slack/mcp/"])("does not exist at %j", async (path) => {
    expect((await fetch(protectedResource(path))).status).toBe(404);
  });
});

describe("the metadata of the authorization server", () => {
  it.each(["oauth-authorization-server", "openid-configuration"])(
    "is at %s, with the issuer exactly as configured",
    async (name) => {
      const { status, body, headers } = await read(`${oauth.app.gatewayUrl}/.well-known/${name}`);
      expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
      expect(body.issuer).toBe(oauth.app.config.oauth.issuerUrl);
      expect(body).toMatchObject({
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        scopes_supported: ["mcp:invoke", "platform:read", "platform:write"],
      });
      expect(body.token_endpoint_auth_methods_supported).toContain("none");
    },
  );

  it("names endpoints that are there", async () => {
    const { body } = await read(`${oauth.app.gatewayUrl}/.well-known/oauth-authorization-server`);
    for (const name of ["token_endpoint", "registration_endpoint", "revocation_endpoint"])
      expect((await fetch(String(body[name]), { method: "POST" })).status, name).toBeLessThan(402);
    expect((await fetch(String(body.authorization_endpoint))).status).toBe(400);
    const keys = (await read(String(body.jwks_uri))).body.keys as Record<string, string>[];
    expect(keys.map(({ kty, d }) => [kty, d])).toEqual([["OKP", undefined]]);
  });
});

describe("pages of other origins", () => {
  it.each([
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource/slack/mcp",
    "/oauth/jwks",
  ])("may read %s", async (path) => {
    const { headers } = await read(oauth.app.gatewayUrl + path, { origin: "https://app.example" });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  it.each(["/slack/mcp", "/oauth/token", "/oauth/register", "/token", "/register"])(
    "may ask before they post to %s",
    async (path) => {
      const headers = {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      };
      const answer = await fetch(oauth.app.gatewayUrl + path, { method: "OPTIONS", headers });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(answer.headers.get("access-control-allow-headers")).toContain("authorization");
    },
  );

  it("see the challenge of a refusal, and the answers of the endpoints", async () => {
    const headers = { origin: "https://app.example" };
    const refused = await oauth.client.use("x").post("slack", {}, headers);
    expect(refused.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
    const token = await oauth.client.token(
      { grant_type: "refresh_token", client_id: "x", refresh_token: "x" },
      headers,
    );
    expect([token.status, token.headers.get("access-control-allow-origin")]).toEqual([401, "*"]);
  });
});

describe("an address that cannot work is refused at the start", () => {
  const mistakesOf = (environment: Record<string, string>) => {
    try {
      readConfig(environment);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const open = { MCP_API_BASE_URL: "http://tools.example" };

  it("when it is http and not on loopback", () => {
    expect(mistakesOf(open)).toMatch(/MCP_OAUTH_ISSUER_URL: must be https.*\n.*MCP_OAUTH_RESOURCE_URL: must be https/);
    expect(mistakesOf({ PLATFORM_API_BASE_URL: "https://web.example/switchyard" })).toContain(
      "PLATFORM_API_BASE_URL: must have no path, because the web UI is at the root of its host; give it a host name of its own",
    );
    expect(mistakesOf({ PLATFORM_API_BASE_URL: "http://web.example" })).toContain(
      "MCP_OAUTH_CONSENT_URL_TEMPLATE: must be https",
    );
    expect(mistakesOf({ ...open, MCP_OAUTH_ALLOW_HTTP: "true" })).toBe("");
    expect(mistakesOf({ MCP_API_BASE_URL: "http://127.0.0.1:3100" })).toBe("");
  });

  it("when clients could reach the servers but not the issuer, or the other way round", () => {
    for (const name of ["MCP_OAUTH_RESOURCE_URL", "MCP_OAUTH_ISSUER_URL"])
      expect(mistakesOf({ [name]: "https://tools.example" })).toContain("MCP_OAUTH_ISSUER_URL: must be public");
  });

  it("when the servers are shown elsewhere than where tokens are good for", () => {
    const elsewhere = { MCP_SERVER_URL_TEMPLATE: "https://other.example/{serverId}/mcp" };
    const named = { MCP_OAUTH_ISSUER_URL: "https://tools.example", MCP_OAUTH_RESOURCE_URL: "https://tools.example" };
    expect(mistakesOf({ ...named, ...elsewhere })).toContain(
      "MCP_SERVER_URL_TEMPLATE: must be https://tools.example/{serverId}/mcp, because MCP_OAUTH_RESOURCE_URL says",
    );
    expect(mistakesOf({ ...named, MCP_SERVER_URL_TEMPLATE: "https://tools.example/{serverId}/mcp" })).toBe("");
    expect(mistakesOf(elsewhere)).toBe("");
  });

  it("when the consent page is not where people are signed in", () => {
    expect(mistakesOf({ MCP_OAUTH_CONSENT_URL_TEMPLATE: "https://elsewhere.example/{uid}" })).toContain(
      "MCP_OAUTH_CONSENT_URL_TEMPLATE: must be on",
    );
    expect(mistakesOf({ MCP_OAUTH_CONSENT_URL_TEMPLATE: "http://127.0.0.1:3000/{uid}" })).toBe("");
  });
});
