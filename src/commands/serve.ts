import { flushCompileCache } from "node:module";
import { parseArgs } from "node:util";
import type { startApp } from "../app.ts";
import { createLog } from "../base/log.ts";
import { releaseMemory } from "../base/release-memory.ts";
import { allRoles, type ProcessRole, readConfig, readEnvironment } from "../config.ts";
import { openStorage } from "../storage/open-storage.ts";
import { describeFailure } from "./describe-failure.ts";
import { writeWelcome } from "./write-welcome.ts";

/** The longest that a stop takes; whoever runs the server must wait at least as long before it kills. */
export const stopLimitMs = 30_000;
const noticeMs = 500;
const settleMs = 1_000;

/** Runs the server until a signal, or the end of npm, stops it. */
export async function serve(options: string[]): Promise<void> {
  try {
    const roles = readRoles(options);
    const environment = readEnvironment();
    const config = readConfig(environment);
    const log = createLog(config.logLevel);
    const starting = start({ config, log, roles });
    const isRunByNpm = environment.npm_lifecycle_event !== undefined;
    // Before it is up, so that a stop during the start leaves no database behind.
    stopOnSignals(async () => (await starting).stop({ noticeMs }), {
      isRunByNpm,
      note: (reason) => log.info({ reason }, "stopping"),
    });
    const { parts, firstAccountNeeded } = await starting;
    const { databaseFolder } = parts.ground;
    const { setupToken } = parts.identity;
    process.stdout.write(`${writeWelcome({ roles, config, databaseFolder, firstAccountNeeded, setupToken })}\n`);
    setTimeout(settle, settleMs).unref();
  } catch (error) {
    process.stderr.write(`Switchyard cannot start. ${describeFailure(error)}\n`);
    process.exit(1);
  }
}

/** Starts the database first, and loads the rest of the code meanwhile: each takes about as long as the other. */
async function start({
  config,
  log,
  roles,
}: Omit<Parameters<typeof startApp>[0], "starting">): ReturnType<typeof startApp> {
  const starting = openStorage(config, log);
  // Whoever opens the parts hears of a failure; it may come while the code is still being loaded.
  starting.catch(() => {});
  const { startApp } = await import("../app.ts");
  return startApp({ config, log, roles, starting });
}

/** What a start leaves to do. Without the first, a server that is always killed would compile everything again at every start. */
function settle(): void {
  flushCompileCache();
  releaseMemory();
}

function readRoles(options: string[]): readonly ProcessRole[] {
  const { values } = parseArgs({ args: options, options: { roles: { type: "string" } } });
  if (values.roles === undefined) return allRoles;
  const names = values.roles.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !(allRoles as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`--roles takes ${allRoles.join(", ")}; "${unknown}" is none of them.`);
  return names as ProcessRole[];
}

function stopOnSignals(
  stop: () => Promise<void>,
  { isRunByNpm, note }: { isRunByNpm: boolean; note: (reason: string) => void },
): void {
  let stopping = false;
  const begin = (reason: string) => {
    if (stopping) return;
    stopping = true;
    note(reason);
    setTimeout(() => process.exit(1), stopLimitMs).unref();
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, begin);
  // A signal to npm ends npm without reaching us: we notice that our parent is gone.
  // It also keeps a process alive that has nothing else to wait for, such as a worker without a door.
  const parent = process.ppid;
  setInterval(() => isRunByNpm && process.ppid !== parent && begin("npm is gone"), 500);
}
