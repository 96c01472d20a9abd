import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { createLog } from "../src/base/log.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import type { Browser } from "../test/support/browser-client.ts";
import { connectClient, createOAuthClient } from "../test/support/oauth/oauth-client.ts";
import { createDataDir, type SpawnedServer, startServer } from "../test/support/spawned-server.ts";
import { fillInstallation, type Seed, type Sizes } from "./fill-installation.ts";

export type Installation = Awaited<ReturnType<typeof openInstallation>>;

export const person = { name: "Ann", email: "ann@example.com", password: "correct horse battery" };

/** A server of its own with a database of its own, which holds so much of everything or nothing yet, and a service that its calls reach. */
export async function openInstallation(sizes?: Sizes) {
  const { dataDir } = createDataDir();
  const closers: (() => unknown)[] = [() => rmSync(dataDir, { recursive: true, force: true })];
  const close = async () => {
    for (const end of closers.toReversed()) await end();
  };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, log: createLog("error") });
    closers.push(() => postgres.close());
    const service = createServer((_request, response) => response.end("{}")).listen(0, "localhost");
    closers.push(() => service.close());
    await once(service, "listening");
    const databaseUrl = addressOf(postgres.target);
    const server = await startServer({ dataDir, environment: { ...environment, DATABASE_URL: databaseUrl } });
    closers.push(() => server.stop());
    const made = await furnish(server, `http://localhost:${(service.address() as AddressInfo).port}/`);
    const startedAt = performance.now();
    if (sizes) await fillInstallation(postgres.target, made, sizes);
    return {
      ...made,
      server,
      dataDir,
      databaseUrl,
      filledSeconds: (performance.now() - startedAt) / 1_000,
      query: (text: string, values: unknown[] = []) => query(postgres.target, text, values),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export const environment = {
  LOG_LEVEL: "error",
  OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8,::1/128",
  RATE_LIMIT_API_KEY_PER_MINUTE: "10000000",
  RATE_LIMIT_SIGN_IN_PER_MINUTE: "1000000",
  SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1000",
};

/** What can only be made through the API: a person with a session, keys, an account that can be opened, a workflow with its last run. */
async function furnish(server: SpawnedServer, serviceUrl: string) {
  const browser = server.browser();
  const { organizationId } = await post(browser, "/api/setup", { ...person, organizationName: "Growing" });
  const path = `/api/organizations/${organizationId}`;
  const keyOf = (scopes: string[]) => post(browser, `${path}/api-keys`, { name: scopes.join(), scopes });
  const [mcp, trigger] = [await keyOf(["mcp:invoke"]), await keyOf(["workflows:trigger"])];
  const account = {
    type: "http_auth",
    name: "Own",
    data: { authKind: "bearer", secret: "0123456789-abcdefghijkl", baseUrl: serviceUrl },
  };
  const credential = await post(browser, `${path}/credentials`, account);
  const workflow = await post(browser, `${path}/workflows`, { name: "Busy", canvas });
  const tool = await post(browser, `${path}/workflows`, {
    name: "Offered",
    canvas,
    tool: { name: "offered", inputs: [] },
  });
  const client = createOAuthClient(server.gatewayUrl);
  const { tokens } = await connectClient(client, { browser, organizationId }, { serverId: "platform" });
  return {
    organizationId,
    browser,
    platformUrl: server.platformUrl,
    gatewayUrl: server.gatewayUrl,
    serviceUrl,
    cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; "),
    apiKeyId: mcp.id,
    credentialId: credential.id,
    reference: credential.reference,
    workflowId: workflow.id,
    toolWorkflowId: tool.id,
    mcpKey: mcp.key,
    triggerKey: trigger.key,
    accessToken: tokens.access_token,
  } satisfies Seed & Record<string, unknown>;
}

const canvas = { nodes: [{ id: "n0", nodeId: "system_date_time", parameters: {} }], edges: [] };

async function post(browser: Browser, path: string, body: unknown): Promise<Record<string, string> & Made> {
  const answer = await browser.post(path, body);
  if (answer.status >= 300) throw new Error(`${path} was answered with ${answer.status} ${answer.text}`);
  return answer.body as Record<string, string> & Made;
}
type Made = { id: string; key: string; reference: string; organizationId: string };

async function query(target: pg.ClientConfig, text: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(target);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}

function addressOf(target: Awaited<ReturnType<typeof startEmbeddedPostgres>>["target"]): string {
  if (!("host" in target)) throw new Error("The embedded database has no address.");
  return `postgres://${target.user}@localhost/${target.database}?host=${encodeURIComponent(target.host)}&port=${target.port}`;
}
