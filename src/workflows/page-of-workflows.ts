import { fromTimeCursor, toTimeCursor } from "../base/time-cursor.ts";
import { summarize } from "./describe-workflow.ts";
import { findDraftHeads } from "./draft-store.ts";
import type { LabelQuery } from "./label-wire.ts";
import { pageOfWorkflows, type WorkflowsDb } from "./store.ts";
import type { WorkflowHead } from "./wire.ts";

type Page = LabelQuery & { search?: string | undefined; cursor?: string | undefined; offset: number; limit: number };
type WorkflowsPage = { data: WorkflowHead[]; total: number; nextCursor: string | null };

/** Newest change first. */
export const createPage =
  (tables: WorkflowsDb) =>
  async (organizationId: string, { search = "", folder, tag, cursor, offset, limit }: Page): Promise<WorkflowsPage> => {
    const after = cursor === undefined ? undefined : fromTimeCursor(cursor);
    const asked = { search, folder, tags: tag, after, offset, limit: limit + 1 };
    const { rows, total } = await pageOfWorkflows(tables, organizationId, asked);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const ids = shown.map(({ id }) => id);
    const heads = await findDraftHeads(tables, organizationId, ids);
    const draftOf = new Map(heads.map((head) => [head.workflow_id, head]));
    const data = shown.map((row) => summarize(row, draftOf.get(row.id)));
    return { data, total, nextCursor: rows.length > limit && last ? toTimeCursor(last) : null };
  };
