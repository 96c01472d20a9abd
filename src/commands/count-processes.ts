import type { Config } from "../config.ts";

type Machine = { cores: number; choosesRoles: boolean };

/** Above it another process finds no core, or no database that keeps up (docs/scale-out.md). */
const mostByItself = 12;
/** Of the cores, when the database works on the others: of the processor time of a call two thirds are the server's (bench/processes). */
const shareOfServers = 2 / 3;

/** How many processes are wanted: what PROCESSES says, or as many as the machine has use for. Who chooses roles lays out the processes too. */
export function countProcesses(config: Config, { cores, choosesRoles }: Machine): number {
  if (config.processes !== "auto") return config.processes;
  if (cores <= 2 || choosesRoles) return 1;
  const share = config.databaseUrl === undefined ? shareOfServers : 1;
  return Math.min(mostByItself, Math.round(cores * share));
}

// As in the table of docs/deployment.md; the lease of the embedded database is the supervisor's alone.
const sessionsOfOne = { runs: 1, slots: 1, live: 1, upkeep: 2 };
const pooledOfOne = { runs: 4, queue: 2 };
/** For commands, for whoever looks into the database, and for the supervisor itself. */
const spare = 8;

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, count) => total + count, 0);

/** The most connections that so many processes open; while one is replaced there is one more. */
export function countConnections(config: Config, processes: number): number {
  const pooled = config.databasePoolerUrl === undefined ? config.databasePoolSize + sum(pooledOfOne) : 0;
  return (processes + 1) * (pooled + sum(sessionsOfOne)) + spare;
}

/** How many of the wanted processes the database has connections for. One is always tried: it needs few of them most of the time. */
export function fitProcesses(config: Config, { wanted, connections }: { wanted: number; connections: number }): number {
  for (let count = wanted; count > 1; count--) if (countConnections(config, count) <= connections) return count;
  return 1;
}
