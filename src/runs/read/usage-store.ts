import { inParts } from "../../records/in-parts.ts";
import type { Database } from "../../storage/database.ts";
import type { RunRow } from "./list-store.ts";

/** Ids between which the runs of each bucket lie; each edge ends one bucket and begins the next. */
export type Period = { organizationId: string; edges: string[] };

export type BucketRow = Pick<RunRow, "workflowId" | "status" | "apiKeyId" | "apiKeyName"> & {
  bucket: number;
  runs: number;
};

const bucketStatement = {
  name: "",
  text: `SELECT (bucket.number - 1)::integer AS bucket, counted.*
         FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS bucket (low, high, number)
         CROSS JOIN LATERAL (
           SELECT workflow_id AS "workflowId", status, api_key_id AS "apiKeyId", max(api_key_name) AS "apiKeyName", count(*)::integer AS runs
           FROM run WHERE organization_id = $1 AND id >= bucket.low AND id < bucket.high GROUP BY workflow_id, status, api_key_id
         ) AS counted`,
};

export const countByBucket = (db: Database, { organizationId, edges }: Period): Promise<BucketRow[]> =>
  inParts(edges, async (part, first) => {
    const rows = await db.transaction((sql) =>
      sql<BucketRow>(bucketStatement, [organizationId, part.slice(0, -1), part.slice(1)]),
    );
    return rows.map((row) => ({ ...row, bucket: row.bucket + first }));
  });

const nameStatement = {
  name: "run_workflow_names",
  text: "SELECT id, name FROM workflow WHERE organization_id = $1 AND id = ANY ($2::uuid[])",
};

export const findWorkflowNames = (
  db: Database,
  organizationId: string,
  ids: string[],
): Promise<{ id: string; name: string }[]> => db.prepared(nameStatement, [organizationId, ids]);
