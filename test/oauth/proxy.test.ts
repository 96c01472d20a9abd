import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowser } from "../support/browser-client.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { createOAuthBrowser } from "../support/oauth/oauth-browser.ts";
import { createChallenge, createOAuthClient, redirectUri } from "../support/oauth/oauth-client.ts";
import { password } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

// A proxy that speaks TLS stands before both doors: the public addresses are others than those the server listens on.
const web = "https://web.example";
const tools = "https://tools.example/switchyard";
let app: TestApp;
let inside: { web: string; tools: string };
let organizationId: string;

beforeAll(async () => {
  app = await startTestApp({ environment: { PLATFORM_API_BASE_URL: web, MCP_API_BASE_URL: tools } });
  const { platform, gateway } = app.config;
  inside = { web: `http://localhost:${platform.port}`, tools: `http://localhost:${gateway.port}` };
  const account = { name: "Ann", email: "ann@example.com", password, organizationName: "Team" };
  organizationId = (await app.parts.identity.setup.createOwner(account)).organizationId;
});
afterAll(() => app.stop());

/** What the proxy does with a public address, when it takes the path of the gateway away or leaves it. */
const proxies = {
  strips: (url: string) => url.replace(tools, inside.tools),
  keeps: (url: string) => url.replace(tools, `${inside.tools}/switchyard`),
};

describe.each(["strips", "keeps"] as const)("behind a proxy that %s the path", (kind) => {
  const through = (url: string) => proxies[kind](url).replace(web, inside.web);

  it("a client goes all the way on public addresses", async () => {
    const metadata = (await (await fetch(through(`${tools}/.well-known/oauth-authorization-server`))).json()) as Record<
      string,
      string
    >;
    expect([metadata.issuer, metadata.token_endpoint]).toEqual([tools, `${tools}/oauth/token`]);
    const resource = `${tools}/slack/mcp`;
    for (const path of [
      "/.well-known/oauth-protected-resource/slack/mcp",
      "/.well-known/oauth-protected-resource/switchyard/slack/mcp",
    ])
      expect(await (await fetch(inside.tools + path)).json()).toMatchObject({
        resource,
        authorization_servers: [tools],
      });

    const client = createOAuthClient(tools, through(tools));
    const client_id = String((await client.register({ redirect_uris: [redirectUri] })).body.client_id);
    const { verifier, challenge } = createChallenge();
    const request = {
      response_type: "code",
      client_id,
      redirect_uri: redirectUri,
      resource,
      code_challenge: challenge,
    };
    const browser = createOAuthBrowser();
    const go = async (url: string) => await browser.get(through(url), { cookie: jar(new URL(url).pathname) });
    const jar = (path: string) =>
      browser
        .cookies()
        .filter((cookie) => path.startsWith(cookie.path))
        .map(({ name, value }) => `${name}=${value}`)
        .join("; ");

    const started = await browser.get(client.authorizeUrl({ ...request, code_challenge_method: "S256" }));
    expect(started.location.startsWith(`${tools}/oauth/consent/`)).toBe(true);
    for (const { name, path, attributes } of browser.cookies()) {
      expect(name).toMatch(/^__Secure-switchyard_/);
      expect(path).toMatch(/^\/switchyard\/oauth\//);
      expect(attributes.map((attribute) => attribute.toLowerCase())).toEqual(
        expect.arrayContaining(["secure", "httponly", "samesite=lax"]),
      );
    }
    const shown = await go(started.location);
    const uid = shown.location.replace(`${web}/consent/`, "");
    const person = createBrowser(inside.web);
    const origin = { origin: web };
    await person.send("POST", "/api/sign-in", { email: "ann@example.com", password }, origin);
    const decision = await person.send(
      "POST",
      `/api/oauth/consent-requests/${uid}/decision`,
      { approve: true, organizationId },
      origin,
    );
    const finished = await go(decision.body.redirectTo);
    expect(finished.location.startsWith(`${tools}/oauth/authorize/`)).toBe(true);
    const answer = new URL((await go(finished.location)).location).searchParams;
    expect(answer.get("iss")).toBe(tools);
    const exchange = {
      grant_type: "authorization_code",
      code: answer.get("code") ?? "",
      redirect_uri: redirectUri,
      client_id,
      code_verifier: verifier,
    };
    const { status, body } = await client.token({ ...exchange, resource });
    expect(status).toBe(200);
    const mcp = createMcpClient(through(tools), { authorization: `Bearer ${body.access_token}` });
    expect((await mcp.modern("slack", "tools/list")).status).toBe(200);
  });

  it("the list of servers is where it should be, and names addresses that lead to them", async () => {
    const listed = (await (await fetch(through(`${tools}/servers`))).json()) as { data: { id: string; url: string }[] };
    const { url } = listed.data.find(({ id }) => id === "slack") as { url: string };
    expect(url).toBe(`${tools}/slack/mcp`);
    const challenged = await fetch(through(url), { method: "POST" });
    expect(challenged.status).toBe(401);
    const where = /resource_metadata="([^"]+)"/.exec(challenged.headers.get("www-authenticate") ?? "")?.[1] ?? "";
    expect(where).toBe(`${tools}/.well-known/oauth-protected-resource/slack/mcp`);
    expect(await (await fetch(through(where))).json()).toMatchObject({ resource: url });
  });
});

describe("a path that is also the name of a server", () => {
  it("leaves the server where it is", async () => {
    const named = await startTestApp({
      database: app.database,
      environment: { MCP_API_BASE_URL: "https://tools.example/slack" },
    });
    const at = (path: string) => fetch(`http://localhost:${named.config.gateway.port}${path}`, { method: "POST" });
    try {
      for (const path of ["/slack/mcp", "/slack/slack/mcp", "/slack/github/mcp"])
        expect((await at(path)).status, path).toBe(401);
      expect((await at("/slackers/github/mcp")).status).toBe(404);
    } finally {
      await named.stop();
    }
  });
});

describe("a path below another one", () => {
  it("is taken away whole, and not only its beginning", async () => {
    const environment = {
      MCP_API_BASE_URL: "https://tools.example/mcp",
      MCP_OAUTH_ISSUER_URL: "https://tools.example/mcp/slack",
    };
    const nested = await startTestApp({ database: app.database, environment });
    const at = (path: string, method = "GET") =>
      fetch(`http://localhost:${nested.config.gateway.port}${path}`, { method });
    try {
      for (const path of ["/mcp/slack/oauth/jwks", "/mcp/slack/.well-known/oauth-authorization-server", "/mcp/servers"])
        expect((await at(path)).status, path).toBe(200);
      for (const path of ["/mcp/slack/mcp", "/mcp/github/mcp"]) expect((await at(path, "POST")).status, path).toBe(401);
    } finally {
      await nested.stop();
    }
  });
});
