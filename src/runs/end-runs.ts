import type { Clock } from "../base/clock.ts";
import type { Database, RunStatement } from "../storage/database.ts";
import { lockParent, type Parent } from "./called-store.ts";
import type { RunQueue } from "./run-queue.ts";
import { cancelRuns, findUnended, notifyCancelled, type RunPlace } from "./store.ts";
import { tellParents } from "./tell-parents.ts";

type Options = { db: Database; queue: RunQueue; clock: Clock; onChange: (changed: RunPlace[]) => void; onQueued: () => void };

/** All runs of an organization, or only those of one workflow. */
type RunOwner = { organizationId: string; workflowId?: string };

/** So few that a transaction with all of them is over soon. */
const mostAtOnce = 1000;

/**
 * Ends what is queued or has begun of a workflow or an organization, in the transaction in which `mark` says that it is deleted. Nothing more is written to
 * these runs, so what has begun ends at its next step. The rest, and what was accepted in the same moment, is ended right afterwards.
 */
export function createEndRuns({ db, queue, clock, onChange, onQueued }: Options) {
  async function endSome(run: RunStatement, { organizationId, workflowId }: RunOwner): Promise<string[]> {
    const queued = await queue.listOf(run, organizationId);
    const found = await findUnended(run, { organizationId, workflowId: workflowId ?? null, queued, limit: mostAtOnce });
    if (found.length === 0) return [];
    const chosen = new Set(found.map(({ id }) => id));
    const parentIds = new Set(found.flatMap(({ parentRunId }) => (parentRunId === null || chosen.has(parentRunId) ? [] : [parentRunId])));
    const parents: Parent[] = [];
    for (const id of [...parentIds].sort()) parents.push(...(await lockParent(run, { organizationId, id })));
    const message = `The ${workflowId === undefined ? "organization" : "workflow"} was deleted.`;
    const ids = await cancelRuns(run, { organizationId, ids: [...chosen], completedAt: clock.now(), message });
    await queue.removeAll(
      run,
      ids.map((id) => ({ id })),
    );
    await tellParents(run, queue, { parents });
    await notifyCancelled(run, ids);
    return ids;
  }

  return async (owner: RunOwner, mark: (run: RunStatement) => Promise<void> = async () => {}): Promise<void> => {
    const { organizationId } = owner;
    const end = (before: typeof mark) =>
      db.transaction(async (run) => {
        await before(run);
        return await endSome(run, owner);
      });
    for (let ended = await end(mark), isFirst = true; isFirst || ended.length > 0; ended = await end(async () => {})) {
      isFirst = false;
      onChange(ended.map((id) => ({ organizationId, id })));
      if (ended.length > 0) onQueued();
    }
  };
}
