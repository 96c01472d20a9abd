import { setTimeout as delay } from "node:timers/promises";
import { createBatch } from "../../base/batch.ts";
import { Refusal } from "../../base/refusal.ts";
import type { TableOf } from "../../records/table-of.ts";
import type { Database, Sql } from "../../storage/database.ts";
import { isDatabaseUnavailable } from "../../storage/database-errors.ts";
import { isConflict } from "../../storage/repeat-after-conflict.ts";
import { callerFailed, cancelTree } from "../control/cancel-called.ts";
import type { Claim, RunQueue } from "../queue/run-queue.ts";
import { findOpenCalls, lockParent } from "./called-store.ts";
import { type Fence, type NodeRow, onPool, placeOf, type RunState, writeCheckpoints } from "./checkpoint-store.ts";
import { tellParents } from "./tell-parents.ts";

/** `awaits`: the runs that each of its nodes waits for. */
type StepAside = { claim: Claim; awaits: string[][] };

export type Checkpoint = {
  nodes: NodeRow[];
  /** What becomes of the run, when it ends or changes its state. */
  state?: RunState;
  /** Given when the run steps aside until `state.wakeAt`, or until those that one of its nodes called have ended. */
  stepAside?: StepAside;
  /** The run that may wait for this one's end. */
  parentRunId?: string | null;
  /** Given when the run failed and may have called others, which nobody waits for any more. */
  cancelsCalled?: boolean;
};

export type Checkpoints = ReturnType<typeof createCheckpoints>;

type Options = {
  db: Database;
  queue: RunQueue;
  tableOf: TableOf;
  /** Called after each commit. */
  onChange: (changed: { organizationId: string; id: string }[]) => void;
  onCancelled: (cancelled: { organizationId: string; id: string }[]) => void;
  /** A run is due at that moment. */
  onQueued: (moment: Date) => void;
};

const patienceMs = 60_000;
const pauseMs = 250;
/** A statement has two seconds, so rows with much text do not go together with others. */
const largeLength = 256 * 1024;

/** Writes what became of nodes and runs. All that wait at the same time share a commit. */
export function createCheckpoints({ db, queue, tableOf, onChange, onCancelled, onQueued }: Options) {
  const flush = async (checkpoints: Checkpoint[]): Promise<boolean[]> => {
    const nodes = checkpoints.flatMap((checkpoint) => checkpoint.nodes);
    const states = checkpoints.flatMap(({ state }) => state ?? []);
    const owned = new Set((await writeCheckpoints(onPool(db), nodes, states, tableOf)).map(placeOf));
    onChange(states.filter((state) => owned.has(placeOf(state))).map(toPlace));
    return checkpoints.map((checkpoint) => owned.has(placeOf(fenceOf(checkpoint))));
  };
  // Not all at once: while the database stores some, this process executes others.
  const batch = createBatch({ flush, maxItems: 32, isFatal: isDatabaseUnavailable });

  /** Its place in the queue: at its moment, at once when what it waits for is over, or none until that ends. */
  async function requeue(sql: Sql, state: RunState, stepAside: StepAside): Promise<void> {
    await queue.remove(sql, [stepAside.claim]);
    const open = await findOpenCalls(sql, state, stepAside.awaits.flat());
    const isOver = stepAside.awaits.some((ids) => !ids.some((id) => open.has(id)));
    const startAfter = isOver ? null : state.wakeAt;
    if (isOver || startAfter)
      await queue.insertMissing(sql, [{ id: state.runId, organizationId: state.organizationId, startAfter }]);
  }

  /** What has to be locked before the run itself: its own place in the queue, and the run that called it. */
  async function lockOthers(sql: Sql, { state, stepAside, parentRunId }: Checkpoint) {
    if (stepAside) await queue.hold(sql, stepAside.claim);
    return state?.completedAt && parentRunId ? await lockParent(sql, { ...toPlace(state), id: parentRunId }) : [];
  }

  /** What a run called that failed: nobody waits for it any more. */
  async function cancelCalled(sql: Sql, { state, cancelsCalled }: Checkpoint): Promise<string[]> {
    if (!state?.completedAt || !cancelsCalled) return [];
    return await cancelTree(sql, queue, toPlace(state), { completedAt: state.completedAt, message: callerFailed });
  }

  async function writeAlone(checkpoint: Checkpoint): Promise<boolean> {
    const { nodes, state, stepAside } = checkpoint;
    let cancelled: string[] = [];
    const isOwned = await db.transaction(async (sql) => {
      const parents = await lockOthers(sql, checkpoint);
      const [owned] = await writeCheckpoints(sql, nodes, state ? [state] : [], tableOf);
      if (!owned) return false;
      if (state && stepAside) await requeue(sql, state, stepAside);
      cancelled = await cancelCalled(sql, checkpoint);
      await tellParents(sql, queue, { parents, calledId: fenceOf(checkpoint).runId });
      return true;
    });
    if (isOwned && state) onChange([toPlace(state)]);
    if (isOwned && state && cancelled.length > 0) onCancelled(cancelled.map((id) => ({ ...toPlace(state), id })));
    if (isOwned) onQueued(state?.wakeAt ?? new Date(0));
    return isOwned;
  }

  const write = async (checkpoint: Checkpoint): Promise<boolean> => {
    const isLarge = checkpoint.nodes.some(({ outputs }) => (outputs?.length ?? 0) > largeLength);
    const isAlone =
      isLarge ||
      checkpoint.stepAside ||
      (checkpoint.state?.completedAt && (checkpoint.parentRunId || checkpoint.cancelsCalled));
    return isAlone ? await writeAlone(checkpoint) : await batch.add(checkpoint);
  };

  return {
    /**
     * False when the run is not this process's any more, and then nothing was written. A database that is away is waited for:
     * what a node did must not be forgotten as long as this process remembers it.
     */
    async add(checkpoint: Checkpoint, signal: AbortSignal): Promise<boolean> {
      const untilMs = performance.now() + patienceMs;
      for (;;) {
        try {
          return await write(checkpoint);
        } catch (error) {
          const isPassing = isDatabaseUnavailable(error) || isConflict(error);
          if (!isPassing || performance.now() > untilMs || signal.aborted) throw error;
          await delay(pauseMs, undefined, { signal }).catch(() => {
            throw new Refusal("shutting_down", "The server is stopping.");
          });
        }
      }
    },

    drain: batch.drain,
  };
}

const toPlace = ({ organizationId, runId }: RunState) => ({ organizationId, id: runId });

const fenceOf = ({ nodes, state }: Checkpoint): Fence => state ?? (nodes[0] as Fence);
