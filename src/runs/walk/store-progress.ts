import { Refusal } from "../../base/refusal.ts";
import { callWorkflow } from "../../workflows/engine-nodes/call-workflow.ts";
import type { RunState } from "./checkpoint-store.ts";
import type { GraphNode } from "./graph.ts";
import type { Settled } from "./incoming.ts";
import { failsRun, interruption, type NodeEnd } from "./node/execute-node.ts";
import type { NodeFailure } from "./node/node-failure.ts";
import { describeEnd, describeError, describeRunning, describeSkipped, pauseOf } from "./node-rows.ts";
import { createNodeTracker, type NodeTracker, type Reached } from "./track-node.ts";
import type { Ended } from "./unstored-ends.ts";
import type { Walk } from "./walk.ts";
import { standingAfter, whatIsLeft } from "./what-is-left.ts";

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
    if (!walk.hasEnded() && !walk.settled.has(id)) await storeKeptEnd(walk, id, ended);
    if (walk.isLost()) return;
    unstored.forget(walk.run.id, id);
  }
}

async function storeKeptEnd(walk: Walk, id: string, { end, row }: Ended): Promise<void> {
  // Others may have tried since: no fewer attempts are shown than were made, and where theirs stand counts more than what this one would wait for.
  const attempts = Math.max(row.attempts, walk.pauses.get(id)?.attempts ?? 0, walk.interrupted.get(id)?.attempts ?? 0);
  if (attempts > row.attempts && end.is !== "succeeded" && end.is !== "failed") return;
  walk.forgetInterruption(id);
  await storeEnd(walk, id, { end, row: { ...row, ...walk.fence, attempts } });
}

/** Stores a finished node, and the end of the run with it when nothing is left to do. */
async function settle(
  walk: Walk,
  id: string,
  end: Extract<NodeEnd, { is: "succeeded" | "failed" }>,
  row: Row,
): Promise<void> {
  const { graph, writer } = walk;
  const outcome: Settled = { status: end.is, outputs: end.outputs, origins: originsToKeep(end, row) };
  const failure =
    end.is === "failed" && failsRun(graph.get(id), end.error) ? { nodeId: id, error: end.error } : undefined;
  const afterwards = standingAfter(walk, id, { outcome, failure });
  const { ready, isOver } = whatIsLeft(afterwards);
  if (isOver) {
    walk.fail(failure);
    if (await endRun(walk, afterwards.settled, [row])) walk.end();
    else walk.lose();
    return;
  }
  const isPure = (node: GraphNode | undefined) => node !== undefined && walk.options.isPure(node);
  const mayWait =
    end.is === "succeeded" &&
    row.durationMs < quickMs &&
    [graph.get(id), ...ready.map(({ node }) => node)].every(isPure);
  const isNoted = (mayWait && writer.defer(row)) || (await writer.write({ nodes: [row] }));
  if (isNoted) walk.settle(id, { outcome, failure, outputsLength: row.outputs?.length ?? 0 });
  else walk.lose();
}

/** As whoever takes the run over has them. */
const originsToKeep = ({ origins }: Extract<NodeEnd, { is: "succeeded" | "failed" }>, { items }: Row) =>
  items === null ? undefined : origins;

async function keepPause(walk: Walk, id: string, row: Row): Promise<void> {
  if (await walk.writer.write({ nodes: [row] })) walk.pause(id, pauseOf(row));
  else walk.lose();
}

type Attempt = { node: GraphNode; attempts: number; startedAt: Date };

/** Stores how far an attempt is, into the commits that all share: whoever takes the run over must know of it. */
export function trackNode(walk: Walk, attempt: Attempt): NodeTracker {
  let known: Reached | undefined;
  return createNodeTracker(async (reached, isNews) => {
    if (await writeRunning(walk, attempt, reached, isNews)) {
      known = reached;
      return;
    }
    await takeBack(walk, attempt, known).catch(() => false);
    throw new Refusal("slot_lost", "Another process has the run by now, or what came before could not be stored.");
  });
}

/** What was about to begin did not. Whoever goes on with the run must not take it for something that was cut off. */
async function takeBack(
  { fence, options, signal }: Walk,
  { node, attempts, startedAt }: Attempt,
  known: Reached | undefined,
): Promise<void> {
  const before = known
    ? { attempts, ...known, items: null, underWay: known.underWay ?? "[]" }
    : { attempts: attempts - 1, mustNotRepeat: false };
  await options.checkpoints.add({ nodes: [describeRunning({ fence, node, startedAt }, before)] }, signal);
}

function writeRunning(
  walk: Walk,
  { node, attempts, startedAt }: Attempt,
  reached: Reached,
  isNews: boolean,
): Promise<boolean> {
  const row = describeRunning({ fence: walk.fence, node, startedAt }, { attempts, ...reached });
  return walk.writer.show(row, { isNews, state: () => describeState(walk, { status: "running" }) });
}

/** Nodes that were under way when the process before this one fell silent, and that must not be done twice. */
export async function endInterrupted(walk: Walk): Promise<void> {
  const { options, fence, graph, interrupted } = walk;
  const ends = [...interrupted].flatMap(([id, { attempts, durationMs, outputs, items, done, total }]) => {
    const node = graph.get(id);
    if (!node || walk.settled.has(id)) return [];
    const kept = { outputs: JSON.parse(outputs ?? "{}") as Settled["outputs"], stored: { items, done, total } };
    const end = { is: "failed" as const, attempts, inputs: [], filled: [], error: interruption, ...kept };
    const row = describeEnd({ fence, node, startedAt: walk.startOf(id), durationMs, end, clock: options.clock });
    return [{ node, end, row }];
  });
  if (ends.length === 0) return;
  if (!(await walk.writer.write({ nodes: ends.map(({ row }) => row) }))) walk.lose();
  for (const { node, end, row } of ends)
    walk.settle(node.id, {
      outcome: { status: end.is, outputs: end.outputs },
      failure: failsRun(node, end.error) ? { nodeId: node.id, error: end.error } : undefined,
      outputsLength: row.outputs?.length ?? 0,
    });
}

export function describeState(walk: Walk, { status, ...more }: Pick<RunState, "status"> & Partial<RunState>): RunState {
  return {
    ...walk.fence,
    status,
    startedAt: walk.startedAt,
    activeMs: walk.activeMs(),
    errorCode: null,
    errorMessage: null,
    errorNodeId: null,
    wakeAt: null,
    completedAt: null,
    ...more,
  };
}

export async function endRun(walk: Walk, settled: ReadonlyMap<string, Settled>, rows: Row[]): Promise<boolean> {
  const { options, fence, graph, run } = walk;
  const failure = walk.failure();
  await walk.writer.whenShown();
  const now = options.clock.now();
  const skipped = failure ? [] : [...settled].filter(([, { status }]) => status === "skipped").map(([id]) => id);
  const nodes = [...rows, ...skipped.flatMap((id) => describeSkipped({ fence, node: graph.get(id), now }))];
  const state = describeState(walk, {
    status: failure ? "failed" : "succeeded",
    completedAt: now,
    ...describeError(failure?.error),
    errorNodeId: failure?.nodeId || null,
  });
  const cancelsCalled = failure !== undefined && [...graph.values()].some(({ type }) => type === callWorkflow.id);
  return await walk.writer.write({ nodes, state, parentRunId: run.parentRunId, cancelsCalled });
}

export const failedEnd = (
  node: GraphNode,
  common: Pick<NodeEnd, "attempts" | "inputs" | "filled">,
  error: NodeFailure,
) => ({
  is: "failed" as const,
  ...common,
  error,
  outputs: node.settings.continueOnError ? { [node.errorWay]: [{ error }] } : {},
});
