import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as strict from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { openConsent, redirectUri } from "../support/oauth/oauth-client.ts";
import { createApprovingProvider } from "../support/oauth/oauth-sdk-client.ts";

const calls = [
  ["system", "system_date_time"],
  ["platform", "platform_get_me"],
] as const;

async function startBelowPath() {
  const port = await freePort();
  const base = `http://localhost:${port}/tools`;
  const environment = {
    MCP_API_PORT: String(port),
    MCP_OAUTH_ISSUER_URL: `${base}/auth`,
    MCP_OAUTH_RESOURCE_URL: `http://localhost:${port}`,
  };
  return await startOAuthApp({ environment });
}

describe.each([
  ["at the root of its host", () => startOAuthApp()],
  ["with a path in the issuer", startBelowPath],
])("an issuer %s", (_, start) => {
  let oauth: OAuthApp;
  beforeAll(async () => {
    oauth = await start();
  });
  afterAll(() => oauth.stop());
  const url = (serverId: string) => new URL(`${oauth.app.gatewayUrl}/${serverId}/mcp`);

  it.each(calls)("connects the SDK's client of the second generation to %s", async (serverId, tool) => {
    const { provider, kept, consents } = createApprovingProvider(oauth.ann);
    const connect = async () => {
      const client = new Client({ name: "test", version: "1" });
      const transport = new StreamableHTTPClientTransport(url(serverId), { authProvider: provider });
      await client.connect(transport).catch(async (error: Error) => {
        expect(error.name).toBe("UnauthorizedError");
        await transport.finishAuth(kept.answer ?? new URLSearchParams());
      });
      return client;
    };
    await connect();
    const client = await connect();
    try {
      expect((await client.callTool({ name: tool, arguments: {} })).isError).not.toBe(true);
      await oauth.app.database.query("UPDATE oauth_token SET expires_at = now() WHERE model = 'AccessToken'");
      expect((await client.callTool({ name: tool, arguments: {} })).isError).not.toBe(true);
      expect(consents()).toBe(1);
    } finally {
      await client.close();
    }
  });

  it.each(calls)("connects the SDK's client of the first generation to %s", async (serverId, tool) => {
    const { provider, kept, consents } = createApprovingProvider(oauth.ann);
    const transport = new OldTransport(url(serverId), { authProvider: provider as never });
    await expect(new OldClient({ name: "test", version: "1" }).connect(transport)).rejects.toThrow("Unauthorized");
    await transport.finishAuth(kept.answer?.get("code") ?? "");
    const client = new OldClient({ name: "test", version: "1" });
    await client.connect(new OldTransport(url(serverId), { authProvider: provider as never }));
    try {
      expect((await client.callTool({ name: tool, arguments: {} })).isError).not.toBe(true);
      await oauth.app.database.query("UPDATE oauth_token SET expires_at = now() WHERE model = 'AccessToken'");
      expect((await client.callTool({ name: tool, arguments: {} })).isError).not.toBe(true);
      expect(consents()).toBe(1);
    } finally {
      await client.close();
    }
  });

  it("satisfies a client that checks everything", async () => {
    const insecure = { [strict.allowInsecureRequests]: true };
    const resource = url("system");
    const document = await strict
      .resourceDiscoveryRequest(resource, insecure)
      .then((answer) => strict.processResourceDiscoveryResponse(resource, answer));
    const issuer = new URL(document.authorization_servers?.[0] ?? "");
    const server = await strict
      .discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" })
      .then((answer) => strict.processDiscoveryResponse(issuer, answer));
    expect(
      (
        await strict
          .discoveryRequest(issuer, { ...insecure, algorithm: "oidc" })
          .then((answer) => strict.processDiscoveryResponse(issuer, answer))
      ).issuer,
    ).toBe(server.issuer);
    const registration = await strict.dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [redirectUri], token_endpoint_auth_method: "none" },
      insecure,
    );
    const client = await strict.processDynamicClientRegistrationResponse(registration);
    const verifier = strict.generateRandomCodeVerifier();
    const address = new URL(server.authorization_endpoint ?? "");
    const parameters = {
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: redirectUri,
      state: "s",
      resource: resource.href,
      code_challenge_method: "S256",
    };
    address.search = new URLSearchParams({
      ...parameters,
      code_challenge: await strict.calculatePKCECodeChallenge(verifier),
    }).toString();
    const { answer } = await (await openConsent(address.href, oauth.ann)).answer({
      approve: true,
      organizationId: oauth.ann.organizationId,
    });
    const checked = strict.validateAuthResponse(server, client, answer, "s");
    const grant = await strict.authorizationCodeGrantRequest(
      server,
      client,
      strict.None(),
      checked,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await strict.processAuthorizationCodeResponse(server, client, grant);
    const renewal = await strict.refreshTokenGrantRequest(
      server,
      client,
      strict.None(),
      tokens.refresh_token ?? "",
      insecure,
    );
    const renewed = await strict.processRefreshTokenResponse(server, client, renewal);
    const used = await strict.protectedResourceRequest(
      renewed.access_token,
      "GET",
      resource,
      undefined,
      undefined,
      insecure,
    );
    expect(used.status).toBe(405);
    await strict.processRevocationResponse(
      await strict.revocationRequest(server, client, strict.None(), renewed.access_token, insecure),
    );
    expect((await oauth.client.use(renewed.access_token).modern("system", "tools/list")).status).toBe(401);
  });

  it("keeps browsers below its own address", async () => {
    const { issuerUrl } = oauth.app.config.oauth;
    const metadata = (await (
      await fetch(`${oauth.app.gatewayUrl}/.well-known/oauth-authorization-server`)
    ).json()) as Record<string, string>;
    expect(
      Object.values(metadata)
        .filter((value) => /\/oauth\//.test(value))
        .every((value) => value.startsWith(`${issuerUrl}/oauth/`)),
    ).toBe(true);
    const { pathname } = new URL(issuerUrl);
    if (pathname === "/") return;
    for (const path of [
      `/.well-known/oauth-authorization-server${pathname}`,
      `${pathname}/.well-known/oauth-authorization-server`,
      `/.well-known/openid-configuration${pathname}`,
      `${pathname}/.well-known/openid-configuration`,
    ])
      expect(await (await fetch(oauth.app.gatewayUrl + path)).json(), path).toEqual(metadata);
  });
});
