import type { Log } from "../base/log.ts";
import type { Partitions } from "../records/partitions.ts";
import { createRetention, type RetentionStore } from "../records/retention.ts";
import type { Database } from "../storage/database.ts";

type Options = {
  db: Database;
  partitions: Partitions;
  log: Log;
  keptDays: number;
  keptRuns: number;
  onDone?: (removed: number) => void;
  readNow?: () => Promise<Date>;
};

/** Removes ended runs that are too old, too many, or of a deleted organization, and keys that were used up more than a day ago. */
export const createRunRetention = ({ db, partitions, keptRuns, ...options }: Options) =>
  createRetention({ ...options, db, store: runStore(db, partitions), keptRows: keptRuns });

const organizationsStatement = {
  name: "",
  text: `WITH RECURSIVE known AS (
           (SELECT organization_id AS id FROM run ORDER BY organization_id LIMIT 1)
           UNION ALL
           SELECT (SELECT organization_id FROM run WHERE organization_id > known.id ORDER BY organization_id LIMIT 1)
           FROM known WHERE known.id IS NOT NULL
         )
         SELECT owner.id, organization.id IS NOT NULL AND organization.deleted_at IS NULL AS exists
         FROM (SELECT id FROM known WHERE id IS NOT NULL UNION SELECT organization_id FROM editor_run) AS owner (id)
         LEFT JOIN organization ON organization.id = owner.id`,
};

const surplusStatement = {
  name: "",
  text: "SELECT id FROM run WHERE organization_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1",
};

const lockStatement = {
  name: "",
  text: "SELECT pg_try_advisory_xact_lock(hashtext('switchyard run retention')) AS locked",
};

// Arrays instead of joins: with them only the partitions are touched in which the runs lie.
const removeRunsStatement = {
  name: "",
  text: `WITH old AS (
           SELECT id FROM run WHERE organization_id = $1 AND id < $2 AND status IN ('succeeded', 'failed', 'cancelled') ORDER BY id LIMIT $3
         ), removed AS (
           DELETE FROM run WHERE organization_id = $1 AND id = ANY (ARRAY (SELECT id FROM old)) RETURNING id
         ), nodes AS (
           DELETE FROM run_node WHERE organization_id = $1 AND run_id = ANY (ARRAY (SELECT id FROM removed))
         )
         SELECT count(*)::int AS count FROM removed`,
};

// Also of runs whose month was dropped.
const removeCanvasesStatement = {
  name: "",
  text: `DELETE FROM editor_run WHERE organization_id = $1 AND run_id = ANY (ARRAY (
           SELECT run_id FROM editor_run WHERE organization_id = $1 AND run_id < $2
             AND NOT EXISTS (SELECT FROM run WHERE run.organization_id = $1 AND run.id = editor_run.run_id) LIMIT $3))`,
};

// Longer than a key counts, so that no clock can make one that still does disappear.
const removeKeysStatement = {
  name: "",
  text: "DELETE FROM run_once WHERE organization_id = $1 AND created_at < now() - interval '25 hours'",
};

function runStore(db: Database, partitions: Partitions): RetentionStore {
  return {
    async dropMonths(oldestKept) {
      await partitions.drop("run", oldestKept);
      await partitions.drop("run_node", oldestKept);
      return partitions.beginOfMonth("run", oldestKept);
    },

    listOrganizations: () => db.prepared<{ id: string; exists: boolean }>(organizationsStatement, []),

    findFirstSurplus: async (organizationId, keptRuns) =>
      (await db.prepared<{ id: string }>(surplusStatement, [organizationId, keptRuns]))[0],

    removeOld: async ({ organizationId, beforeId, limit }) =>
      await db.transaction(async (sql) => {
        const [lock] = await sql<{ locked: boolean }>(lockStatement, []);
        if (lock?.locked !== true) return undefined;
        await sql(removeKeysStatement, [organizationId]);
        const [removed] = await sql<{ count: number }>(removeRunsStatement, [organizationId, beforeId, limit]);
        await sql(removeCanvasesStatement, [organizationId, beforeId, limit]);
        return removed?.count ?? 0;
      }),
  };
}
