import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import packageJson from "../package.json" with { type: "json" };
import type { Log } from "./base/log.ts";
import { watchEventLoop } from "./base/watch-event-loop.ts";
import type { Config, ProcessRole } from "./config.ts";
import { createVerifyBearer } from "./gateway/authenticate.ts";
import { createCallAction, createCallPlatformTool } from "./gateway/call-tool.ts";
import { listServers } from "./gateway/list-servers.ts";
import type { PlatformParts } from "./gateway/platform-server.ts";
import type { GatewayOptions } from "./gateway/server.ts";
import { createWorkflowMount } from "./gateway/workflow-server.ts";
import { openParts, type Parts, type StartContext } from "./parts.ts";
import { openRunning, type Running } from "./running.ts";
import { warnOfLosses } from "./storage/warn-of-losses.ts";

// A client that never ends its request must not hold up the stop for longer.
const answerLimitMs = 20_000;

/** Opens the doors of the given roles. `stop` answers what is under way before it closes anything below. */
export async function startApp(context: StartContext & { roles: readonly ProcessRole[]; gateway?: Partial<GatewayOptions> }) {
  const { config, log, roles } = context;
  const doors = loadDoors(config, roles);
  // Awaited below, when the database is there.
  doors.catch(() => {});
  const parts = await openParts(context);
  let isStopping = false;
  const { db, metrics, tracing } = parts.ground;
  const running = openRunning(parts);
  metrics.watchProcess();
  const eventLoop = watchEventLoop({ log, limitMs: config.blockedLoopMs });
  const door = (baseUrl: string) => ({
    baseUrl,
    trustedProxies: config.trustedProxies,
    log,
    tracing,
    metrics,
    metricsToken: config.metricsToken,
    isDatabaseReachable: db.isReachable,
    isStopping: () => isStopping,
  });
  const servers: FastifyInstance[] = [];

  async function open(server: FastifyInstance, port: number): Promise<void> {
    servers.push(server);
    await server.listen({ host: config.listenHost, port });
  }

  /** The doors stay open for `noticeMs` after readiness has ended, so that whoever chooses among processes learns of it first. */
  async function stop({ noticeMs = 0 } = {}): Promise<void> {
    isStopping = true;
    if (servers.length > 0) await delay(noticeMs);
    const impatience = setTimeout(() => {
      for (const { server } of servers) server.closeAllConnections();
    }, answerLimitMs);
    await Promise.all(servers.map((server) => server.close())).finally(() => clearTimeout(impatience));
    await running.stop();
    await parts.vault.stop();
    eventLoop.stop();
    await parts.close();
  }

  try {
    await warnOfLosses(db, log);
    await parts.history.start();
    parts.events.start();
    parts.vault.start();
    await running.start();
    const { platform, gateway, operations } = await doors;
    if (platform) {
      const opened = { parts, running, ...openForPlatform(parts, running, config) };
      await open(await platform.openPlatform(door(config.platform.baseUrl), opened), config.platform.port);
    }
    if (gateway) {
      const own = gatewayOptions(parts, running, config);
      const aliasUrls = [config.oauth.issuerUrl, config.oauth.resourceUrl];
      const gatewayDoor = { ...door(config.gateway.baseUrl), aliasUrls };
      await open(await gateway.createGatewayServer({ ...own, ...context.gateway, door: gatewayDoor }), config.gateway.port);
    }
    if (config.operations && operations) {
      await open(operations.createOperationsServer(door(config.operations.baseUrl)), config.operations.port);
    }
    const { needed } = await parts.identity.setup.state();
    if (platform) openAccounts(parts.identity, log);
    return { parts, running, firstAccountNeeded: needed, routes: servers.map(({ routeTable }) => routeTable), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A process loads the code of its own doors only, and does so while its database starts. */
async function loadDoors(config: Config, roles: readonly ProcessRole[]) {
  const [platform, gateway, operations] = await Promise.all([
    roles.includes("platform") ? import("./start-up/open-platform.ts") : undefined,
    roles.includes("gateway") ? import("./gateway/server.ts") : undefined,
    config.operations ? import("./door/operations-server.ts") : undefined,
    roles.includes("gateway") ? import("./oauth/authorization-server.ts") : undefined,
  ]);
  return { platform, gateway, operations };
}

/** When the doors are open: everybody but the first to sign in would wait for it in vain. */
function openAccounts({ accounts }: Parts["identity"], log: Log): void {
  accounts.open().catch((error: unknown) => log.error({ err: error }, "Nobody can sign in."));
}

function openForPlatform(parts: Parts, running: Running, config: Config) {
  const { catalog } = parts;
  return {
    servers: listServers({
      ...{ catalog, version: packageJson.version, serverUrlTemplate: config.serverUrlTemplate },
      platform: platformParts(parts, running),
    }),
  };
}

function gatewayOptions(parts: Parts, running: Running, config: Config): Omit<GatewayOptions, "door"> {
  const { catalog, identity } = parts;
  const {
    calls: { runRecordedCall, steps },
    runs,
  } = running;
  return {
    catalog,
    apiKeys: identity.apiKeys,
    callAction: createCallAction(runRecordedCall),
    callPlatformTool: createCallPlatformTool(steps),
    processes: running.slots.processes,
    privateServers: [
      createWorkflowMount({
        ...{
          workflows: parts.workflows,
          runs,
          steps,
          version: packageJson.version,
          limitMs: config.maxExecutionTimeMs,
        },
      }),
    ],
    platform: platformParts(parts, running),
    version: packageJson.version,
    verifyBearer: createVerifyBearer(parts.oauth.verifyAccessToken),
    oauth: parts.oauth,
    resourceUrl: config.oauth.resourceUrl,
    serverUrlTemplate: config.serverUrlTemplate,
    keyLimitPerMinute: config.keyLimitPerMinute,
    maxResultCharacters: config.maxResultCharacters,
  };
}

function platformParts({ identity, vault, history, workflows, plans }: Parts, { triggers, runs }: Running): PlatformParts {
  return {
    organizations: identity.organizations,
    credentials: vault.credentials,
    calls: history.calls,
    workflows,
    triggers,
    runs: runs.list,
    ...(plans.credits ? { credits: plans.credits } : {}),
  };
}
