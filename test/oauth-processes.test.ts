import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "./support/free-port.ts";
import { connectClient, createChallenge, createOAuthClient, type OAuthClient, openConsent, redirectUri } from "./support/oauth-client.ts";
import { createDataDir, type SpawnedServer, startServer } from "./support/spawned-server.ts";
import { createTestDatabase } from "./support/test-database.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let folder: ReturnType<typeof createDataDir>;
let servers: SpawnedServer[];
let ports: { platform: number; gateway: number };
/** The same issuer, reached through the one process or the other. */
let first: OAuthClient;
let second: OAuthClient;
let ann: Parameters<typeof connectClient>[1];

const environment = () => ({
  DATABASE_URL: database.url,
  MCP_OAUTH_ISSUER_URL: `http://localhost:${ports.gateway}`,
  MCP_OAUTH_RESOURCE_URL: `http://localhost:${ports.gateway}`,
  RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE: "100000",
  RATE_LIMIT_OAUTH_REGISTRATION_PER_HOUR: "100000",
  LOG_LEVEL: "error",
});
const startGateway = () => startServer({ dataDir: folder.dataDir, roles: "gateway", environment: environment() });

beforeAll(async () => {
  [database, folder] = [await createTestDatabase(), createDataDir()];
  ports = { platform: await freePort(), gateway: await freePort() };
  servers = [await startServer({ dataDir: folder.dataDir, ports, environment: environment() }), await startGateway()];
  const [{ gatewayUrl, platformUrl } = { gatewayUrl: "", platformUrl: "" }, other] = servers;
  [first, second] = [createOAuthClient(gatewayUrl), createOAuthClient(gatewayUrl, other?.gatewayUrl)];
  const browser = servers[0]?.browser();
  const account = { name: "Ann", email: "ann@example.com", password: "correct horse battery", organizationName: "Team" };
  const created = await browser?.post("/api/setup", account);
  if (!browser || created?.status !== 201) throw new Error(`${platformUrl} did not create the first account`);
  ann = { browser, organizationId: created.body.organizationId };
  if ((await browser.get("/api/me")).status !== 200) await browser.post("/api/sign-in", account);
}, 90_000);
afterAll(async () => {
  for (const server of servers ?? []) await server.stop();
  await database.drop();
  await folder.remove();
});

async function receiveCode() {
  const { body } = await first.register({ redirect_uris: [redirectUri] });
  const { verifier: code_verifier, challenge } = createChallenge();
  const client_id = String(body.client_id);
  const request = { response_type: "code", client_id, redirect_uri: redirectUri, resource: first.resourceOf("system") };
  const url = first.authorizeUrl({ ...request, code_challenge: challenge, code_challenge_method: "S256" });
  const { answer } = await (await openConsent(url, ann)).answer({ approve: true, organizationId: ann.organizationId });
  return { grant_type: "authorization_code", code: answer.get("code") ?? "", redirect_uri: redirectUri, client_id, code_verifier };
}
const twenty = <Result>(ask: (client: OAuthClient) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, index) => ask(index % 2 === 0 ? first : second)));
const works = async (client: OAuthClient, token: string) => (await client.use(token).modern("system", "tools/list")).status === 200;

describe("two gateways on one database", () => {
  it("let one of twenty win who use a code at once", { timeout: 60_000 }, async () => {
    for (let round = 0; round < 3; round++) {
      const code = await receiveCode();
      const statuses = (await twenty((client) => client.token(code))).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 400)).toHaveLength(19);
    }
  });

  it("give one successor to twenty who refresh at once, and no chain forks", { timeout: 60_000 }, async () => {
    const { tokens, clientId } = await connectClient(first, ann, { serverId: "system" });
    let current = tokens.refresh_token;
    for (let round = 0; round < 3; round++) {
      const request = { grant_type: "refresh_token", refresh_token: current, client_id: clientId };
      const answers = await twenty((client) => client.token(request));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.access_token} ${body.refresh_token}`)).size).toBe(1);
      current = answers[0]?.body.refresh_token ?? "";
      expect(await works(second, answers[0]?.body.access_token ?? "")).toBe(true);
    }
    const [{ count } = { count: "" }] = await database.query<{ count: string }>(
      "SELECT count(*) FROM oauth_token WHERE model = 'RefreshToken' AND consumed_at IS NULL AND connection_id = (SELECT id FROM oauth_connection WHERE client_id = $1)",
      [clientId],
    );
    expect(count).toBe("1");
  });

  it("notice a refresh token that is used again, also after a restart", { timeout: 60_000 }, async () => {
    const { tokens, clientId } = await connectClient(first, ann, { serverId: "system" });
    const refresh = (refresh_token: string) => second.token({ grant_type: "refresh_token", refresh_token, client_id: clientId });
    const renewed = await refresh(tokens.refresh_token);
    expect(renewed.status).toBe(200);
    await servers[1]?.stop();
    servers[1] = await startGateway();
    second = createOAuthClient(servers[0]?.gatewayUrl ?? "", servers[1].gatewayUrl);
    expect(
      (await second.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: clientId })).body.access_token,
    ).toBe(renewed.body.access_token);
    await database.query("UPDATE oauth_token SET consumed_at = now() - interval '1 minute' WHERE consumed_at IS NOT NULL");
    expect((await refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
    expect([await works(first, renewed.body.access_token), (await refresh(renewed.body.refresh_token)).body.error]).toEqual([
      false,
      "invalid_grant",
    ]);
  });
});
