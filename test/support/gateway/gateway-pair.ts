import { randomUUID } from "node:crypto";
import { newId } from "../../../src/base/ids.ts";
import { readConfig } from "../../../src/config.ts";
import { openParts } from "../../../src/start-up/open-parts.ts";
import { startCountingProvider } from "../providers/counting-provider.ts";
import { createDataDir, type SpawnedServer, startServer } from "../spawned-server.ts";
import { createTestDatabase } from "../storage/test-database.ts";
import { silentLog } from "../storage/test-postgres.ts";
import { busySettings, testKeys } from "../test-settings.ts";
import { createMcpClient, modernHeaders, modernMeta, type RpcAnswer } from "./mcp-client.ts";

export type GatewayPair = Awaited<ReturnType<typeof startGatewayPair>>;
export type Team = Awaited<ReturnType<GatewayPair["createTeam"]>>;

type Options = {
  environment?: Record<string, string>;
  /** How the gateways reach the database, when not directly. */
  reach?: (database: Awaited<ReturnType<typeof createTestDatabase>>) => Promise<string>;
};

/** Two gateways as processes of their own on one database, and a provider that counts: what promises about faults are proven with. */
export async function startGatewayPair({ environment: given = {}, reach }: Options = {}) {
  const folder = createDataDir();
  const [database, provider] = await Promise.all([createTestDatabase(), startCountingProvider()]);
  const environment = { DATABASE_URL: database.url, ...testKeys, ...busySettings, ...given };
  const parts = await openParts({
    config: readConfig({ ...environment, SWITCHYARD_DATA_DIR: folder.dataDir }),
    log: silentLog,
  });
  const served = { ...environment, ...(reach ? { DATABASE_URL: await reach(database) } : {}) };
  const start = (ports?: SpawnedServer["ports"], roles = "gateway") =>
    startServer({ dataDir: folder.dataDir, roles, environment: served, ...(ports ? { ports } : {}) });
  const gateways = await Promise.all([start(), start()]);

  const createKey = (organizationId: string) =>
    parts.identity.apiKeys.create(organizationId, { name: "test", scopes: ["mcp:invoke"], createdBy: null });

  return {
    database,
    provider,
    parts,
    gateways,
    start,
    createKey,

    /** An organization with slots of its own, a key, and a credential that the provider can tell from others. */
    async createTeam(name: string) {
      const organizationId = newId();
      await database.query("INSERT INTO organization (id, name) VALUES ($1, $2)", [organizationId, name]);
      const data = { kind: "bearer", accessToken: `token-of-${name}`, baseUrl: provider.url };
      const { reference } = await parts.vault.credentials.create(organizationId, {
        type: "github",
        name,
        data,
        createdBy: null,
      });
      return { name, organizationId, reference, key: await createKey(organizationId) };
    },

    async stop(): Promise<void> {
      await Promise.all(gateways.map(killGateway));
      await parts.close();
      await provider.stop();
      await database.drop();
      await folder.remove();
    },
  };
}

export async function killGateway(gateway: SpawnedServer): Promise<void> {
  gateway.child.kill("SIGKILL");
  await gateway.ended;
}

/** Asks the provider, through the gateway, to say the nonce. */
export function callWith(nonce: string, gateway: SpawnedServer, team: Team, signal?: AbortSignal): Promise<RpcAnswer> {
  const { body, headers } = issueRequest(nonce, team);
  return createMcpClient(gateway.gatewayUrl, {}).post("github", body, headers, signal);
}

export function issueRequest(nonce: unknown, { reference, key }: Pick<Team, "reference" | "key">, meta: object = {}) {
  const given = { owner: "acme", repo: "site", title: nonce, credentials: { github: reference } };
  const params = { name: "github_create_issue", arguments: given, _meta: { ...modernMeta, ...meta } };
  return {
    body: { jsonrpc: "2.0", id: typeof nonce === "string" ? nonce : 1, method: "tools/call", params },
    headers: { ...modernHeaders("tools/call", params.name), "x-api-key": key.key },
  };
}

export const saidIn = ({ json: { id, result } }: Pick<RpcAnswer, "json">) => ({
  id,
  title: (result?.structuredContent?.items as { title: string }[])?.[0]?.title,
});

/** The code of a refusal, in whichever of the three forms it came. */
export const codeIn = ({ json }: Pick<RpcAnswer, "json">): string | undefined =>
  (json.error?.data as { code?: string } | undefined)?.code ??
  json.result?._meta?.["switchyard/error"]?.code ??
  (json as { code?: string }).code;

/** Clients that call one after the other until they are told to stop or the gateway is gone. */
export function startClients(count: number, gateway: SpawnedServer, team: Team) {
  const answers = new Map<string, RpcAnswer>();
  const first = Promise.withResolvers<void>();
  let isStopped = false;
  const loop = async () => {
    while (!isStopped) {
      const nonce = randomUUID();
      const answer = await callWith(nonce, gateway, team).catch(() => undefined);
      if (!answer) return;
      answers.set(nonce, answer);
      first.resolve();
    }
  };
  const loops = Array.from({ length: count }, loop);
  return {
    answers,
    whenAnswered: first.promise,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

export type IssueRecord = {
  id: string;
  status: string;
  code: string | null;
  asked: string;
  said: string | null;
  queueMs: number;
};

/** The records of one organization, as they are in the table. */
export const readIssueRecords = (
  { database }: { database: Pick<GatewayPair["database"], "query"> },
  { organizationId }: Pick<Team, "organizationId">,
) =>
  database.query<IssueRecord>(
    `SELECT id, status, error_code AS code, parameters::jsonb ->> 'title' AS asked, outputs::jsonb -> 0 ->> 'title' AS said, queue_ms::int AS "queueMs"
     FROM tool_call WHERE organization_id = $1 AND tool = 'github_create_issue'`,
    [organizationId],
  );

/** What the gateway says about its slots. */
export async function readSlots(gateway: SpawnedServer): Promise<Record<string, number>> {
  const text = await (await fetch(`${gateway.gatewayUrl}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/^switchyard_slots\{state="(\w+)"\} (\d+)$/gm)].map(([, state, count]) => [state, Number(count)]),
  );
}
