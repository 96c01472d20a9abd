import cluster from "node:cluster";
import { getCompileCacheDir } from "node:module";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Counter, Registry } from "prom-client";
import type { Log } from "../base/log.ts";
import type { Measured } from "../door/metrics.ts";
import type { Counted } from "../door/shared-counts.ts";
import type { EmbeddedPostgres } from "../storage/embedded-postgres.ts";
import { type Answers, listenTo, type Place } from "./supervised.ts";

type Options = {
  log: Log;
  opening: Promise<{ storage: EmbeddedPostgres; count: number }>;
  /** The longest that a process may take to stop. */
  stopLimitMs: number;
  /** Once, with the words of the first one for whoever started them. */
  onAllUp: (welcome: string) => void;
  /** When no process is left and starting others has no use. */
  onGiveUp: (reason: string) => void;
};

/** One that was up for so long began its life well: the next death is the first one again. */
const steadyMs = 60_000;
const longestPauseMs = 30_000;
const mostFailedStarts = 5;

/** The processes behind the ports: starts them, and another one in the place of each that dies. */
export function createProcesses({ log, opening, stopLimitMs, onAllUp, onGiveUp }: Options) {
  const processes = new Map<number, Process>();
  const notePause = createPauses();
  const own = createOwnMetrics();
  let failedStarts = 0;
  let wasAllUp = false;
  let isStopping = false;
  const listUp = () => [...processes.values()].filter(({ upMs }) => upMs() > 0);

  async function placeOf(number: number): Promise<Place> {
    const { count, storage } = await opening;
    const { target, folder } = storage;
    return {
      number,
      count,
      supervisor: process.pid,
      database: { target, ...(folder === undefined ? {} : { folder }) },
    };
  }

  async function noteUp({ number, pid, up }: Process): Promise<void> {
    const [welcome, { count }] = await Promise.all([up, opening]);
    failedStarts = 0;
    log.info({ of: number, ofPid: pid }, "a process is up");
    if (wasAllUp || listUp().length < count) return;
    wasAllUp = true;
    onAllUp(welcome);
  }

  function start(): Process | undefined {
    if (isStopping) return undefined;
    const number = lowestFree(processes);
    const started = startProcess(number, {
      stopLimitMs,
      place: () => placeOf(number),
      metrics: measureAll,
      counted: (counted) => tellOthers(number, counted),
    });
    processes.set(number, started);
    noteUp(started).catch(() => {});
    void started.gone.then((end) => {
      processes.delete(number);
      if (started.isWanted && !isStopping) void replace(started, end);
    });
    return started;
  }

  async function replace({ number, upMs }: Process, { how, reason }: End): Promise<void> {
    if (upMs() === 0) failedStarts += 1;
    // At the first start a reason is for whoever waits in front of it.
    const isHopeless = (reason !== undefined && !wasAllUp) || failedStarts >= mostFailedStarts;
    if (isHopeless && listUp().length === 0)
      return onGiveUp(reason ?? `A process ${how}, ${failedStarts} times in a row before it was up.`);
    const pauseMs = notePause(number, upMs());
    own.restarts.inc({ process: String(number) });
    log.error({ of: number, how, reason, pauseMs }, "a process died; another one takes its place");
    await delay(pauseMs);
    start();
  }

  function tellOthers(number: number, counted: Counted): void {
    for (const other of processes.values()) if (other.number !== number) other.tellCounted(counted);
  }

  async function measureAll(): Promise<Measured[]> {
    return [await own.measure(), ...(await Promise.all([...processes.values()].map((one) => one.measure())))];
  }

  return {
    start,
    list: () => [...processes.values()],
    async stop(): Promise<boolean> {
      isStopping = true;
      const all = [...processes.values()];
      for (const one of all) one.leave();
      return (await Promise.all(all.map(({ gone }) => gone))).every(({ isClean }) => isClean);
    },
    kill(): void {
      for (const one of processes.values()) one.kill();
    },
  };
}

export type Processes = ReturnType<typeof createProcesses>;
export type Process = ReturnType<typeof startProcess>;
type End = {
  how: string;
  reason: string | undefined;
  /** Nobody's request was under way in it. */
  isClean: boolean;
};

type StartOptions = Omit<Answers, "ready" | "failed"> & { stopLimitMs: number };

function startProcess(number: number, { stopLimitMs, ...answers }: StartOptions) {
  const worker = cluster.fork(sharedCache());
  const up = Promise.withResolvers<string>();
  up.promise.catch(() => {});
  let upSince: number | undefined;
  let reason: string | undefined;
  const { measure, tellCounted } = listenTo(worker, {
    ...answers,
    ready(welcome) {
      upSince = performance.now();
      up.resolve(welcome);
    },
    failed(said) {
      reason = said;
    },
  });
  const gone = new Promise<End>((resolve) => {
    worker.once("exit", (code, signal) => {
      const how = signal ? `was ended by ${signal}` : code === 0 ? "ended" : `ended with code ${code}`;
      up.reject(new Error(reason ?? `The process ${how}.`));
      resolve({ how, reason, isClean: code === 0 || upSince === undefined });
    });
  });
  const kill = () => void worker.process.kill("SIGKILL");
  const started = {
    number,
    pid: worker.process.pid,
    /** Another one takes its place when it dies. */
    isWanted: true,
    up: up.promise,
    gone,
    upMs: () => (upSince === undefined ? 0 : performance.now() - upSince),
    tellCounted,
    measure: async () => (upSince === undefined ? [] : await measure()),
    kill,
    leave(): void {
      started.isWanted = false;
      worker.process.kill("SIGTERM");
      const impatience = setTimeout(kill, stopLimitMs);
      void gone.then(() => clearTimeout(impatience));
    },
  };
  return started;
}

/** None after the first death; longer and longer ones for a process that never lives for long. */
function createPauses() {
  const deaths = new Map<number, number>();
  return (number: number, upMs: number): number => {
    const inARow = upMs > steadyMs ? 1 : (deaths.get(number) ?? 0) + 1;
    deaths.set(number, inARow);
    return inARow === 1 ? 0 : Math.min(longestPauseMs, 500 * 2 ** (inARow - 1));
  };
}

function lowestFree(taken: ReadonlyMap<number, unknown>): number {
  let number = 1;
  while (taken.has(number)) number += 1;
  return number;
}

/** Node puts what it compiled into a folder of its version below the one that it is given. */
function sharedCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}

function createOwnMetrics() {
  const registry = new Registry();
  const restarts = new Counter({
    name: "switchyard_process_restarts_total",
    help: "Processes that died and were replaced by the supervisor.",
    labelNames: ["process"],
    registers: [registry],
  });
  return { restarts, measure: () => registry.getMetricsAsJSON() };
}
