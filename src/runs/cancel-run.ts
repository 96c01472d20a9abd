import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { lockWaitingParent } from "./checkpoint-store.ts";
import type { RunQueue } from "./run-queue.ts";
import { cancelRuns, findParent, notifyWorkers, type RunPlace } from "./store.ts";

type Options = { db: Database; queue: RunQueue; clock: Clock; onChange: (changed: RunPlace[]) => void; onQueued: () => void };

/** Ends a run where it stands, and those it waits for. Once this returns nothing more is written to it, wherever it runs. */
export function createCancelRun({ db, queue, clock, onChange, onQueued }: Options) {
  return async (place: RunPlace): Promise<void> => {
    const { organizationId } = place;
    const cancelled = await db.transaction(async (run) => {
      const parentRunId = await findParent(run, place);
      const parents = parentRunId ? await lockWaitingParent(run, { organizationId, id: parentRunId }) : [];
      const ids = await cancelRuns(run, place, clock.now());
      const woken = ids.length > 0 ? parents : [];
      await queue.removeAll(run, [...ids.map((id) => ({ id })), ...woken]);
      await queue.insert(run, woken);
      for (const id of ids) await notifyWorkers(run, `cancelled ${id}`);
      return ids;
    });
    if (cancelled.length === 0) throw new Refusal("run_finished", "This run has ended already.");
    onChange(cancelled.map((id) => ({ organizationId, id })));
    onQueued();
  };
}
