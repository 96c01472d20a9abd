import type { RunList } from "../runs/read/run-list.ts";
import type { Triggers } from "../triggers/triggers.ts";
import type { ActivityOf } from "../workflows/workflow-routes.ts";

/** Workflows know neither their runs nor their triggers; their list shows both. */
export function createActivityOf({ runs, triggers }: { runs: Pick<RunList, "lastOf">; triggers: Pick<Triggers, "countOf"> }): ActivityOf {
  return async (organizationId, workflowIds) => {
    const [lastRuns, counts] = await Promise.all([runs.lastOf(organizationId, workflowIds), triggers.countOf(organizationId, workflowIds)]);
    return (id) => ({ lastRun: lastRuns.get(id) ?? null, triggers: counts.get(id) ?? { active: 0, total: 0 } });
  };
}
