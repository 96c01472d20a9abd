import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import { allRoles, type ProcessRole, readConfig } from "../../src/config.ts";
import type { GatewayOptions } from "../../src/gateway/server.ts";
import type { CredentialType } from "../../src/vault/credential-data.ts";
import { createBrowser } from "./browser-client.ts";
import { freePort } from "./free-port.ts";
import { rememberedHashing } from "./remembered-hashing.ts";
import { createTestDatabase } from "./storage/test-database.ts";
import { testKeys } from "./test-settings.ts";

export type TestApp = Awaited<ReturnType<typeof startTestApp>>;

type TestAppOptions = {
  environment?: Record<string, string>;
  clock?: Clock;
  database?: Awaited<ReturnType<typeof createTestDatabase>>;
  credentialTypes?: ReadonlyMap<string, CredentialType>;
  gateway?: Partial<GatewayOptions>;
  roles?: readonly ProcessRole[];
};

/** Loaded once by a worker: whatever asks for a module asks the process that made the worker, and there are hundreds for each application. */
let loading: ReturnType<typeof loadProviders> | undefined;
function loadProvidersOnce(): ReturnType<typeof loadProviders> {
  loading ??= loadProviders();
  return loading;
}

/** The real application on its own database and free ports. Give it the database of another one to get a second process on it. */
export async function startTestApp(options: TestAppOptions = {}) {
  const {
    environment = {},
    clock = systemClock,
    database: shared,
    credentialTypes,
    gateway = {},
    roles = allRoles,
  } = options;
  const database = shared ?? (await createTestDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), "switchyard-app-"));
  const [platformPort, gatewayPort] = await Promise.all([freePort(), freePort()]);
  const config = readConfig({
    PLATFORM_API_PORT: String(platformPort),
    MCP_API_PORT: String(gatewayPort),
    SWITCHYARD_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    ...testKeys,
    RATE_LIMIT_SIGN_IN_PER_MINUTE: "1000",
    ...environment,
  });
  const logLines: string[] = [];
  const log = pino(
    { level: "debug" },
    new Writable({ write: (chunk, _encoding, done) => done(void logLines.push(String(chunk))) }),
  );
  const app = await startApp({
    config,
    log,
    clock,
    roles,
    gateway,
    providers: loadProvidersOnce(),
    hashing: rememberedHashing,
    ...(credentialTypes ? { credentialTypes } : {}),
  });
  return {
    config,
    database,
    logLines,
    parts: app.parts,
    runs: app.running.runs,
    removeDeleted: app.running.removals.removeDeleted,
    removeWebhooks: app.running.triggers.webhookRemovals.run,
    removeOldDeliveries: app.running.deliveries.removeOld,
    /** The route tables of the doors it has, the platform first. */
    routes: app.routes,
    platformUrl: config.platform.baseUrl,
    gatewayUrl: config.gateway.baseUrl,
    browser: () => createBrowser(config.platform.baseUrl),
    async stop() {
      await app.stop();
      if (!shared) await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
