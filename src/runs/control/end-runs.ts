import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Database, Sql } from "../../storage/database.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import { cancelRuns, notifyCancelled, type RunPlace } from "../store.ts";
import { lockParent, type Parent } from "../walk/called-store.ts";
import { tellParents } from "../walk/tell-parents.ts";
import { findUnended } from "./end-runs-store.ts";

type Options = {
  db: Database;
  queue: RunQueue;
  clock: Clock;
  log: Log;
  onChange: (changed: RunPlace[]) => void;
  onQueued: () => void;
};

/** All runs of an organization, or only those of one workflow. */
type RunOwner = { organizationId: string; workflowId?: string };

type Mark = (sql: Sql) => Promise<void>;

/** Places in the queue: so few that a transaction with all of them is over soon. */
const mostAtOnce = 1000;

/**
 * Ends what is queued or has begun of a workflow or an organization. Nothing more is written to these runs, so what has begun ends at its next
 * step. What is deleted but could not be ended yet, because there is much of it or a process died, ends when its turn comes.
 */
export function createEndRuns({ db, queue, clock, log, onChange, onQueued }: Options) {
  const underWay = new Set<Promise<void>>();
  let isStopping = false;

  /** The next places in the queue, in one transaction with `mark`; answers the last of them when there may be more. */
  async function endSome(owner: RunOwner, afterId: string | undefined, mark: Mark = async () => {}) {
    const { organizationId } = owner;
    const { ended, lastId } = await db.transaction(async (sql) => {
      await mark(sql);
      const queued = await queue.listOf(sql, organizationId, { afterId, limit: mostAtOnce });
      // Wherever they are in the queue: one that only waits for a slot would begin as soon as another ends.
      const claimed = afterId === undefined ? await queue.listClaimed(sql, organizationId, { limit: mostAtOnce }) : [];
      return {
        ended: await endThese({ queue, clock }, sql, owner, [...new Set([...queued, ...claimed])].sort()),
        lastId: queued.length < mostAtOnce ? undefined : queued.at(-1),
      };
    });
    onChange(ended.map((id) => ({ organizationId, id })));
    if (ended.length > 0) onQueued();
    return { count: ended.length, lastId };
  }

  /** Through the queue until that ends none, so that those are met too that were accepted in the same moment. */
  async function endAll(owner: RunOwner, afterId?: string): Promise<void> {
    let place = afterId;
    let endedNow = 0;
    for (;;) {
      const { count, lastId } = await endSome(owner, place);
      endedNow += count;
      place = lastId;
      if (isStopping || (place === undefined && endedNow === 0)) return;
      if (place === undefined) endedNow = 0;
    }
  }

  function endInBackground(owner: RunOwner, afterId: string): void {
    const work = endAll(owner, afterId)
      .catch((error: Error) =>
        log.warn({ reason: error.message, ...owner }, "runs of what was deleted end only when their turn comes"),
      )
      .finally(() => underWay.delete(work));
    underWay.add(work);
  }

  return {
    endAll,

    /** In the transaction in which `mark` says that it is deleted: the oldest of its runs. The rest is ended right afterwards. */
    async markAndEnd(owner: RunOwner, mark: Mark): Promise<void> {
      const { lastId } = await endSome(owner, undefined, mark);
      if (lastId === undefined) await endAll(owner);
      else endInBackground(owner, lastId);
    },

    /** One whose turn has come. */
    async endOne({ organizationId, id, workflowId }: RunPlace & { workflowId: string }): Promise<void> {
      const ended = await db.transaction((sql) =>
        endThese({ queue, clock }, sql, { organizationId, workflowId }, [id]),
      );
      onChange(ended.map((one) => ({ organizationId, id: one })));
      if (ended.length > 0) onQueued();
    },

    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all(underWay);
    },
  };
}

async function endThese(
  { queue, clock }: Pick<Options, "queue" | "clock">,
  sql: Sql,
  { organizationId, workflowId }: RunOwner,
  queued: string[],
): Promise<string[]> {
  const found =
    queued.length > 0 ? await findUnended(sql, { organizationId, workflowId: workflowId ?? null, queued }) : [];
  if (found.length === 0) return [];
  const chosen = new Set(found.map(({ id }) => id));
  const parentIds = new Set(
    found.flatMap(({ parentRunId }) => (parentRunId === null || chosen.has(parentRunId) ? [] : [parentRunId])),
  );
  const parents: Parent[] = [];
  for (const id of [...parentIds].sort()) parents.push(...(await lockParent(sql, { organizationId, id })));
  const message = `The ${workflowId === undefined ? "organization" : "workflow"} was deleted.`;
  const ids = await cancelRuns(sql, { organizationId, ids: [...chosen], completedAt: clock.now(), message });
  await queue.removeAll(
    sql,
    ids.map((id) => ({ id })),
  );
  await tellParents(sql, queue, { parents });
  await notifyCancelled(sql, ids);
  return ids;
}
