import type { Clock } from "../base/clock.ts";
import { Refusal, type RefusalCode, refusalStatus } from "../base/refusal.ts";
import type { Item } from "../workflows/engine-node.ts";
import { type CalledWorkflow, collectOutcomes, requireFew } from "./collect-outcomes.ts";
import type { ExecuteOnce, Execution } from "./execute-once.ts";
import { type GraphNode, onlyWay } from "./graph.ts";
import type { NodeTask, Progress } from "./node-task.ts";

export type NodeFailure = { code: RefusalCode; message: string };

export type NodeEnd = {
  attempts: number;
  /** What it was given, for each execution of this attempt. */
  inputs: unknown[];
  filled: unknown[];
} & (
  | { is: "succeeded"; outputs: Record<string, Item[]>; note?: string | undefined }
  | { is: "failed"; error: NodeFailure; outputs: Record<string, Item[]> }
  | { is: "retrying"; error: NodeFailure; wakeAt: Date; done: number; outputs: Record<string, Item[]> }
  | { is: "waiting"; wakeAt: Date }
  | { is: "calling"; runs: CalledWorkflow[] }
);

export type ExecuteNode = ReturnType<typeof createExecuteNode>;

type Outcomes = ReturnType<typeof collectOutcomes>;

type Failed = { error: NodeFailure; mayBeDone: boolean };

const longestDelayMs = 24 * 3600_000;

/** Executes a node once for each item it takes, or once for all of them. What fails comes back as an end, not as an error. */
export function createExecuteNode({ clock, executeOnce }: { clock: Clock; executeOnce: ExecuteOnce }) {
  /** The failure of one execution, or undefined. */
  async function tryOnce(task: NodeTask, execution: Execution, outcomes: Outcomes): Promise<Failed | undefined> {
    let mustNotRepeat = false;
    const begin: NodeTask["begin"] = async (now) => {
      mustNotRepeat ||= now;
      await task.begin(now);
    };
    try {
      outcomes.add(await executeOnce.run({ ...task, begin }, execution, outcomes.note));
      return undefined;
    } catch (error) {
      task.signal.throwIfAborted();
      if (isPassing(error)) throw error;
      return { error: toFailure(error), mayBeDone: mustNotRepeat && error instanceof Refusal && error.effect === "unknown" };
    }
  }

  const nextAttemptAt = (settings: NodeTask["node"]["settings"], attempts: number): Date =>
    new Date(clock.now().getTime() + Math.min(settings.retryDelayMs * 2 ** (attempts - 1), longestDelayMs));

  /** The end of a node that one of its executions failed; undefined when it goes on with an item that tells of the failure. */
  function endAfter({ error, mayBeDone }: Failed, { settings }: NodeTask["node"], { attempts, done, outputs }: Progress) {
    const mayRepeat = !mayBeDone || settings.repeatAfterInterruption;
    if (attempts <= settings.retries && mayRepeat && !hopeless.has(error.code))
      return { is: "retrying" as const, error, wakeAt: nextAttemptAt(settings, attempts), done, outputs };
    return failsRun({ settings }, error) ? { is: "failed" as const, error, outputs: {} } : undefined;
  }

  return async (task: NodeTask): Promise<NodeEnd> => {
    const { node, progress } = task;
    const attempts = progress.attempts + 1;
    const outcomes = collectOutcomes(progress);
    const { outputs, seen } = outcomes;
    let ignored = findIgnored(task);
    let { done } = progress;
    for (const execution of executeOnce.plan(task).slice(done)) {
      const failed = await tryOnce(task, execution, outcomes);
      const end = failed && endAfter(failed, node, { attempts, done, outputs });
      if (end) return { attempts, ...seen, ...end };
      if (failed) outcomes.addOutputs({ [errorWay(executeOnce.waysOf(node))]: [{ error: failed.error }] });
      ignored = failed?.error ?? ignored;
      done += 1;
    }
    const end = ignored ? { is: "failed" as const, error: ignored, outputs } : conclude(task, outcomes);
    return { attempts, ...seen, ...end };
  };

  function conclude(task: NodeTask, outcomes: Outcomes) {
    const wakeAt = outcomes.wakeAt();
    if (outcomes.runs.length > 0) return { is: "calling" as const, runs: outcomes.runs };
    if (wakeAt && wakeAt > clock.now()) return { is: "waiting" as const, wakeAt };
    const outputs = wakeAt ? { [onlyWay]: requireFew(task.incoming.items) } : outcomes.outputs;
    return { is: "succeeded" as const, outputs, note: outcomes.told() };
  }
}

/** The last failure that earlier attempts went on after: of those, nothing but their items is stored. */
function findIgnored({ node, progress }: NodeTask): NodeFailure | undefined {
  if (!node.settings.continueOnError) return undefined;
  return Object.values(progress.outputs).flat().filter(isFailureItem).at(-1)?.error;
}

const isFailureItem = (item: Item): item is { error: NodeFailure } => {
  const { error, ...others } = item as { error?: Partial<NodeFailure> | null };
  return Object.keys(others).length === 0 && Object.hasOwn(refusalStatus, String(error?.code)) && typeof error?.message === "string";
};

/** The only way, or the one that stands for "none of the above". */
const errorWay = (ways: string[]): string => ways.at(-1) ?? onlyWay;

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

// The same again would only fail in the same way.
const hopeless = new Set<RefusalCode>([
  "validation_failed",
  "outputs_too_large",
  "unknown_node",
  "reference_unresolved",
  "stopped_by_workflow",
  "credential_reference_invalid",
  "credential_not_accessible",
  "credential_type_mismatch",
  "credential_needs_reconnect",
  "workflow_not_found",
  "workflow_inactive",
]);
