import type { Clock } from "../../base/clock.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Database } from "../../storage/database.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import { findParent, type RunPlace } from "../store.ts";
import { lockParent } from "../walk/called-store.ts";
import { tellParents } from "../walk/tell-parents.ts";
import { cancelTree } from "./cancel-called.ts";

type Options = {
  db: Database;
  queue: RunQueue;
  clock: Clock;
  onChange: (changed: RunPlace[]) => void;
  onQueued: () => void;
};

export type CancelRun = ReturnType<typeof createCancelRun>;

/** Ends a run where it stands, and those it waits for. Once this returns nothing more is written to it, wherever it runs. */
export function createCancelRun({ db, queue, clock, onChange, onQueued }: Options) {
  return async (place: RunPlace): Promise<void> => {
    const { organizationId } = place;
    const cancelled = await db.transaction(async (sql) => {
      const parentRunId = await findParent(sql, place);
      const parents = parentRunId ? await lockParent(sql, { organizationId, id: parentRunId }) : [];
      const ids = await cancelTree(sql, queue, place, { completedAt: clock.now(), message: "The run was cancelled." });
      if (ids.length > 0) await tellParents(sql, queue, { parents, calledId: place.id });
      return ids;
    });
    if (cancelled.length === 0) throw new Refusal("run_finished", "This run has ended already.");
    onChange(cancelled.map((id) => ({ organizationId, id })));
    onQueued();
  };
}
