import type { WorkflowActivity } from "./wire.ts";
import type { ActivityOf } from "./workflow-routes.ts";

type Find<Found> = (organizationId: string, workflowIds: string[]) => Promise<ReadonlyMap<string, Found>>;

export type ActivityNeeds = {
  lastRunsOf: Find<WorkflowActivity["lastRun"]>;
  countTriggersOf: Find<WorkflowActivity["triggers"]>;
};

/** Workflows know neither their runs nor their triggers; their list shows both. */
export function createActivityOf({ lastRunsOf, countTriggersOf }: ActivityNeeds): ActivityOf {
  return async (organizationId, workflows) => {
    const workflowIds = workflows.map(({ id }) => id);
    // Of one that was never published there are only runs of the editor, which would all be passed in vain.
    const published = workflows.filter(({ version }) => version > 0).map(({ id }) => id);
    const [lastRuns, counts] = await Promise.all([
      lastRunsOf(organizationId, published),
      countTriggersOf(organizationId, workflowIds),
    ]);
    return (id) => ({ lastRun: lastRuns.get(id) ?? null, triggers: counts.get(id) ?? { active: 0, total: 0 } });
  };
}
