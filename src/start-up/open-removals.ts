import type { Ground } from "../ground/ground.ts";
import type { Identity } from "../identity/identity.ts";
import { createOrganizationRemoval } from "../identity/remove-organizations.ts";
import type { Runs } from "../runs/runs.ts";
import type { WebhookRemovals } from "../triggers/webhook-removals.ts";
import type { Workflows } from "../workflows/workflows.ts";

type Needs = {
  identity: Pick<Identity, "organizations">;
  workflows: Pick<Workflows, "markDeleted">;
  runs: Pick<Runs, "ending">;
  triggers: { webhookRemovals: WebhookRemovals };
};

/** What is deleted together with its runs, and with its webhooks at providers: it belongs to several features. */
export function openRemovals(
  { db, log, isWorker }: Ground,
  { identity: { organizations }, workflows, runs: { ending }, triggers }: Needs,
) {
  const { webhookRemovals } = triggers;
  const removal = createOrganizationRemoval({
    db,
    log,
    endRuns: (organizationId) => ending.endAll({ organizationId }),
  });
  return {
    /** Removes what is left of deleted organizations. */
    removeDeleted: removal.run,

    async removeWorkflow(place: { organizationId: string; workflowId: string }): Promise<void> {
      await ending.markAndEnd(place, async (sql) => {
        await workflows.markDeleted(sql, place);
        await webhookRemovals.noteThoseOfWorkflow(sql, place);
      });
      await webhookRemovals.runFor(place.organizationId);
    },

    async removeOrganization(organizationId: string): Promise<void> {
      await ending.markAndEnd({ organizationId }, async (sql) => {
        // Its triggers are gone once it is marked; of its accounts those stay that its webhooks are removed with.
        await webhookRemovals.noteThoseOfOrganization(sql, organizationId);
        await organizations.markDeleted(sql, organizationId);
      });
      await webhookRemovals.runFor(organizationId);
      void removal.run();
    },

    start(): void {
      if (isWorker) removal.start();
    },

    stop: removal.stop,
  };
}
