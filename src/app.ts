import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import packageJson from "../package.json" with { type: "json" };
import { createAddressRules } from "./base/address-rules.ts";
import { type Clock, systemClock } from "./base/clock.ts";
import { newId } from "./base/ids.ts";
import { readOrCreateKeyFile } from "./base/key-file.ts";
import type { Log } from "./base/log.ts";
import { createResolveHost } from "./base/resolve-host.ts";
import { createSafeFetch } from "./base/safe-fetch.ts";
import { createReplay } from "./calls/replay.ts";
import { createRunRecordedCall, type RunRecordedCall } from "./calls/run-recorded-call.ts";
import { createCatalog } from "./catalog/catalog.ts";
import { loadProviders } from "./catalog/load-providers.ts";
import { type Config, isLoopbackName } from "./config.ts";
import { createMetrics } from "./door/metrics.ts";
import { createExecute } from "./execution/execute.ts";
import { createPrepare } from "./execution/prepare.ts";
import { createSlots, type Slots } from "./execution/slots.ts";
import { createToolCall, type Outside } from "./execution/tool-call.ts";
import { createCallNode, createCallPlatformTool } from "./gateway/call-tool.ts";
import { createGatewayServer, type GatewayOptions } from "./gateway/server.ts";
import { createHistory } from "./history/history.ts";
import { createIdentity, type Identity } from "./identity/identity.ts";
import { rankOf } from "./identity/organizations.ts";
import { createPlans } from "./plans/plans.ts";
import { createPlatformServer } from "./platform/server.ts";
import { type ConnectionTarget, createDatabase, type Database } from "./storage/database.ts";
import { startEmbeddedPostgres } from "./storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "./storage/migrate.ts";
import type { CredentialType } from "./vault/credential-data.ts";
import { createKeyRingSource } from "./vault/key-ring.ts";
import { createVault } from "./vault/vault.ts";

// A client that never ends its request must not hold up the stop for longer.
const answerLimitMs = 20_000;

export const allRoles = ["platform", "gateway", "worker"] as const;
export type ProcessRole = (typeof allRoles)[number];

export type Parts = Awaited<ReturnType<typeof openParts>>;

type Surroundings = {
  config: Config;
  log: Log;
  clock?: Clock;
  /** Those of the catalogue unless given. */
  credentialTypes?: ReadonlyMap<string, CredentialType>;
};

/** Everything below the doors: what the server and the command line have in common. */
export async function openParts({ config, log, clock = systemClock, credentialTypes }: Surroundings) {
  const storage = await openStorage(config, log);
  try {
    const { applied } = await migrate(storage.target, { folder: migrationsFolder });
    if (applied.length > 0) log.info({ applied }, "database migrated");
    const db = createDatabase({ target: storage.target, applicationName: "switchyard", poolSize: config.databasePoolSize, log });
    const cookieKey = readCookieKey(config);
    const setupToken = isLoopbackName(config.listenHost) ? undefined : randomBytes(18).toString("base64url");
    const identity = createIdentity({
      db,
      clock,
      log,
      cookieKey,
      baseUrl: config.platform.baseUrl,
      mail: { smtpUrl: config.smtpUrl, from: config.mailFrom },
      setupToken,
    });
    const addressRules = createAddressRules({ allowedCidrs: config.outboundAllowedCidrs });
    const fetch = createSafeFetch({ addressRules });
    const catalog = createCatalog(await loadProviders());
    const outside = { fetch, resolveHost: createResolveHost({ addressRules }), clock };
    const vault = openVault({ config, log, db, outside, identity, credentialTypes: credentialTypes ?? catalog.credentialTypes });
    await vault.masterKey.verify().catch(async (error: unknown) => {
      await db.close();
      throw error;
    });
    const history = openHistory({ config, log, clock, db, target: storage.target });
    return {
      db,
      target: storage.target,
      identity,
      catalog,
      vault,
      history,
      plans: createPlans({ db }),
      outside,
      setupToken,
      async close() {
        await fetch.close();
        await history.close();
        await identity.close();
        await db.close();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Opens the doors of the given roles. `stop` answers what is under way before it closes anything below. */
export async function startApp(surroundings: Surroundings & { roles: readonly ProcessRole[]; gateway?: Partial<GatewayOptions> }) {
  const { config, log, roles } = surroundings;
  const parts = await openParts(surroundings);
  let isStopping = false;
  const metrics = createMetrics(parts.db.counts);
  const slots = openSlots(parts, config, log);
  metrics.watchSlots(slots.counts);
  const runRecordedCall = openCalls(parts, slots, { config, log });
  const door = (baseUrl: string) => ({
    baseUrl,
    trustedProxies: config.trustedProxies,
    log,
    metrics,
    metricsToken: config.metricsToken,
    isDatabaseReachable: parts.db.isReachable,
    isStopping: () => isStopping,
  });
  const servers: FastifyInstance[] = [];

  async function stop(): Promise<void> {
    isStopping = true;
    const impatience = setTimeout(() => {
      for (const { server } of servers) server.closeAllConnections();
    }, answerLimitMs);
    await Promise.all(servers.map((server) => server.close())).finally(() => clearTimeout(impatience));
    await slots.close();
    await parts.close();
  }

  try {
    parts.history.start();
    await slots.start();
    if (roles.includes("platform")) {
      const server = await createPlatformServer({
        door: door(config.platform.baseUrl),
        identity: parts.identity,
        catalog: parts.catalog,
        vault: parts.vault,
        history: parts.history,
        replay: createReplay({ calls: parts.history.calls, nodes: parts.catalog.nodes, runRecordedCall }),
        version: packageJson.version,
        isSignUpOpen: config.deploymentMode === "cloud",
        signInLimitPerMinute: config.signInLimitPerMinute,
        keyLimitPerMinute: config.keyLimitPerMinute,
      });
      servers.push(server);
      await server.listen({ host: config.listenHost, port: config.platform.port });
    }
    if (roles.includes("gateway")) {
      const own = gatewayOptions(parts, runRecordedCall, config);
      const server = await createGatewayServer({ ...own, ...surroundings.gateway, door: door(config.gateway.baseUrl) });
      servers.push(server);
      await server.listen({ host: config.listenHost, port: config.gateway.port });
    }
    const { needed } = await parts.identity.setup.state();
    return { parts, firstAccountNeeded: needed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function openCalls({ vault, outside, history }: Parts, slots: Slots, { config, log }: { config: Config; log: Log }): RunRecordedCall {
  const prepare = createPrepare({ vault });
  const execute = createExecute({ vault, outside, log });
  return createRunRecordedCall({ prepare, execute, slots, recorder: history.recorder, limitMs: config.maxExecutionTimeMs });
}

function gatewayOptions(parts: Parts, runRecordedCall: RunRecordedCall, config: Config): Omit<GatewayOptions, "door"> {
  const { catalog, identity, vault, history, plans } = parts;
  return {
    catalog,
    apiKeys: identity.apiKeys,
    callNode: createCallNode(runRecordedCall),
    callPlatformTool: createCallPlatformTool(history.recorder),
    platform: {
      organizations: identity.organizations,
      credentials: vault.credentials,
      calls: history.calls,
      ...(config.deploymentMode === "cloud" ? { credits: plans } : {}),
    },
    version: packageJson.version,
    resourceUrl: config.oauth.resourceUrl,
    serverUrlTemplate: config.serverUrlTemplate,
    keyLimitPerMinute: config.keyLimitPerMinute,
  };
}

function openSlots({ target, plans }: Parts, config: Config, log: Log): Slots {
  const { maxConcurrentExecutions: cap, maxQueuedExecutions: queueLimit, deploymentMode } = config;
  const sameForAll = async (organizationIds: string[]) => new Map(organizationIds.map((id) => [id, cap]));
  return createSlots({ target, capOf: deploymentMode === "cloud" ? plans.capOf : sameForAll, queueLimit, log });
}

async function openStorage(config: Config, log: Log) {
  if (config.databaseUrl !== undefined) return { target: { connectionString: config.databaseUrl }, close: async () => {} };
  return await startEmbeddedPostgres({ dataDir: config.dataDir, log });
}

type HistorySurroundings = { config: Config; log: Log; clock: Clock; db: Database; target: ConnectionTarget };

function openHistory({ config, ...surroundings }: HistorySurroundings) {
  const { historyRetentionDays: keptDays, historyMaxRows: keptRows, serverUrlTemplate } = config;
  return createHistory({ ...surroundings, keptDays, keptRows, serverUrlTemplate });
}

type VaultSurroundings = Required<Omit<Surroundings, "clock">> & { db: Database; identity: Identity; outside: Outside };

function openVault({ config, log, db, outside, identity, credentialTypes }: VaultSurroundings) {
  const { dataDir, masterKey, previousMasterKeys: previousKeys } = config;
  return createVault({
    db,
    clock: outside.clock,
    log,
    keyRing: createKeyRingSource({ dataDir, masterKey, previousKeys }),
    credentialTypes,
    fetch: outside.fetch,
    startCall: (credential, signal) =>
      createToolCall(outside, {
        provider: credential.definition.title,
        input: {},
        credential,
        isRepeatable: false,
        signal,
        idempotencyKey: newId(),
      }),
    oauthClients: config.oauthClients,
    platformBaseUrl: config.platform.baseUrl,
    async mayManage(organizationId, userId) {
      const member = await identity.organizations.membership(organizationId, userId);
      return member !== undefined && rankOf(member.organization.role) >= rankOf("admin");
    },
  });
}

function readCookieKey(config: Config): Buffer {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o711 });
  return config.cookieKey ?? readOrCreateKeyFile(join(config.dataDir, "cookie.key"));
}
