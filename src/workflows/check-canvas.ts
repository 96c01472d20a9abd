import type { FieldFault } from "../base/refusal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Vault } from "../vault/vault.ts";
import { checkEdges } from "./check-edges.ts";
import { checkNodeCredentials } from "./check-node-credentials.ts";
import { checkParameters } from "./check-parameters.ts";
import { checkReferences } from "./check-references.ts";
import type { EngineNode } from "./engine-node.ts";
import { findAncestors } from "./find-ancestors.ts";
import { nodeKinds, type PlacedNode } from "./node-kinds.ts";
import { readCanvas } from "./read-canvas.ts";

export type CheckCanvas = ReturnType<typeof createCheckCanvas>;

type Options = {
  catalog: Pick<Catalog, "nodes">;
  engineNodes: ReadonlyMap<string, EngineNode>;
  vault: Pick<Vault, "credentials" | "defaults">;
};

/** Names every fault of a canvas at once. A warning does not hinder saving: what is missing may be supplied for one run. */
export function createCheckCanvas({ catalog, engineNodes, vault }: Options) {
  const kinds = nodeKinds(catalog, engineNodes);

  return async (organizationId: string, value: unknown): Promise<{ faults: FieldFault[]; warnings: FieldFault[] }> => {
    const { faults, ids, nodes: read, edges, isComplete } = readCanvas(value);
    const nodes = read.map((placed) => ({ ...placed, kind: kinds.get(placed.node.nodeId) }));
    const ancestors = findAncestors(edges.map(({ edge }) => edge));
    const credentials = await checkNodeCredentials(vault, organizationId, nodes);
    const found = [
      ...faults,
      ...nodes.flatMap((placed) => checkType(placed)),
      ...nodes.flatMap((placed) => checkParameters(placed)),
      // Where an edge or a node cannot be read, nobody knows what comes before what.
      ...nodes.flatMap((placed) => checkReferences(placed, { ids, ancestorsOf: isComplete ? ancestors : undefined })),
      ...credentials.faults,
      ...checkEdges(edges, { ids, nodes }),
    ];
    return { faults: found.map(inBody), warnings: credentials.warnings.map(inBody) };
  };
}

/** Whatever brings a canvas brings it in a field of this name. */
const inBody = ({ pointer, detail }: FieldFault): FieldFault => ({ pointer: `/canvas${pointer}`, detail });

const checkType = ({ kind, pointer }: PlacedNode): FieldFault[] =>
  kind ? [] : [{ pointer: `${pointer}/nodeId`, detail: "is neither the name of a tool nor of a built-in node" }];
