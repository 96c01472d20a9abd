import { Refusal } from "../base/refusal.ts";
import { type BulkRequest, type BulkResult, type LabelChange, tags as tagList } from "./label-wire.ts";

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
