import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import {
  type BulkRequest,
  type BulkResult,
  type LabelChange,
  tags as tagList,
  type WorkflowLabels,
} from "./label-wire.ts";

/** What of the labels is to be stored; nothing where they stay as they are. */
export function changedLabels(
  row: { folder: string; tags: string[] },
  { folder = row.folder, tags, addTags = [], removeTags = [] }: LabelChange,
): { folder?: string; tags?: string[] } {
  const wanted = tagList.safeParse((tags ?? [...row.tags, ...addTags]).filter((tag) => !removeTags.includes(tag)));
  if (!wanted.success) throw new Refusal("validation_failed", "A workflow has at most 20 tags.");
  const isOther = wanted.data.join() !== row.tags.join();
  return { ...(folder === row.folder ? {} : { folder }), ...(isOther ? { tags: wanted.data } : {}) };
}

const labelsStatement = {
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

type Steps = {
  change: (workflowId: string, change: NonNullable<BulkRequest["change"]>) => Promise<unknown>;
  remove: (workflowId: string) => Promise<unknown>;
};

/** One after the other, each for itself: what goes wrong with one is told and hinders no other. */
export async function changeMany({ ids, change }: BulkRequest, steps: Steps): Promise<BulkResult> {
  const data: BulkResult["data"] = [];
  for (const id of new Set(ids))
    try {
      await (change ? steps.change(id, change) : steps.remove(id));
      data.push({ id, problem: null });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === "database_unavailable") throw error;
      data.push({ id, problem: { code: error.code, detail: error.message } });
    }
  return { data };
}
