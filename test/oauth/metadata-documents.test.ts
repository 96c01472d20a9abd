import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type DocumentServer, startDocumentServer } from "../support/oauth/document-server.ts";
import { type OAuthApp, startOAuthApp } from "../support/oauth/oauth-app.ts";
import { createOAuthBrowser } from "../support/oauth/oauth-browser.ts";
import { connectClient, createChallenge, openConsent, redirectUri } from "../support/oauth/oauth-client.ts";

let oauth: OAuthApp;
let documents: DocumentServer;
beforeAll(async () => {
  documents = await startDocumentServer();
  oauth = await startOAuthApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8, ::1/128" } });
});
afterAll(async () => {
  await oauth.stop();
  await documents.stop();
});
afterEach(() => void vi.useRealTimers());

const authorizeUrl = (client: OAuthApp["client"], client_id: string, redirect_uri = redirectUri) =>
  client.authorizeUrl({
    response_type: "code",
    client_id,
    redirect_uri,
    resource: client.resourceOf("slack"),
    code_challenge: createChallenge().challenge,
    code_challenge_method: "S256",
  });
const authorize = (client_id: string, redirect_uri?: string) =>
  createOAuthBrowser().get(authorizeUrl(oauth.client, client_id, redirect_uri));
const metadata = {
  client_name: "Document client",
  redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
};

describe("a client with a document of its own", () => {
  it("connects without registering, from any port of localhost, and is shown with the host that vouches for it", async () => {
    const clientId = documents.serve("/client.json", {
      ...metadata,
      grant_types: ["authorization_code", "urn:x:unknown"],
      scope: "anything",
    });
    const consent = await openConsent(authorizeUrl(oauth.client, clientId), oauth.ann);
    const { body } = await consent.read();
    const host = `localhost:${documents.port}`;
    expect(body.client).toEqual({
      name: "Document client",
      host,
      redirectHost: "localhost:8787",
      isLoopback: true,
      isSelfRegistered: false,
    });
    const { mcp, refresh, tokens } = await connectClient(oauth.client, oauth.ann, { serverId: "slack", clientId });
    expect((await mcp.modern("slack", "tools/list")).status).toBe(200);
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
    const { data } = (await oauth.ann.browser.get(`/api/organizations/${oauth.ann.organizationId}/connections`)).body;
    expect(data[0]).toMatchObject({ clientName: "Document client", clientHost: host });
    expect((await authorize(clientId, "https://localhost/callback")).status).toBe(400);
    expect((await authorize(clientId, "http://localhost:1/other")).status).toBe(400);
  });

  it("is read again after a while, and then its new addresses count", async () => {
    const clientId = documents.serve("/changing.json", metadata, { "cache-control": "max-age=0" });
    const before = documents.requests();
    expect([(await authorize(clientId)).status, (await authorize(clientId)).status]).toEqual([303, 303]);
    expect(documents.requests() - before).toBe(1);
    documents.serve(
      "/changing.json",
      { ...metadata, redirect_uris: ["http://localhost/new"] },
      { "cache-control": "max-age=99999999" },
    );
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
    expect([(await authorize(clientId)).status, (await authorize(clientId, "http://localhost:1/new")).status]).toEqual([
      400, 303,
    ]);
    expect(documents.requests() - before).toBe(2);
    documents.serve("/changing.json", metadata);
    vi.setSystemTime(Date.now() + 3_500_000);
    expect((await authorize(clientId)).status).toBe(400);
    vi.setSystemTime(Date.now() + 200_000);
    expect((await authorize(clientId)).status).toBe(303);
  });
});

describe("a document is refused", () => {
  it.each<[string, Record<string, unknown>]>([
    ["of another client", { ...metadata, client_id: "https://elsewhere.example/client.json" }],
    ["with a secret", { ...metadata, client_secret: "s" }],
    ["that authenticates with a secret", { ...metadata, token_endpoint_auth_method: "client_secret_post" }],
    ["without addresses", { client_name: "A" }],
    ["with an address that runs script", { redirect_uris: ["javascript:alert(1)", redirectUri] }],
    ["that is too large", { ...metadata, padding: "x".repeat(6000) }],
  ])("%s", async (name, document) => {
    const clientId = documents.serve(`/${encodeURIComponent(name)}.json`, document);
    const { status, location } = await authorize(clientId);
    expect([status, location]).toEqual([400, ""]);
  });

  it("that is not JSON, not there, somewhere else, or too slow", async () => {
    documents.answer("/text.json", (response) => response.end("hello"));
    documents.answer("/moved.json", (response) =>
      response.writeHead(302, { location: `${documents.url}/there.json` }).end(),
    );
    documents.answer("/slow.json", () => {});
    documents.serve("/there.json", metadata);
    for (const path of ["/text.json", "/missing.json", "/moved.json"])
      expect((await authorize(documents.url + path)).status, path).toBe(400);
    const startedAt = performance.now();
    expect((await authorize(`${documents.url}/slow.json`)).status).toBe(400);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  it.each([
    (url: string) => url.replace("https:", "http:"),
    (url: string) => url.replace("https://", "https://user@"),
    (url: string) => `${url}#part`,
    (url: string) => url.replace("/good.json", "/a/../good.json"),
    (url: string) => url.replace("/good.json", "/%2e%2e/good.json"),
  ])("whose address is not plain %#", async (change) => {
    const before = documents.requests();
    expect((await authorize(change(documents.serve("/good.json", metadata)))).status).toBe(400);
    expect(documents.requests()).toBe(before);
  });
});

it("no address inside is ever connected to", async () => {
  const guarded = await startOAuthApp();
  const before = documents.connections();
  try {
    const port = documents.port;
    const inside = [
      ...[
        "127.0.0.1",
        "localhost",
        "[::1]",
        "2130706433",
        "0x7f000001",
        "127.1",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
      ].map((host) => `https://${host}:${port}/client.json`),
      ...["169.254.169.254", "10.0.0.1", "192.168.1.1", "168.63.129.16", "0.0.0.0"].map(
        (host) => `https://${host}/client.json`,
      ),
    ];
    for (const clientId of inside) {
      const { status, text } = await createOAuthBrowser().get(authorizeUrl(guarded.client, clientId));
      expect([clientId, status]).toEqual([clientId, 400]);
      expect(text).not.toContain("not a public address");
      expect(
        (await guarded.client.token({ grant_type: "refresh_token", refresh_token: "x", client_id: clientId })).status,
      ).toBeGreaterThanOrEqual(400);
    }
    expect(documents.connections()).toBe(before);
  } finally {
    await guarded.stop();
  }
});
