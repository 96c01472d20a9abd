import { setTimeout as delay } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { watchEventLoop } from "./base/watch-event-loop.ts";
import type { Config, ProcessRole } from "./config.ts";
import { openDoctor } from "./doctor/open-doctor.ts";
import { createTurns } from "./door/turns.ts";
import { openGateway } from "./gateway/open-gateway.ts";
import type { GatewayOptions } from "./gateway/server.ts";
import { openParts, type StartContext } from "./start-up/open-parts.ts";
import { openRunning } from "./start-up/open-running.ts";
import { warnOfLosses } from "./storage/warn-of-losses.ts";

// A client that never ends its request must not hold up the stop for longer.
const answerLimitMs = 20_000;

/** Opens the doors of the given roles. `stop` answers what is under way before it closes anything below. */
export async function startApp(
  context: StartContext & { roles: readonly ProcessRole[]; gateway?: Partial<GatewayOptions> },
) {
  const { config, log, roles } = context;
  const doors = loadDoors(config, roles);
  // Awaited below, when the database is there.
  doors.catch(() => {});
  const parts = await openParts(context);
  let isStopping = false;
  const { db, metrics, tracing } = parts.ground;
  const running = openRunning(parts);
  const gateway = openGateway(parts.ground, { ...parts, ...running });
  const doctor = openDoctor(parts.ground, parts);
  metrics.watchProcess();
  const eventLoop = watchEventLoop({ log, limitMs: config.blockedLoopMs });
  const turns = createTurns();
  const door = (baseUrl: string) => ({
    baseUrl,
    trustedProxies: config.trustedProxies,
    log,
    tracing,
    metrics,
    metricsToken: config.metricsToken,
    isDatabaseReachable: db.isReachable,
    isStopping: () => isStopping,
    siblings: context.siblings,
    turns,
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
    eventLoop.stop();
    await parts.close();
  }

  try {
    await warnOfLosses(db, log);
    await parts.start();
    await running.start();
    const { platform, operations } = await doors;
    if (platform) {
      const features = { ...parts, ...running, gateway, doctor };
      await open(await platform.openPlatform(door(config.platform.baseUrl), features), config.platform.port);
    }
    if (roles.includes("gateway")) {
      await open(await gateway.open(door(config.gateway.baseUrl), context.gateway), config.gateway.port);
    }
    if (config.operations && operations) {
      await open(operations.createOperationsServer(door(config.operations.baseUrl)), config.operations.port);
    }
    const { needed } = await parts.identity.setup.state();
    return { parts, running, firstAccountNeeded: needed, routes: servers.map(({ routeTable }) => routeTable), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A process loads the code of its own doors only, and does so while its database starts. */
async function loadDoors(config: Config, roles: readonly ProcessRole[]) {
  const [platform, operations] = await Promise.all([
    roles.includes("platform") ? import("./start-up/open-platform.ts") : undefined,
    config.operations ? import("./door/operations-server.ts") : undefined,
    roles.includes("gateway") ? import("./gateway/server.ts") : undefined,
    roles.includes("gateway") ? import("./oauth/authorization-server.ts") : undefined,
  ]);
  return { platform, operations };
}
