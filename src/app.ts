import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import packageJson from "../package.json" with { type: "json" };
import { type Clock, systemClock } from "./base/clock.ts";
import { readOrCreateKeyFile } from "./base/key-file.ts";
import type { Log } from "./base/log.ts";
import { type Config, isLoopbackName } from "./config.ts";
import { createMetrics } from "./door/metrics.ts";
import { createGatewayServer } from "./gateway/server.ts";
import { createIdentity } from "./identity/identity.ts";
import { createPlatformServer } from "./platform/server.ts";
import { createDatabase } from "./storage/database.ts";
import { startEmbeddedPostgres } from "./storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "./storage/migrate.ts";

// A client that never ends its request must not hold up the stop for longer.
const answerLimitMs = 20_000;

export const allRoles = ["platform", "gateway", "worker"] as const;
export type ProcessRole = (typeof allRoles)[number];

export type Parts = Awaited<ReturnType<typeof openParts>>;

type Surroundings = { config: Config; log: Log; clock?: Clock };

/** Everything below the doors: what the server and the command line have in common. */
export async function openParts({ config, log, clock = systemClock }: Surroundings) {
  const storage = await openStorage(config, log);
  try {
    const { applied } = await migrate(storage.target, { folder: migrationsFolder });
    if (applied.length > 0) log.info({ applied }, "database migrated");
    const db = createDatabase({ target: storage.target, applicationName: "switchyard", poolSize: config.databasePoolSize, log });
    const keys = readKeys(config);
    const setupToken = isLoopbackName(config.listenHost) ? undefined : randomBytes(18).toString("base64url");
    const identity = createIdentity({
      db,
      clock,
      log,
      cookieKey: keys.cookieKey,
      baseUrl: config.platform.baseUrl,
      mail: { smtpUrl: config.smtpUrl, from: config.mailFrom },
      setupToken,
    });
    return {
      db,
      identity,
      setupToken,
      async close() {
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
export async function startApp(surroundings: Surroundings & { roles: readonly ProcessRole[] }) {
  const { config, log, roles } = surroundings;
  const parts = await openParts(surroundings);
  let isStopping = false;
  const metrics = createMetrics(parts.db.counts);
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
    const impatience = setTimeout(() => servers.forEach(({ server }) => server.closeAllConnections()), answerLimitMs);
    await Promise.all(servers.map((server) => server.close())).finally(() => clearTimeout(impatience));
    await parts.close();
  }

  try {
    if (roles.includes("platform")) {
      const server = await createPlatformServer({
        door: door(config.platform.baseUrl),
        identity: parts.identity,
        version: packageJson.version,
        isSignUpOpen: config.deploymentMode === "cloud",
        signInLimitPerMinute: config.signInLimitPerMinute,
        keyLimitPerMinute: config.keyLimitPerMinute,
      });
      servers.push(server);
      await server.listen({ host: config.listenHost, port: config.platform.port });
    }
    if (roles.includes("gateway")) {
      const server = await createGatewayServer({ door: door(config.gateway.baseUrl) });
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

async function openStorage(config: Config, log: Log) {
  if (config.databaseUrl !== undefined) return { target: { connectionString: config.databaseUrl }, close: async () => {} };
  return await startEmbeddedPostgres({ dataDir: config.dataDir, log });
}

function readKeys(config: Config) {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o711 });
  return {
    masterKey: config.masterKey ?? readOrCreateKeyFile(join(config.dataDir, "master.key")),
    cookieKey: config.cookieKey ?? readOrCreateKeyFile(join(config.dataDir, "cookie.key")),
  };
}
