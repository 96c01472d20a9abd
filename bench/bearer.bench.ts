import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import pg from "pg";
import { newId } from "../src/base/ids.ts";
import { createLog } from "../src/base/log.ts";
import { createApiKeys } from "../src/identity/api-keys.ts";
import { createOrganizations } from "../src/identity/organizations.ts";
import { createConsent } from "../src/oauth/consent.ts";
import { createResources, type ResourceServer } from "../src/oauth/resources.ts";
import { sha256 } from "../src/oauth/token-store.ts";
import { createVerifyAccessToken } from "../src/oauth/verify-access-token.ts";
import { createDatabase } from "../src/storage/database.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "../src/storage/migrate.ts";
import { createOAuthBrowser } from "../test/support/oauth/oauth-browser.ts";
import { createChallenge, createOAuthClient, redirectUri } from "../test/support/oauth/oauth-client.ts";
import { createDataDir, startServer } from "../test/support/spawned-server.ts";
import { median, reportFigure } from "./report-figure.ts";

// What an access token costs next to an API key, and how many clients a second can go all the way from authorize to their tokens.
const bench = "bearer";
const inFlight = 64;
const roundMs = 2_000;
const rounds = 5;
const count = 500;

await compareVerification();
await measureFlow();

async function compareVerification(): Promise<void> {
  const log = createLog("error");
  const { dataDir } = createDataDir();
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  await migrate(postgres.target, { folder: migrationsFolder });
  const db = createDatabase({ target: postgres.target, applicationName: "bench", log });
  const [apiKeys, accessTokens] = [createApiKeys({ db, log }), createVerifyAccessToken({ db, log })];
  try {
    const organizationId = newId();
    const tokens = await plantTokens(postgres.target, organizationId);
    const keys: string[] = [];
    for (let index = 0; index < count; index++)
      keys.push(
        (await apiKeys.create(organizationId, { name: `key ${index}`, scopes: ["mcp:invoke"], createdBy: null })).key,
      );
    const ways = {
      key: (call: number) => apiKeys.verify(keys[call % count], "mcp:invoke"),
      token: (call: number) => accessTokens.verify(tokens[call % count] ?? "", "slack"),
    };
    const speeds = { key: [] as number[], token: [] as number[] };
    for (const way of ["key", "token"] as const) await measure(ways[way]);
    for (let round = 0; round < rounds; round++)
      for (const way of ["key", "token"] as const) speeds[way].push(await measure(ways[way]));
    const [value, baselineValue] = [median(speeds.token), median(speeds.key)];
    reportFigure({
      bench,
      figure: "verifications per second, 64 in flight",
      unit: "1/s",
      value,
      baseline: "API keys in the same run",
      baselineValue,
    });
    reportFigure({
      bench,
      figure: "rate over that of API keys",
      unit: "×",
      value: value / baselineValue,
      bar: { atLeast: 0.9 },
    });
  } finally {
    await apiKeys.close();
    await accessTokens.close();
    await db.close();
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(run: (call: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let calls = 0;
  const loop = async () => {
    while (performance.now() - startedAt < roundMs) await run(calls++);
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return calls / ((performance.now() - startedAt) / 1000);
}

async function plantTokens(target: pg.ClientConfig, organizationId: string): Promise<string[]> {
  const client = new pg.Client(target);
  await client.connect();
  try {
    const userId = newId();
    await client.query("INSERT INTO organization (id, name) VALUES ($1, 'Bench')", [organizationId]);
    await client.query("INSERT INTO app_user (id, name, email) VALUES ($1, 'Ann', 'ann@example.com')", [userId]);
    await client.query("INSERT INTO member (id, organization_id, user_id, role) VALUES ($1, $2, $3, 'owner')", [
      newId(),
      organizationId,
      userId,
    ]);
    await client.query("INSERT INTO oauth_client (id, kind, metadata) VALUES ('client', 'registered', '{}')");
    const tokens = Array.from({ length: count }, () => randomBytes(32).toString("base64url"));
    for (const token of tokens) {
      const connectionId = newId();
      await client.query(
        `INSERT INTO oauth_connection (id, user_id, organization_id, client_id, client_name, resource, server_id, scopes, expires_at)
         VALUES ($1, $2, $3, 'client', 'Bench', 'x', 'slack', '{mcp:invoke}', now() + interval '1 day')`,
        [connectionId, userId, organizationId],
      );
      await client.query(
        `INSERT INTO oauth_token (model, id_sha256, connection_id, scopes, payload, expires_at)
         VALUES ('AccessToken', $1, $2, '{mcp:invoke}', '{}', now() + interval '1 day')`,
        [sha256(token), connectionId],
      );
    }
    await client.query("ANALYZE");
    return tokens;
  } finally {
    await client.end();
  }
}

/** Five requests each: authorize, the way to the page, the way back in two steps, the token. The decision itself is made here. */
async function measureFlow(): Promise<void> {
  const log = createLog("error");
  const { dataDir, remove } = createDataDir();
  const server = await startServer({
    dataDir,
    environment: { RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE: "10000000", LOG_LEVEL: "error" },
  });
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const db = createDatabase({ target: postgres.target, applicationName: "bench", log });
  try {
    const account = {
      name: "Ann",
      email: "ann@example.com",
      password: "correct horse battery",
      organizationName: "Bench",
    };
    const { userId, organizationId } = (await server.browser().post("/api/setup", account)).body as {
      userId: string;
      organizationId: string;
    };
    const issuerUrl = server.gatewayUrl;
    const slack: ResourceServer = { id: "slack", title: "Slack", scopes: ["mcp:invoke"], credentialType: null };
    const resources = createResources({ resourceUrl: issuerUrl, servers: [slack] });
    const accounts = { list: async () => [], choose: async () => null };
    const consent = createConsent({
      db,
      organizations: createOrganizations({ db, creation: "everyone" }),
      accounts,
      resources,
      issuerUrl,
    });
    const person = { userId, name: "Ann", email: "ann@example.com", createdAt: new Date(), sessionId: "" };
    const client = createOAuthClient(issuerUrl);
    const clientId = String((await client.register({ redirect_uris: [redirectUri] })).body.client_id);
    const decide = (uid: string) => consent.decide(uid, person, { approve: true, organizationId });
    const flow = () => makeFlow({ client, clientId, resource: resources.urlOf("slack"), decide });
    const run = async (forMs: number) => {
      const startedAt = performance.now();
      let done = 0;
      const loop = async () => {
        for (; performance.now() - startedAt < forMs; done++) await flow();
      };
      await Promise.all(Array.from({ length: 16 }, loop));
      return done / ((performance.now() - startedAt) / 1000);
    };
    await run(3_000);
    const value = median([await run(4_000), await run(4_000), await run(4_000)]);
    reportFigure({
      bench,
      figure: "flows from authorize to token per second, 16 at once",
      unit: "1/s",
      value,
      bar: { atLeast: 100 },
    });
  } finally {
    await db.close();
    await postgres.close();
    await server.stop();
    await remove();
  }
}

type Flow = {
  client: ReturnType<typeof createOAuthClient>;
  clientId: string;
  resource: string;
  decide: (uid: string) => Promise<{ redirectTo: string }>;
};

async function makeFlow({ client, clientId, resource, decide }: Flow): Promise<void> {
  const { verifier, challenge } = createChallenge();
  const request = { response_type: "code", client_id: clientId, redirect_uri: redirectUri, resource };
  const browser = createOAuthBrowser();
  const started = await browser.get(
    client.authorizeUrl({ ...request, code_challenge: challenge, code_challenge_method: "S256" }),
  );
  const shown = await browser.get(started.location);
  const { redirectTo } = await decide(shown.location.split("/").at(-1) ?? "");
  const resumed = await browser.get((await browser.get(redirectTo)).location);
  const code = new URL(resumed.location).searchParams.get("code") ?? "";
  const exchange = {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
  };
  const { status } = await client.token(exchange);
  if (status !== 200) throw new Error(`the code was answered with ${status}`);
}
