import type { WorkflowActivity } from "./wire.ts";
import type { ActivityOf } from "./workflow-routes.ts";

type Find<Found> = (organizationId: string, workflowIds: string[]) => Promise<ReadonlyMap<string, Found>>;

export type ActivityNeeds = {
  lastRunsOf: Find<WorkflowActivity["lastRun"]>;
  countTriggersOf: Find<WorkflowActivity["triggers"]>;
};

/** Workflows know neither their runs nor their triggers; their list shows both. */
export function createActivityOf({ lastRunsOf, countTriggersOf }: ActivityNeeds): ActivityOf {
  return async (organizationId, workflowIds) => {
    const [lastRuns, counts] = await Promise.all([
      lastRunsOf(organizationId, workflowIds),
      countTriggersOf(organizationId, workflowIds),
    ]);
    return (id) => ({ lastRun: lastRuns.get(id) ?? null, triggers: counts.get(id) ?? { active: 0, total: 0 } });
  };
}
