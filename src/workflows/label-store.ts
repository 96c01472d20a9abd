import type { Database, Statement } from "../storage/database.ts";
import type { WorkflowLabels } from "./label-wire.ts";

const labelsStatement: Statement = {
  name: "workflow_labels",
  text: `SELECT 'folder' AS kind, folder AS name, count(*)::integer AS workflows FROM workflow
         WHERE organization_id = $1 AND deleted_at IS NULL AND folder <> '' GROUP BY folder
         UNION ALL
         SELECT 'tag', tag, count(*)::integer FROM workflow, unnest(tags) AS tag
         WHERE organization_id = $1 AND deleted_at IS NULL AND tags <> '{}' GROUP BY tag ORDER BY 1, 2`,
};

/** All folders and tags of an organization, in the order of the alphabet. */
export async function listLabels(db: Database, organizationId: string): Promise<WorkflowLabels> {
  type Row = { kind: string; name: string; workflows: number };
  const rows = await db.prepared<Row>(labelsStatement, [organizationId]);
  const ofKind = (kind: string) => rows.filter((row) => row.kind === kind);
  return {
    folders: ofKind("folder").map(({ name, workflows }) => ({ folder: name, workflows })),
    tags: ofKind("tag").map(({ name, workflows }) => ({ tag: name, workflows })),
  };
}
