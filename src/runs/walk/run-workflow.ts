import { setTimeout as delay } from "node:timers/promises";
import { isDatabaseUnavailable } from "../../storage/database-errors.ts";
import type { AdoptedRun } from "../store.ts";
import type { NodeRow } from "./checkpoint-store.ts";
import { findReady, type Ready } from "./find-ready.ts";
import { toFailure } from "./node/execute-node.ts";
import { isPaused, nextMoment } from "./node-rows.ts";
import { callsOf, resumeCalls } from "./resume-calls.ts";
import { runNode } from "./run-node.ts";
import { describeState, endInterrupted, endRun, storeKeptEnds } from "./store-progress.ts";
import { beginWalk, type Walk, type WalkContext, type WalkOptions } from "./walk.ts";
import type { RunFailure } from "./walk-state.ts";
import { isBusyIn, standingOf, whatIsLeft } from "./what-is-left.ts";

export type RunOutcome =
  | "ended"
  /** It waits for a moment or for other runs, and is in the queue again. */
  | "aside"
  /** Another process has it, or it was cancelled: nothing more may be done for it. */
  | "lost"
  /** This process stops; another one goes on. */
  | "handed back";

/** `nodes`: all that is stored of the nodes of a run that has ended, where this process knows it. */
export type Followed = { outcome: RunOutcome; nodes?: NodeRow[] | undefined };

export type RunWorkflow = ReturnType<typeof createRunWorkflow>;

const longestTimerMs = 60_000;

/** Follows the graph of a run from where it stands to where it ends or has to wait. A finished node is stored before anything that follows it reaches out. */
export function createRunWorkflow(options: WalkOptions) {
  return async (run: AdoptedRun, context: WalkContext): Promise<Followed> => {
    const walk = await beginWalk(options, run, context);
    if (run.startedAt === null) options.observe.began(walk.startedAt.getTime() - run.queuedAt.getTime());
    try {
      const outcome = await followGraph(walk);
      context.trace.end(describeOutcome(outcome, walk.failure()));
      if (outcome === "ended")
        options.observe.ended(walk.failure() ? "failed" : "succeeded", { activeMs: walk.activeMs() });
      return { outcome, nodes: run.isResumed ? undefined : walk.writer.onlyWrite() };
    } finally {
      walk.close();
    }
  };
}

function describeOutcome(outcome: RunOutcome, failure: RunFailure | undefined) {
  return {
    "switchyard.run.outcome": outcome === "ended" ? (failure ? "failed" : "succeeded") : outcome,
    ...(failure ? { "error.type": failure.error.code } : {}),
  };
}

async function followGraph(walk: Walk): Promise<RunOutcome> {
  await storeKeptEnds(walk);
  await endInterrupted(walk);
  await resumeCalls(walk);
  walk.calledEnds.looked();
  while (!walk.isLost() && !walk.hasEnded()) {
    await lookAtCalls(walk);
    if (canBegin(walk)) beginReady(walk);
    if (walk.running.size > 0) await whenSomethingChanges(walk);
    else if (!canBegin(walk) || !hasMore(walk)) break;
  }
  if (walk.hasEnded()) return "ended";
  // What is under way here must have come to its end before anybody begins it again.
  await Promise.allSettled(walk.running.values());
  return walk.isLost() || walk.signal.aborted ? "lost" : await conclude(walk);
}

const canBegin = (walk: Walk): boolean => !walk.failure() && !walk.isStopping() && !walk.limitSignal.aborted;

/** While other nodes still run: what follows a called workflow does not have to wait for them. */
async function lookAtCalls(walk: Walk): Promise<void> {
  // Where nothing runs, the run steps aside or begins something first; whoever steps aside is told what has ended.
  const calls = walk.running.size === 0 ? [] : walk.calledEnds.take(() => callsOf(walk));
  if (calls.length === 0) return;
  walk.calledEnds.looked();
  try {
    await resumeCalls(walk, calls);
  } catch (error) {
    // It is looked again soon; what runs goes on.
    if (isDatabaseUnavailable(error)) return;
    if (!walk.signal.aborted)
      walk.options.log.warn({ err: error, runId: walk.run.id }, "what called workflows gave could not be read");
    walk.lose();
  }
}

/** A node has ended, or one that paused can go on although others still run. */
async function whenSomethingChanges(walk: Walk): Promise<void> {
  const { running, pauses, options, calledEnds } = walk;
  const moment = canBegin(walk) ? nextMoment(pauses, (id) => running.has(id)) : null;
  const awaitsCalls = canBegin(walk) && callsOf(walk).length > 0;
  const changes = [...running.values(), ...(awaitsCalls ? [calledEnds.told()] : [])];
  if (!moment && !awaitsCalls) return void (await Promise.race(changes));
  const timer = new AbortController();
  const longestMs = awaitsCalls ? calledEnds.patienceMs() : longestTimerMs;
  const delayMs = Math.min(
    moment ? Math.max(moment.getTime() - options.clock.now().getTime(), 1) : longestMs,
    longestMs,
  );
  const woken = delay(delayMs, undefined, { signal: timer.signal }).then(
    () => awaitsCalls && calledEnds.tell(),
    () => {},
  );
  await Promise.race([...changes, woken]).finally(() => timer.abort());
}

function beginReady(walk: Walk): void {
  for (const ready of settleAndFind(walk)) walk.begin(ready.node.id, () => runNode(walk, ready));
}

const hasMore = (walk: Walk): boolean => settleAndFind(walk).length > 0;

/** What can begin now, also a node whose pause is over, once everything is settled that is not executed. */
function settleAndFind(walk: Walk): Ready[] {
  const now = walk.options.clock.now();
  const isBusy = (id: string) => walk.running.has(id) || isPaused(walk.pauses.get(id), now);
  walk.passOn(isBusy);
  return findReady(walk.graph, walk.settled, isBusy, walk.root);
}

/** Nothing runs any more: the run ends, waits, or is handed back. */
async function conclude(walk: Walk): Promise<RunOutcome> {
  if (walk.limitSignal.aborted) walk.fail({ nodeId: "", error: toFailure(walk.limitSignal.reason) });
  const standing = standingOf(walk);
  walk.passOn(isBusyIn(standing));
  if (whatIsLeft(standing).isOver) return (await endRun(walk, walk.settled, [])) ? "ended" : "lost";
  if (hasMore(walk)) return "handed back";
  await walk.writer.whenShown();
  const state = describeState(walk, { status: "waiting", wakeAt: nextMoment(walk.pauses) });
  const awaits = callsOf(walk).map(({ runIds }) => runIds);
  const isOwned = await walk.writer.write({ nodes: [], state, stepAside: { claim: walk.claim, awaits } });
  return isOwned ? "aside" : "lost";
}
