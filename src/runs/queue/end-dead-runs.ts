import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Database, Sql } from "../../storage/database.ts";
import { callerFailed, cancelTree } from "../control/cancel-called.ts";
import { type AdoptedRun, adoptRuns, findParent, type RunPlace } from "../store.ts";
import { lockParent, type Parent } from "../walk/called-store.ts";
import { writeCheckpoints } from "../walk/checkpoint-store.ts";
import { tellParents } from "../walk/tell-parents.ts";
import type { RunQueue } from "./run-queue.ts";

type Options = {
  db: Database;
  queue: RunQueue;
  clock: Clock;
  log: Log;
  onChange: (changed: RunPlace[]) => void;
  onCancelled: (changed: RunPlace[]) => void;
};

/** Ends, as failed, runs that every process failed at which tried them: whoever started one must learn of it. */
export function createEndDeadRuns({ db, queue, clock, log, onChange, onCancelled }: Options) {
  return async (owner: string): Promise<void> => {
    const { ended, cancelled } = await db.transaction(async (sql) => {
      const places = (await queue.takeDead(sql)).sort((one, other) => (one.id < other.id ? -1 : 1));
      const parents = await lockParents(sql, places);
      const adopted = await adoptRuns(sql, owner, places);
      const states = adopted.map((one) => describeFailure(one, clock.now()));
      if (states.length > 0) await writeCheckpoints(sql, [], states);
      const below: RunPlace[] = [];
      for (const { organizationId, id } of adopted) {
        const ids = await cancelTree(
          sql,
          queue,
          { organizationId, id },
          { completedAt: clock.now(), message: callerFailed },
        );
        below.push(...ids.map((one) => ({ organizationId, id: one })));
      }
      await tellParents(sql, queue, { parents });
      return { ended: adopted, cancelled: below };
    });
    if (ended.length === 0) return;
    log.error({ runIds: ended.map(({ id }) => id) }, "runs were given up that could not be brought to an end");
    onChange(ended);
    if (cancelled.length > 0) onCancelled(cancelled);
  };
}

/** The runs that called them, each once and in the order in which all lock runs. */
async function lockParents(sql: Sql, places: RunPlace[]): Promise<Parent[]> {
  const parents = new Map<string, RunPlace>();
  for (const { organizationId, id } of places) {
    const parentId = await findParent(sql, { organizationId, id });
    if (parentId) parents.set(`${organizationId} ${parentId}`, { organizationId, id: parentId });
  }
  const locked: Parent[] = [];
  for (const [, parent] of [...parents].sort(([one], [other]) => (one < other ? -1 : 1)))
    locked.push(...(await lockParent(sql, parent)));
  return locked;
}

const describeFailure = ({ organizationId, id, epoch, startedAt, activeMs }: AdoptedRun, now: Date) => ({
  organizationId,
  runId: id,
  epoch,
  startedAt,
  activeMs,
  status: "failed" as const,
  wakeAt: null,
  completedAt: now,
  errorCode: "internal_error",
  errorMessage: "The run was given up after many attempts to bring it to an end.",
  errorNodeId: null,
});
