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
import { createKeptOutputs } from "./kept-outputs.ts";
import type { ExecuteNode, NodeEnd } from "./node/execute-node.ts";
import type { NodeFailure } from "./node/node-failure.ts";
import { createNodeWriter } from "./node-writer.ts";
import type { OutputBudget } from "./output-budget.ts";
import { readOutputs, resumeRun } from "./resume-run.ts";
import { findOutputs } from "./stored-nodes-store.ts";
import type { NodeTracker } from "./track-node.ts";
import type { createUnstoredEnds } from "./unstored-ends.ts";

export type WalkContext = {
  claim: Claim;
  slot: Slot;
  /** Aborted when the run is lost, cancelled, or the process has to end. */
  signal: AbortSignal;
  isStopping: () => boolean;
  trace: Span;
};

type CallRuns = (run: AdoptedRun, nodeId: string, requests: Extract<NodeEnd, { is: "calling" }>["runs"], trace: Span) => Promise<string[]>;
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

export type Walk = Awaited<ReturnType<typeof beginWalk>>;

/** A run on its way through its graph in this process, from where it stands. */
export async function beginWalk(options: WalkOptions, run: AdoptedRun, context: WalkContext) {
  const { clock, limitMs } = options;
  const graph = applyOverrides(await options.findGraph(run), JSON.parse(run.overrides ?? "[]") as NodeOverride[]);
  const { settled, pauses, starts, interrupted, failure, rows } = await resumeRun(options.db, run, { graph, claim: context.claim });
  const trigger = JSON.parse(run.triggerData) as TriggerData;
  const limit = new AbortController();
  const leftMs = Math.max(0, limitMs - run.activeMs);
  const timer = setTimeout(() => limit.abort(new Refusal("run_timeout", `The run took longer than ${limitMs / 1000} s.`)), leftMs);
  // One controller that both reasons abort: `AbortSignal.any` costs more than a quick node.
  const { signal } = context;
  const leave = () => limit.abort(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const heldAt = performance.now();
  const writer = createNodeWriter((checkpoint) => options.checkpoints.add(checkpoint, signal));
  const root = toRootItem(trigger.payload);
  const kept = createKeptOutputs({
    ...{ graph, settled, root, budget: options.budget, isStored: writer.isStored, signal: limit.signal },
    read: (nodeId) => findOutputs(options.db, run, nodeId),
  });
  const calledEnds = createCalledEnds();
  const unsubscribe = options.onCalledEnd(run.id, calledEnds.tell);
  const close = () => {
    unsubscribe();
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
    kept.close();
  };
  if (!failure)
    await readOutputs(options.db, run, { rows, settled, kept }).catch((error: unknown) => {
      close();
      throw error;
    });
  return {
    ...{ options, run, graph, trigger, settled, pauses, starts, interrupted, ...context },
    fence: { organizationId: run.organizationId, runId: run.id, epoch: run.epoch },
    startedAt: run.startedAt ?? clock.now(),
    limitSignal: limit.signal,
    running: new Map<string, Promise<void>>(),
    /** How far the present attempts of nodes are stored. */
    trackers: new Map<string, NodeTracker>(),
    ...{ writer, kept, root, close, calledEnds },
    /** When it is looked at what was called although nobody told of its end: a word may be lost. */
    lookAtCalls: { again: Number.POSITIVE_INFINITY },
    enterCall: createGate(() => options.mostCalls(run.organizationId)),
    /** Shown while they run; awaited before the run changes its state, so that they do not undo it. */
    shown: new Set<Promise<unknown>>(),
    failure,
    state: { isLost: false, hasEnded: false, isShown: false },
    activeMs: () => run.activeMs + Math.round(performance.now() - heldAt),
  };
}
