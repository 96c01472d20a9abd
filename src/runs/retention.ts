import type { Log } from "../base/log.ts";
import { createRetention, type RetentionStore } from "../history/retention.ts";
import type { Database } from "../storage/database.ts";

type Options = { db: Database; log: Log; keptDays: number; keptRuns: number; onDone?: (removed: number) => void };

/** Removes ended runs that are too old, too many, or of a deleted organization, and keys that were used up more than a day ago. */
export const createRunRetention = ({ db, log, keptDays, keptRuns, onDone }: Options) =>
  createRetention({ db, store: runStore(db), log, keptDays, keptRows: keptRuns, onDone });

const organizationsStatement = {
  name: "",
  text: `WITH RECURSIVE known AS (
           (SELECT organization_id AS id FROM run ORDER BY organization_id LIMIT 1)
           UNION ALL
           SELECT (SELECT organization_id FROM run WHERE organization_id > known.id ORDER BY organization_id LIMIT 1)
           FROM known WHERE known.id IS NOT NULL
         )
         SELECT known.id, organization.id IS NOT NULL AS exists
         FROM known LEFT JOIN organization ON organization.id = known.id WHERE known.id IS NOT NULL`,
};

const surplusStatement = { name: "", text: "SELECT id FROM run WHERE organization_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1" };

const lockStatement = { name: "", text: "SELECT pg_try_advisory_xact_lock(hashtext('switchyard run retention')) AS locked" };

const removeRunsStatement = {
  name: "",
  text: `WITH old AS (
           SELECT id FROM run WHERE organization_id = $1 AND id < $2 AND status IN ('succeeded', 'failed', 'cancelled') ORDER BY id LIMIT $3
         ), removed AS (
           DELETE FROM run USING old WHERE run.organization_id = $1 AND run.id = old.id RETURNING run.id
         ), nodes AS (
           DELETE FROM run_node USING removed WHERE run_node.organization_id = $1 AND run_node.run_id = removed.id
         )
         SELECT count(*)::int AS count FROM removed`,
};

// Longer than a key counts, so that no clock can make one that still does disappear.
const removeKeysStatement = {
  name: "",
  text: "DELETE FROM run_once WHERE organization_id = $1 AND created_at < now() - interval '25 hours'",
};

function runStore(db: Database): RetentionStore {
  return {
    listOrganizations: () => db.prepared<{ id: string; exists: boolean }>(organizationsStatement, []),

    findFirstSurplus: async (organizationId, keptRuns) =>
      (await db.prepared<{ id: string }>(surplusStatement, [organizationId, keptRuns]))[0],

    removeOld: async ({ organizationId, beforeId, limit }) =>
      await db.transaction(async (run) => {
        const [lock] = await run<{ locked: boolean }>(lockStatement, []);
        if (lock?.locked !== true) return undefined;
        await run(removeKeysStatement, [organizationId]);
        const [removed] = await run<{ count: number }>(removeRunsStatement, [organizationId, beforeId, limit]);
        return removed?.count ?? 0;
      }),
  };
}
