import { lookFirst } from "../base/effect.ts";
import { Refusal } from "../base/refusal.ts";
import { callWorkflow } from "../workflows/engine-nodes/call-workflow.ts";
import type { RunTurn } from "./checkpoint-store.ts";
import { failsRun, type NodeEnd, type NodeFailure } from "./execute-node.ts";
import type { Settled } from "./find-ready.ts";
import { type GraphNode, onlyWay } from "./graph.ts";
import { describeEnd, describeError, describeRunning, describeSkipped, pauseOf } from "./node-rows.ts";
import type { Ended } from "./unstored-ends.ts";
import type { Walk } from "./walk.ts";
import { whatIsLeft } from "./what-is-left.ts";

// What a walk stores: how its nodes stand and how the run ends.

/** What took longer is stored at once, so that it is not done again. */
const quickMs = 20;

type Row = ReturnType<typeof describeEnd>;

export async function storeEnd(walk: Walk, id: string, { end, row }: Ended): Promise<void> {
  if (end.is === "succeeded" || end.is === "failed") await settle(walk, id, end, row);
  else await keepPause(walk, id, row);
}

/** What this process executed when it had the run before, and could not store. */
export async function storeKeptEnds(walk: Walk): Promise<void> {
  const { unstored } = walk.options;
  for (const [id, ended] of unstored.of(walk.run.id)) {
    if (!walk.state.hasEnded && !walk.settled.has(id)) await storeKeptEnd(walk, id, ended);
    if (walk.state.isLost) return;
    unstored.forget(walk.run.id, id);
  }
}

async function storeKeptEnd(walk: Walk, id: string, { end, row }: Ended): Promise<void> {
  // Others may have tried since: no fewer attempts are shown than were made.
  const attempts = Math.max(row.attempts, walk.pauses.get(id)?.attempts ?? 0, walk.interrupted.get(id)?.attempts ?? 0);
  walk.interrupted.delete(id);
  await storeEnd(walk, id, { end, row: { ...row, ...walk.held, attempts } });
}

/** Stores a finished node, and the end of the run with it when nothing is left to do. */
async function settle(walk: Walk, id: string, end: Extract<NodeEnd, { is: "succeeded" | "failed" }>, row: Row): Promise<void> {
  const { options, graph, settled, pauses, state, writer } = walk;
  const isPure = (node: GraphNode | undefined) => node !== undefined && options.isPure(node);
  const isFailure = end.is === "failed" && failsRun(graph.get(id), end.error);
  const failure = isFailure ? { nodeId: id, error: end.error } : undefined;
  const outcome: Settled = { status: end.is, outputs: end.outputs };
  const afterwards = new Map(settled).set(id, outcome);
  const { ready, isOver } = whatIsLeft({ ...walk, failure: walk.failure ?? failure }, afterwards, id);
  if (isOver) {
    walk.failure ??= failure;
    state.hasEnded = await endRun(walk, afterwards, [row]);
    state.isLost = !state.hasEnded;
    return;
  }
  const mayWait = end.is === "succeeded" && row.durationMs < quickMs && [graph.get(id), ...ready.map(({ node }) => node)].every(isPure);
  if (!(mayWait && writer.holdBack(row)) && !(await writer.write({ nodes: [row] }))) {
    state.isLost = true;
    return;
  }
  walk.failure ??= failure;
  pauses.delete(id);
  settled.set(id, outcome);
  walk.kept.add(id, row.outputs?.length ?? 0);
}

async function keepPause(walk: Walk, id: string, row: Row): Promise<void> {
  if (await walk.writer.write({ nodes: [row] })) walk.pauses.set(id, pauseOf(row));
  else walk.state.isLost = true;
}

/**
 * Stores the attempt that a node is at, once, before it reaches out: whoever takes the run over must know of it. It goes into the commits that
 * all share.
 */
export function storeBegin(walk: Walk, attempt: Attempt, mustNotRepeat: boolean): Promise<void> {
  const known = walk.begun.get(attempt.node.id);
  if (known && (known.mustNotRepeat || !mustNotRepeat)) return known.stored;
  const stored = writeRunning(walk, attempt, mustNotRepeat).then((isHeld) => {
    if (!isHeld) throw new Refusal("slot_lost", "Another process has the run by now.");
  });
  walk.begun.set(attempt.node.id, { mustNotRepeat, stored });
  return stored;
}

/** For people to see what the run is busy with. */
export async function showRunning(walk: Walk, attempt: Attempt): Promise<void> {
  await writeRunning(walk, attempt, walk.begun.get(attempt.node.id)?.mustNotRepeat ?? false).catch(() => false);
}

type Attempt = { node: GraphNode; attempts: number; startedAt: Date };

function writeRunning(walk: Walk, { node, attempts, startedAt }: Attempt, mustNotRepeat: boolean): Promise<boolean> {
  const row = describeRunning({ held: walk.held, node, startedAt }, { attempts, mustNotRepeat });
  // Once is enough: from then on the run is stored as running, with the moment it began.
  const turn = walk.state.isShown ? {} : { turn: describeTurn(walk, { status: "running" }) };
  walk.state.isShown = true;
  const written = walk.writer.write({ nodes: [row], ...turn });
  walk.shown.push(written.catch(() => false));
  return written;
}

/** Nodes that were under way when the process before this one fell silent, and that must not be done twice. */
export async function endInterrupted(walk: Walk): Promise<void> {
  const { options, held, graph, interrupted, starts } = walk;
  const ends = [...interrupted].flatMap(([id, { attempts, durationMs }]) => {
    const node = graph.get(id);
    if (!node || walk.settled.has(id)) return [];
    const end = failedEnd(node, { attempts, inputs: [], filled: [] }, interruption);
    const startedAt = starts.get(id) ?? options.clock.now();
    return [{ node, end, row: describeEnd({ held, node, startedAt, durationMs, end, clock: options.clock }) }];
  });
  if (ends.length === 0) return;
  walk.state.isLost = !(await walk.writer.write({ nodes: ends.map(({ row }) => row) }));
  for (const { node, end } of ends) {
    walk.settled.set(node.id, { status: end.is, outputs: end.outputs });
    if (failsRun(node, end.error)) walk.failure ??= { nodeId: node.id, error: end.error };
  }
}

const interruption: NodeFailure = {
  code: "interrupted",
  message: `The process that ran this node ended before the node did. ${lookFirst}`,
};

export function describeTurn(walk: Walk, { status, ...more }: Pick<RunTurn, "status"> & Partial<RunTurn>): RunTurn {
  return {
    ...{ ...walk.held, status, startedAt: walk.startedAt, activeMs: walk.activeMs() },
    ...{ errorCode: null, errorMessage: null, errorNodeId: null, wakeAt: null, completedAt: null },
    ...more,
  };
}

export async function endRun(walk: Walk, settled: ReadonlyMap<string, Settled>, rows: Row[]): Promise<boolean> {
  const { options, failure, held, graph, run } = walk;
  await Promise.all(walk.shown);
  const now = options.clock.now();
  const skipped = failure ? [] : [...settled].filter(([, { status }]) => status === "skipped").map(([id]) => id);
  const nodes = [...rows, ...skipped.flatMap((id) => describeSkipped({ held, node: graph.get(id), now }))];
  const turn = describeTurn(walk, {
    status: failure ? "failed" : "succeeded",
    completedAt: now,
    ...describeError(failure?.error),
    errorNodeId: failure?.nodeId || null,
  });
  const cancelsCalled = failure !== undefined && [...graph.values()].some(({ type }) => type === callWorkflow.id);
  return await walk.writer.write({ nodes, turn, parentRunId: run.parentRunId, cancelsCalled });
}

/** What each node waits for that called other workflows. */
export const callsOf = ({ pauses }: Pick<Walk, "pauses">) =>
  [...pauses].flatMap(([nodeId, pause]) => (pause.is === "calling" ? [{ nodeId, runIds: pause.runIds }] : []));

/** Nodes that called other workflows which have ended. */
export async function resumeCalls(walk: Walk, calls = callsOf(walk)): Promise<void> {
  const { options, run, held, graph, pauses } = walk;
  for (const [id, ended] of await options.findEndedCalls(run, calls)) {
    const [node, pause] = [graph.get(id), pauses.get(id)];
    if (walk.state.hasEnded || walk.state.isLost) return;
    if (!node || !pause) continue;
    const called = await options.readCalled(run, ended);
    const { attempts, durationMs } = pause;
    const common = { attempts, inputs: [], filled: [] };
    const end =
      "items" in called
        ? { is: "succeeded" as const, ...common, outputs: { [onlyWay]: called.items } }
        : failedEnd(node, common, called.error);
    const startedAt = walk.starts.get(id) ?? options.clock.now();
    await settle(walk, id, end, describeEnd({ held, node, startedAt, durationMs, end, clock: options.clock }));
  }
}
export const failedEnd = (node: GraphNode, common: Pick<NodeEnd, "attempts" | "inputs" | "filled">, error: NodeFailure) => ({
  ...{ is: "failed" as const, ...common, error },
  outputs: node.settings.continueOnError ? { [onlyWay]: [{ error }] } : {},
});
