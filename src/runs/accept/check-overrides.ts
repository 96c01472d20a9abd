import { Refusal, type RefusalCode } from "../../base/refusal.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Vault } from "../../vault/vault.ts";
import type { NodeOverride } from "../../workflows/wire.ts";
import type { Graph, GraphNode } from "../walk/graph.ts";

type Options = {
  catalog: Pick<Catalog, "actions">;
  vault: Pick<Vault, "check">;
  /** Types of the credentials that a model is asked with; any node may carry one for its instruction. */
  modelTypes: readonly string[];
};

export type CheckOverrides = ReturnType<typeof createCheckOverrides>;

/** Everything that can be wrong with what a run shall have otherwise: first whether it fits the canvas, then the owner and type of credentials. */
export function createCheckOverrides({ catalog, vault, modelTypes }: Options) {
  function typesFor({ type }: GraphNode): string[] {
    const action = catalog.actions.get(type);
    return [...(action?.credential ? [action.credential.type] : []), ...(action?.alsoTakes ?? []), ...modelTypes];
  }

  return async (organizationId: string, graph: Graph, overrides: readonly NodeOverride[]): Promise<void> => {
    const seen = new Set<string>();
    const nodes = overrides.map((override, index) => {
      if (seen.has(override.id)) throw refuse("validation_failed", `/nodes/${index}/id`, "is there twice");
      seen.add(override.id);
      return findNode(graph, override, index);
    });
    for (const [index, { credentials }] of overrides.entries()) {
      const given = credentials ?? {};
      const expected = typesFor(nodes[index] as GraphNode).filter((type) => Object.hasOwn(given, type));
      await vault.check(organizationId, given, expected).catch((error: unknown) => {
        throw error instanceof Refusal ? refuseCredentials(error, index) : error;
      });
    }
  };
}

function findNode(graph: Graph, { id, nodeId }: NodeOverride, index: number): GraphNode {
  const node = graph.get(id);
  if (!node) throw refuse("unknown_node", `/nodes/${index}/id`, "is no node of this workflow");
  if (nodeId && nodeId !== node.type)
    throw refuse("node_type_mismatch", `/nodes/${index}/nodeId`, `must be ${node.type}, as on the canvas`);
  return node;
}

const refuse = (code: RefusalCode, pointer: string, detail: string): Refusal =>
  new Refusal(code, `${pointer.slice(1).replaceAll("/", ".")} ${detail}.`, { errors: [{ pointer, detail }] });

const refuseCredentials = ({ code, message }: Refusal, index: number): Refusal =>
  new Refusal(code, message, { errors: [{ pointer: `/nodes/${index}/credentials`, detail: message }] });
