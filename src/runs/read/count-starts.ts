import { Refusal } from "../../base/refusal.ts";
import { lowestIdAt } from "../../records/time-of-id.ts";
import type { Database } from "../../storage/database.ts";
import type { Workflows } from "../../workflows/workflows.ts";
import type { RunStarts } from "../wire.ts";
import { countStarted } from "./starts-store.ts";

export type CountStarts = ReturnType<typeof createCountStarts>;

type Place = { organizationId: string; workflowId: string };

const mostCounted = 1000;

/** What started the runs of a workflow since a moment: each trigger, keys, tools, other workflows, people. */
export function createCountStarts({ db, workflows }: { db: Database; workflows: Pick<Workflows, "find"> }) {
  return async ({ organizationId, workflowId }: Place, since: Date): Promise<RunStarts> => {
    if (!(await workflows.find(organizationId, workflowId)))
      throw new Refusal("workflow_not_found", "There is no such workflow.");
    const rows = await countStarted(db, {
      organizationId,
      workflowId,
      fromId: lowestIdAt(since),
      most: mostCounted,
    });
    return {
      data: rows.map(({ kind, triggerId, count }) => ({ executionType: kind, triggerId, count })),
      isMore: rows.reduce((sum, { count }) => sum + count, 0) === mostCounted,
    };
  };
}
