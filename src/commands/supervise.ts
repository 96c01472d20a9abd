import cluster from "node:cluster";
import { createLog, type Log } from "../base/log.ts";
import type { Config } from "../config.ts";
import { readConnectionLimit } from "../storage/connection-limit.ts";
import { migrate, migrationsFolder } from "../storage/migrate.ts";
import { openStorage } from "../storage/open-storage.ts";
import { countConnections, fitProcesses } from "./count-processes.ts";
import { createProcesses, type Process, type Processes } from "./processes.ts";
import { stopLimitMs, stopOnSignals } from "./stop-on-signals.ts";

type Options = { config: Config; words: string[]; wanted: number; isRunByNpm: boolean };

/** PostgreSQL may take this long to stop after the last process. */
const databaseStopMs = 25_000;

/**
 * Several processes behind the same ports. The supervisor owns the database that is brought along: it starts it first and stops it last. It serves
 * nothing itself, so that nothing of a caller's depends on it.
 */
export async function supervise({ config, words, wanted, isRunByNpm }: Options): Promise<void> {
  const log = createLog(config.logLevel, undefined, { process: "supervisor" });
  // All processes accept from one queue of connections, so that none is lost with one of them (decision 18).
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ args: ["serve", ...words], serialization: "advanced" });
  const opening = openDatabase(config, wanted, log);
  const processes = createProcesses({
    log,
    opening,
    stopLimitMs: stopLimitMs + 1_000,
    onAllUp: (welcome) => void process.stdout.write(`${welcome}\n`),
    onGiveUp(reason) {
      process.stderr.write(`Switchyard cannot start. ${reason}\n`);
      end("no process comes up", 1);
    },
  });
  const end = stopOnSignals(() => stop(processes, opening), {
    isRunByNpm,
    note: (reason) => log.info({ reason }, "stopping"),
    limitMs: stopLimitMs + databaseStopMs,
    onHangUp: createRoll(processes, log),
    onImpatience: processes.kill,
  });
  const { count } = await opening;
  for (let started = 0; started < count; started++) processes.start();
}

async function stop(processes: Processes, opening: ReturnType<typeof openDatabase>): Promise<void> {
  const wellEnded = await processes.stop();
  await (await opening).storage.close();
  if (!wellEnded) throw new Error("A process was ended before it was done.");
}

/** The database with its schema, and how many processes it has connections for. */
async function openDatabase(config: Config, wanted: number, log: Log) {
  const needed = countConnections(config, wanted);
  const storage = await openStorage(config, log, { max_connections: String(Math.max(60, needed + 10)) });
  try {
    const { applied } = await migrate(storage.target, { folder: migrationsFolder });
    if (applied.length > 0) log.info({ applied }, "database migrated");
    const connections = await readConnectionLimit(storage.target);
    const count = fitProcesses(config, { wanted, connections });
    const advice = "Raise max_connections of PostgreSQL, or lower DATABASE_POOL_SIZE or PROCESSES.";
    const shortage = `${wanted} processes open up to ${needed} connections, and the database gives ${connections}.`;
    if (count < wanted && config.processes !== "auto") throw new Error(`${shortage} ${advice}`);
    if (count < wanted) log.warn({ wanted, count, needed, connections }, `${shortage} ${advice}`);
    return { storage, count };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Replaces the processes one by one: a new one serves before an old one is told to stop. */
function createRoll(processes: Processes, log: Log): () => void {
  let rolling = Promise.resolve();
  const roll = async () => {
    log.info("replacing every process");
    for (const old of processes.list()) if (!(await replace(processes, old, log))) return;
    log.info("every process was replaced");
  };
  return () => {
    rolling = rolling.then(roll);
  };
}

async function replace(processes: Processes, old: Process, log: Log): Promise<boolean> {
  old.isWanted = false;
  const next = processes.start();
  if (!next) return false;
  next.isWanted = false;
  try {
    await next.up;
  } catch (error) {
    const { message } = error as Error;
    log.error({ of: next.number, reason: message }, "the new process did not start; the others go on as they are");
    old.isWanted = true;
    if (!processes.list().includes(old)) processes.start();
    return false;
  }
  next.isWanted = true;
  old.leave();
  await old.gone;
  return true;
}
