import type { Clock } from "../../../base/clock.ts";
import { asUnclear, lookFirst } from "../../../base/effect.ts";
import { Refusal, type RefusalCode } from "../../../base/refusal.ts";
import type { FindStoredOf } from "../../../records/typed-secrets.ts";
import type { EngineOutcome, Item } from "../../../workflows/engine-node.ts";
import { type GraphNode, onlyWay } from "../graph.ts";
import { type CalledWorkflow, collectOutcomes, requireFew } from "./collect-outcomes.ts";
import type { ExecuteOnce } from "./execute-once.ts";
import { originsByIdentity } from "./find-origin.ts";
import { type Origins, type StoredItems, writeItems } from "./item-progress.ts";
import type { NodeFailure } from "./node-failure.ts";
import type { Execution, NodeTask } from "./node-task.ts";
import { type Again, type Failed, nextTry, retryAfterOf } from "./retries.ts";
import { withoutTypedSecrets } from "./scrub-failure.ts";

/** What came out of a node, and from which of its items. */
export type Given = { outputs: Record<string, Item[]>; origins?: Origins };

export type NodeEnd = {
  attempts: number;
  /** What it was given, for each execution of this attempt. */
  inputs: unknown[];
  filled: unknown[];
  stored?: StoredItems;
} & (
  | ({ is: "succeeded"; note?: string | undefined } & Given)
  | ({ is: "failed"; error: NodeFailure } & Given)
  /** Without an error it only goes on elsewhere. */
  | ({ is: "retrying"; error?: NodeFailure; wakeAt: Date } & Given)
  | { is: "waiting"; wakeAt: Date }
  | { is: "calling"; runs: CalledWorkflow[]; wakeAt?: Date | undefined }
);

export type ExecuteNode = ReturnType<typeof createExecuteNode>;

type Outcomes = ReturnType<typeof collectOutcomes>;

/** One attempt at all executions that are not done. */
type Pass = {
  task: NodeTask;
  total: number;
  outcomes: Outcomes;
  tried: Set<number>;
  again: Map<number, Again>;
  fatal: Map<number, NodeFailure>;
};

type Options = { clock: Clock; executeOnce: ExecuteOnce; findStoredOf: FindStoredOf };

/** Executes a node once for each item it takes, or once for all of them. What fails comes back as an end, not as an error. */
export function createExecuteNode({ clock, executeOnce, findStoredOf }: Options) {
  const tryOnce = createTryOnce({ executeOnce, findStoredOf });

  /** It is tried again, ends the node, or the run goes on with an item that tells of it. */
  function takeFailure(
    { task: { node }, outcomes, again, fatal }: Pass,
    { index, input, items, isForItem }: Execution,
    failed: Failed,
  ): void {
    const next = nextTry(node, failed, { failures: outcomes.countFailure(index), now: clock.now() });
    const { error } = failed;
    if (next) again.set(index, next);
    else if (failsRun(node, error)) fatal.set(index, error);
    else {
      const way = node.errorWay;
      const told: Item[] = [...(isForItem ? [{ error, item: input }] : []), { error }];
      const origins = isForItem || items.length === 1 ? {} : { origins: { [way]: [null] } };
      outcomes.addFailure(
        index,
        error,
        told.map((one) => ({ outputs: { [way]: [one] }, ...origins })),
      );
    }
  }

  async function executeOne(pass: Pass, execution: Execution): Promise<void> {
    pass.tried.add(execution.index);
    const failed = await tryOnce(pass, execution);
    if (failed) takeFailure(pass, execution, failed);
    // What ended the node stays under way until its end is stored: it may have been done.
    if (!pass.fatal.has(execution.index)) pass.task.onProgress(pass.outcomes, execution.index, pass.total);
  }

  /** So many at a time as the node's author allows; what is under way comes to its end, whatever becomes of the others. */
  async function executeAll(pass: Pass, executions: Execution[]): Promise<void> {
    const { task, fatal } = pass;
    const [only] = executions;
    if (only && executions.length === 1) return await executeOne(pass, only);
    let isBroken = false;
    const mayBegin = () => fatal.size === 0 && !isBroken && !task.signal.aborted && !task.isStopping();
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < executions.length && (next === 0 || mayBegin()))
        await executeOne(pass, executions[next++] as Execution).catch((error: unknown) => {
          isBroken = true;
          throw error;
        });
    };
    const lanes = Array.from({ length: Math.min(task.node.settings.itemsAtOnce, executions.length) }, lane);
    const broken = (await Promise.allSettled(lanes)).find(({ status }) => status === "rejected");
    if (broken) throw (broken as PromiseRejectedResult).reason;
  }

  return async (task: NodeTask): Promise<NodeEnd> => {
    const executions = executeOnce.plan(task);
    const outcomes = collectOutcomes(task.progress);
    const pass: Pass = {
      task,
      total: executions.length,
      outcomes,
      tried: new Set(),
      again: new Map(),
      fatal: new Map(),
    };
    const isOpen = ({ index }: Execution) => !outcomes.results.has(index);
    const cutOff = executions.filter(
      (execution) => isOpen(execution) && task.progress.interrupted.has(execution.index),
    );
    for (const execution of cutOff) takeFailure(pass, execution, { error: interruption });
    const open = executions.filter(isOpen);
    if (pass.fatal.size === 0) await executeAll(pass, open);
    return describePass(pass, open, clock.now());
  };
}

/** Gives the failure of one execution, or undefined. */
function createTryOnce({ executeOnce, findStoredOf }: Omit<Options, "clock">) {
  return async ({ task, outcomes }: Pass, execution: Execution): Promise<Failed | undefined> => {
    let mustNotRepeat = false;
    let given: unknown = task.node.parameters;
    const note: Outcomes["note"] = (place, parameters, filled) => {
      given = { parameters, filled };
      outcomes.note(place, parameters, filled);
    };
    const begin: NodeTask["begin"] = async (place, now) => {
      mustNotRepeat ||= now;
      await task.begin(place, now);
    };
    try {
      const outcome = await executeOnce.run({ ...task, begin }, execution, note);
      outcomes.add(execution.index, withOrigins(outcome, execution));
      return undefined;
    } catch (thrown) {
      const error = task.signal.aborted ? endOfTime(task.signal, mustNotRepeat || isUnknown(thrown)) : thrown;
      if (isPassing(error)) throw error;
      const mayBeDone = mustNotRepeat && isUnknown(error);
      const failure = await withoutTypedSecrets(toFailure(error), given, findStoredOf(task.organizationId));
      return { error: failure, mayBeDone, retryAfterMs: retryAfterOf(error) };
    }
  };
}

/** What one item gave came from it; what several gave, from those that are passed on, or from nobody knows which. */
function withOrigins(outcome: EngineOutcome, { isForItem, items }: Execution): EngineOutcome {
  if (!("outputs" in outcome) || outcome.origins || isForItem || items.length === 1) return outcome;
  return { ...outcome, origins: originsByIdentity(outcome.outputs, items) };
}

function describePass(pass: Pass, open: Execution[], now: Date): NodeEnd {
  const { task, outcomes, total } = pass;
  const isWhole = open.every(({ index }) => pass.tried.has(index));
  const end = endOf(pass, isWhole, now);
  // What another process goes on with is the same attempt still.
  const attempts = task.progress.attempts + (open.length > 0 && (isWhole || "error" in end) ? 1 : 0);
  const origins = "origins" in end ? end.origins : {};
  return { attempts, ...outcomes.seen(), stored: writeItems(outcomes, origins, total), ...end };
}

function endOf(pass: Pass, isWhole: boolean, now: Date) {
  const { task, outcomes, again } = pass;
  const [fatal] = [...pass.fatal].sort(([one], [other]) => one - other).map(([, error]) => error);
  if (fatal) return { is: "failed" as const, error: fatal, ...outcomes.merged() };
  if (again.size > 0) return { is: "retrying" as const, ...lastOf(again), ...outcomes.merged() };
  if (!isWhole) return { is: "retrying" as const, wakeAt: now, ...outcomes.merged() };
  const ignored = outcomes.lastFailure();
  return ignored ? { is: "failed" as const, error: ignored, ...outcomes.merged() } : conclude(task, outcomes, now);
}

function conclude({ node: { settings }, incoming }: NodeTask, outcomes: Outcomes, now: Date) {
  const wakeAt = outcomes.wakeAt();
  const givesUpAt = settings.timeoutMs === undefined ? undefined : new Date(now.getTime() + settings.timeoutMs);
  if (outcomes.runs.length > 0) return { is: "calling" as const, runs: outcomes.runs, wakeAt: givesUpAt };
  if (wakeAt && wakeAt > now) return { is: "waiting" as const, wakeAt };
  const given = wakeAt ? passThrough(requireFew(incoming.items)) : outcomes.merged();
  return { is: "succeeded" as const, ...given, note: outcomes.told() };
}

/** Later than all of them, so that none is asked for too early. */
function lastOf(again: ReadonlyMap<number, Again>): Again {
  const all = [...again].sort(([one], [other]) => one - other).map(([, next]) => next);
  const wakeAt = new Date(Math.max(...all.map((next) => next.wakeAt.getTime())));
  return { error: (all.at(-1) as Again).error, wakeAt };
}

/** The same items, each from itself. */
export const passThrough = (items: Item[]): Required<Given> => ({
  outputs: { [onlyWay]: items },
  origins: { [onlyWay]: items.map((_, place) => place) },
});

/** The time of the run is up, which ends what is under way; everything else that aborts says nothing about the node. */
function endOfTime({ reason }: AbortSignal, mayBeDone: boolean): Refusal {
  if (!(reason instanceof Refusal) || reason.code !== "run_timeout") throw reason;
  return mayBeDone ? asUnclear(reason) : reason;
}

const isUnknown = (error: unknown): boolean => error instanceof Refusal && error.effect === "unknown";

export const interruption: NodeFailure = {
  code: "interrupted",
  message: `The process that ran this node ended before the node did. ${lookFirst}`,
};

/** Whether the run fails with its node, in the process that executed it and in those that take the run over. */
export const failsRun = (node: Pick<GraphNode, "settings"> | undefined, error: NodeFailure): boolean =>
  !node?.settings.continueOnError || endsRun(error);

/** Whatever the node's settings say: a stop stops, and the time of the run is up for all of its nodes. */
const endsRun = ({ code }: NodeFailure): boolean => code === "stopped_by_workflow" || code === "run_timeout";

export function toFailure(error: unknown): NodeFailure {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  return { code: "internal_error", message: "The node failed unexpectedly. The log of the server says more." };
}

/** It says nothing about the node: the run goes on later, or elsewhere. */
export const isPassing = (error: unknown): boolean => error instanceof Refusal && passing.has(error.code);

const passing = new Set<RefusalCode>(["slot_lost", "database_unavailable", "shutting_down"]);
