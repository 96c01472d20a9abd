import type { FastifyInstance } from "fastify";
import type { Catalog } from "../catalog/catalog.ts";
import type { Ground } from "../ground/ground.ts";
import type { Vault } from "../vault/vault.ts";
import { type ActivityNeeds, createActivityOf } from "./workflow-activity.ts";
import { createWorkflows, type RemoveWorkflow } from "./workflows.ts";

type Needs = { catalog: Pick<Catalog, "actions">; vault: Pick<Vault, "credentials" | "defaults"> };

/** The saved workflows of organizations. */
export function openWorkflows({ db, clock }: Ground, { catalog, vault }: Needs) {
  const workflows = createWorkflows({ db, catalog, vault, clock });
  return {
    ...workflows,

    /** What is built in stands beside what providers offer. */
    async registerNodes(server: FastifyInstance): Promise<void> {
      const { registerEngineNodeRoutes } = await import("./engine-node-routes.ts");
      registerEngineNodeRoutes(server);
    },

    /** With what comes of workflows, which they know nothing of. */
    async register(
      server: FastifyInstance,
      { remove, ...needs }: ActivityNeeds & { remove: RemoveWorkflow },
    ): Promise<void> {
      const { registerWorkflowRoutes } = await import("./workflow-routes.ts");
      registerWorkflowRoutes(server, { workflows, activityOf: createActivityOf(needs), remove });
    },
  };
}
