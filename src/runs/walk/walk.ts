import type { Clock } from "../../base/clock.ts";
import { createGate } from "../../base/gate.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Span } from "../../base/tracing.ts";
import type { FindStoredOf } from "../../records/typed-secrets.ts";
import type { Slot } from "../../slots/slots.ts";
import type { Database } from "../../storage/database.ts";
import type { Item, TriggerData } from "../../workflows/engine-node.ts";
import type { NodeOverride } from "../../workflows/wire.ts";
import type { Claim } from "../queue/run-queue.ts";
import type { AdoptedRun } from "../store.ts";
import { createCalledEnds } from "./called-ends.ts";
import type { EndedCall } from "./called-store.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { applyOverrides, type Graph, type GraphNode } from "./graph.ts";
import { toRootItem } from "./incoming.ts";
import { keepVariables } from "./keep-variables.ts";
import { createKeptOutputs } from "./kept-outputs.ts";
import type { ExecuteNode, NodeEnd } from "./node/execute-node.ts";
import type { NodeFailure } from "./node/node-failure.ts";
import { createNodeWriter } from "./node-writer.ts";
import type { OutputBudget } from "./output-budget.ts";
import { readOutputs, resumeRun } from "./resume-run.ts";
import { findOutputs } from "./stored-nodes-store.ts";
import type { createUnstoredEnds } from "./unstored-ends.ts";
import { createWalkState } from "./walk-state.ts";

export type WalkContext = {
  claim: Claim;
  slot: Slot;
  /** Aborted when the run is lost, cancelled, or the process has to end. */
  signal: AbortSignal;
  isStopping: () => boolean;
  trace: Span;
};

type CallRuns = (
  run: AdoptedRun,
  nodeId: string,
  requests: Extract<NodeEnd, { is: "calling" }>["runs"],
  trace: Span,
) => Promise<string[]>;
type FindEnded = (run: AdoptedRun, calls: { nodeId: string; runIds: string[] }[]) => Promise<Map<string, EndedCall[]>>;
type ReadCalled = (run: AdoptedRun, ended: EndedCall[]) => Promise<{ items: Item[] } | { error: NodeFailure }>;

export type WalkOptions = {
  db: Database;
  checkpoints: Checkpoints;
  executeNode: ExecuteNode;
  isPure: (node: GraphNode) => boolean;
  findGraph: (run: AdoptedRun) => Promise<Graph>;
  /** Starts other workflows for a node, each once, however often it is asked. */
  callRuns: CallRuns;
  /** By node, where all that it started have ended. */
  findEndedCalls: FindEnded;
  /** What came out of them. */
  readCalled: ReadCalled;
  /** Ends those that still go on. */
  cancelCalled: (run: AdoptedRun, runIds: string[]) => Promise<void>;
  /** Calls back when a run ends that this one called, wherever it ran. A hint only, which may be lost. */
  onCalledEnd: (runId: string, listener: (calledId: string | undefined) => void) => () => void;
  unstored: ReturnType<typeof createUnstoredEnds>;
  clock: Clock;
  log: Log;
  limitMs: number;
  /** How many calls one run of an organization may make at a time. */
  mostCalls: (organizationId: string) => number;
  budget: OutputBudget;
  /** Secrets of an organization that somebody may have typed into parameters. */
  findStoredOf: FindStoredOf;
  observe: RunObserver;
};

/** Told what becomes of runs, to be counted. */
export type RunObserver = {
  accepted: (kind: string) => void;
  began: (waitMs: number) => void;
  ended: (status: "succeeded" | "failed" | "cancelled", end: { runs?: number; activeMs?: number }) => void;
};

/** A run on its way through its graph in this process. It owns how the run stands: only its operations (`walk-state.ts`) change that. */
export type Walk = Readonly<Awaited<ReturnType<typeof beginWalk>>>;

/** Begins where the run stands. */
export async function beginWalk(options: WalkOptions, run: AdoptedRun, context: WalkContext) {
  const found = await options.findGraph(run);
  const graph = applyOverrides(found, JSON.parse(run.overrides ?? "[]") as NodeOverride[]);
  const vars = await keepVariables(options.db, run, found);
  const { rows, ...from } = await resumeRun(options.db, run, { graph, claim: context.claim });
  const trigger = JSON.parse(run.triggerData) as TriggerData;
  const limit = limitTime(options.limitMs, run, context.signal);
  const heldAt = performance.now();
  const writer = createNodeWriter((checkpoint) => options.checkpoints.add(checkpoint, context.signal));
  const root = toRootItem(trigger.payload);
  const kept = createKeptOutputs({
    graph,
    settled: from.settled,
    root,
    budget: options.budget,
    isStored: writer.isStored,
    signal: limit.signal,
    read: (nodeId) => findOutputs(options.db, run, nodeId),
  });
  const calledEnds = createCalledEnds();
  const unsubscribe = options.onCalledEnd(run.id, calledEnds.tell);
  const close = () => {
    unsubscribe();
    limit.close();
    kept.close();
  };
  if (!from.failure)
    await readOutputs(options.db, run, { rows, settled: from.settled, kept }).catch((error: unknown) => {
      close();
      throw error;
    });
  return {
    options,
    run,
    trigger,
    vars,
    ...context,
    ...createWalkState({ graph, root, ...from, kept, clock: options.clock }),
    fence: { organizationId: run.organizationId, runId: run.id, epoch: run.epoch },
    startedAt: run.startedAt ?? options.clock.now(),
    /** Aborted when the signal is, and when the run takes too long. */
    limitSignal: limit.signal,
    writer,
    load: kept.load,
    calledEnds,
    enterCall: createGate(() => options.mostCalls(run.organizationId)),
    activeMs: () => run.activeMs + Math.round(performance.now() - heldAt),
    close,
  };
}

/** One controller that both reasons abort: `AbortSignal.any` costs more than a quick node. */
function limitTime(limitMs: number, { activeMs }: AdoptedRun, signal: AbortSignal) {
  const limit = new AbortController();
  const leftMs = Math.max(0, limitMs - activeMs);
  const timer = setTimeout(
    () => limit.abort(new Refusal("run_timeout", `The run took longer than ${limitMs / 1000} s.`)),
    leftMs,
  );
  const leave = () => limit.abort(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  return {
    signal: limit.signal,
    close(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    },
  };
}
