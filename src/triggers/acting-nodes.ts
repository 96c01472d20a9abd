import type { Catalog } from "../catalog/catalog.ts";
import type { Canvas } from "../workflows/wire.ts";
import type { Workflows } from "../workflows/workflows.ts";
import type { TriggerRow } from "./store.ts";

export type FindActingNodes = ReturnType<typeof createFindActingNodes>;

type Options = { catalog: Pick<Catalog, "actions">; workflows: Pick<Workflows, "find" | "versionCanvas"> };

/** Nodes that may reach any provider. */
const reachAnything = new Set(["http_request", "call_workflow"]);

/** The types of nodes with which the workflow of a trigger may do something at the trigger's provider. */
export function createFindActingNodes({ catalog, workflows }: Options) {
  return async ({ organization_id, workflow_id, provider_id }: TriggerRow): Promise<string[]> => {
    const workflow = await workflows.find(organization_id, workflow_id);
    const text = workflow && (await workflows.versionCanvas(organization_id, workflow_id, workflow.version));
    const { nodes } = JSON.parse(text ?? '{"nodes":[]}') as Pick<Canvas, "nodes">;
    const types = new Set(nodes.map(({ nodeId }) => nodeId));
    return [...types].filter((nodeId) => {
      const action = catalog.actions.get(nodeId);
      return reachAnything.has(nodeId) || (action?.provider.id === provider_id && !action.hints.readOnly);
    });
  };
}
