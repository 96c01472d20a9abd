import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database, RunStatement } from "../storage/database.ts";
import { lockWaitingParent } from "./checkpoint-store.ts";
import type { RunQueue } from "./run-queue.ts";
import { cancelRuns, findParent, notifyCancelled, type RunPlace } from "./store.ts";

type Options = { db: Database; queue: RunQueue; clock: Clock; onChange: (changed: RunPlace[]) => void; onQueued: () => void };

/** Ends a run where it stands, and those it waits for. Once this returns nothing more is written to it, wherever it runs. */
export function createCancelRun({ db, queue, clock, onChange, onQueued }: Options) {
  return async (place: RunPlace): Promise<void> => {
    const { organizationId } = place;
    const cancelled = await db.transaction(async (run) => {
      const parentRunId = await findParent(run, place);
      const parents = parentRunId ? await lockWaitingParent(run, { organizationId, id: parentRunId }) : [];
      const ids = await cancelTree(run, place, clock.now());
      await queue.removeAll(
        run,
        ids.map((id) => ({ id })),
      );
      if (ids.length > 0) await queue.wake(run, parents);
      await notifyCancelled(run, ids);
      return ids;
    });
    if (cancelled.length === 0) throw new Refusal("run_finished", "This run has ended already.");
    onChange(cancelled.map((id) => ({ organizationId, id })));
    onQueued();
  };
}

/** One that was being stored while its parent was locked here is only seen afterwards. */
async function cancelTree(run: RunStatement, { organizationId, id }: RunPlace, now: Date): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const found = await cancelRuns(run, { organizationId, ids: [id], completedAt: now, message: "The run was cancelled." });
    if (found.length === 0) return ids;
    ids.push(...found);
  }
}
