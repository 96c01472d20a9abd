import cluster from "node:cluster";
import { flushCompileCache } from "node:module";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import type { startApp } from "../app.ts";
import { createLog } from "../base/log.ts";
import { releaseMemory } from "../base/release-memory.ts";
import { allRoles, type Config, type ProcessRole, readConfig, readEnvironment } from "../config.ts";
import { openStorage } from "../storage/open-storage.ts";
import { countProcesses } from "./count-processes.ts";
import { describeFailure } from "./describe-failure.ts";
import { stopOnSignals, stopWhenToldBySupervisor } from "./stop-on-signals.ts";
import { joinSupervisor } from "./supervised.ts";
import { writeWelcome } from "./write-welcome.ts";

const noticeMs = 500;
const settleMs = 1_000;

/** Runs the server until a signal, or the end of npm, stops it: one process, or several with a supervisor. */
export async function serve(options: string[]): Promise<void> {
  if (cluster.isWorker) return await serveBesideOthers(options);
  try {
    const { roles, choosesRoles } = readRoles(options);
    const environment = readEnvironment();
    const config = readConfig(environment);
    const isRunByNpm = environment.npm_lifecycle_event !== undefined;
    const wanted = countProcesses(config, { cores: availableParallelism(), choosesRoles });
    if (wanted === 1) return await serveAlone({ config, roles, isRunByNpm });
    const { supervise } = await import("./supervise.ts");
    await supervise({ config, words: options, wanted, isRunByNpm });
  } catch (error) {
    process.stderr.write(`Switchyard cannot start. ${describeFailure(error)}\n`);
    process.exit(1);
  }
}

async function serveAlone({ config, roles, isRunByNpm }: Served & { isRunByNpm: boolean }): Promise<void> {
  const log = createLog(config.logLevel);
  const starting = start({ config, log, roles, starting: openStorage(config, log) });
  // Before it is up, so that a stop during the start leaves no database behind.
  stopOnSignals(async () => (await starting).stop({ noticeMs }), {
    isRunByNpm,
    note: (reason) => log.info({ reason }, "stopping"),
  });
  process.stdout.write(`${welcomeOf({ config, roles }, await starting)}\n`);
  setTimeout(settle, settleMs).unref();
}

/** What a supervisor starts: the same server, with a database that is there, and somebody who speaks for all. */
async function serveBesideOthers(options: string[]): Promise<void> {
  const supervisor = await joinSupervisor();
  try {
    const { roles } = readRoles(options);
    const config = readConfig(readEnvironment());
    const { siblings, place } = supervisor;
    const log = createLog(config.logLevel, undefined, { process: place.number });
    const database = Promise.resolve({ ...place.database, close: async () => {} });
    const starting = start({ config, log, roles, starting: database, siblings });
    stopWhenToldBySupervisor(async () => (await starting).stop({ noticeMs }));
    await supervisor.tell({ ready: welcomeOf({ config, roles, place }, await starting) });
    setTimeout(settle, settleMs).unref();
  } catch (error) {
    await supervisor.tell({ failed: describeFailure(error) });
    process.exit(1);
  }
}

type Served = { config: Config; roles: readonly ProcessRole[] };
type Started = Awaited<ReturnType<typeof startApp>>;

function welcomeOf(
  served: Served & { place?: { count: number; supervisor: number } },
  { parts, firstAccountNeeded }: Started,
): string {
  const { databaseFolder } = parts.ground;
  return writeWelcome({ ...served, databaseFolder, firstAccountNeeded, setupToken: parts.identity.setupToken });
}

/** Loads the code while the database starts: each takes about as long as the other. */
async function start(
  context: Parameters<typeof startApp>[0] & { starting: ReturnType<typeof openStorage> },
): ReturnType<typeof startApp> {
  // Whoever opens the parts hears of a failure; it may come while the code is still being loaded.
  context.starting.catch(() => {});
  const { startApp } = await import("../app.ts");
  return startApp(context);
}

/** What a start leaves to do. Without the first, a server that is always killed would compile everything again at every start. */
function settle(): void {
  flushCompileCache();
  releaseMemory();
}

function readRoles(options: string[]): { roles: readonly ProcessRole[]; choosesRoles: boolean } {
  const { values } = parseArgs({ args: options, options: { roles: { type: "string" } } });
  if (values.roles === undefined) return { roles: allRoles, choosesRoles: false };
  const names = values.roles.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !(allRoles as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`--roles takes ${allRoles.join(", ")}; "${unknown}" is none of them.`);
  return { roles: names as ProcessRole[], choosesRoles: true };
}
