import type { Clock } from "../base/clock.ts";
import { nearestNames } from "../base/nearest-names.ts";
import { createPause } from "../base/pause-long-work.ts";
import { type FieldFault, maxFieldFaults } from "../base/refusal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Vault } from "../vault/vault.ts";
import { checkEdges } from "./check-edges.ts";
import { checkNodeCredentials } from "./check-node-credentials.ts";
import { checkParameters } from "./check-parameters.ts";
import { checkReferences } from "./check-references.ts";
import type { EngineNode } from "./engine-node.ts";
import { findAncestors } from "./find-ancestors.ts";
import { nodeKinds, type PlacedNode } from "./node-kinds.ts";
import { createReferenceCount } from "./parse-references.ts";
import { checkNotes, readCanvas } from "./read-canvas.ts";
import { checkVariables } from "./variables/check-variables.ts";
import type { Variables } from "./variables/variables.ts";

export type CheckCanvas = ReturnType<typeof createCheckCanvas>;

type Options = {
  catalog: Pick<Catalog, "actions">;
  engineNodes: ReadonlyMap<string, EngineNode>;
  vault: Pick<Vault, "credentials" | "defaults">;
  variables: Pick<Variables, "valuesOf">;
  clock: Clock;
};

/** Names every fault of a canvas at once. A warning does not hinder saving: what is missing may be supplied for one run. */
export function createCheckCanvas({ catalog, engineNodes, vault, variables, clock }: Options) {
  const kinds = nodeKinds(catalog, engineNodes);

  return async (organizationId: string, value: unknown): Promise<{ faults: FieldFault[]; warnings: FieldFault[] }> => {
    const pause = createPause();
    const now = clock.now();
    const { faults: found, ids, nodes: read, edges, isComplete } = await readCanvas(value, pause);
    const nodes = read.map((placed) => ({ ...placed, kind: kinds.get(placed.node.nodeId) }));
    const ancestors = findAncestors(edges.map(({ edge }) => edge));
    const credentials = await checkNodeCredentials(vault, organizationId, nodes);
    // Where an edge or a node cannot be read, nobody knows what comes before what.
    const context = {
      organizationId,
      ids,
      ancestorsOf: isComplete ? ancestors : undefined,
      countReference: createReferenceCount(),
      pause,
    };
    for (const placed of nodes) {
      await pause();
      found.push(
        ...checkType(placed, found.length < maxFieldFaults ? kinds.keys() : []),
        ...checkParameters(placed, now),
        ...(await checkReferences(placed, context)),
      );
    }
    found.push(...credentials.faults, ...checkEdges(edges, { ids, nodes }), ...(await checkNotes(value, pause)));
    const warnings = [...credentials.warnings, ...(await checkVariables(variables, organizationId, nodes))];
    return { faults: found.map(inBody), warnings: warnings.map(inBody) };
  };
}

/** Whatever brings a canvas brings it in a field of this name. */
const inBody = ({ pointer, detail }: FieldFault): FieldFault => ({ pointer: `/canvas${pointer}`, detail });

function checkType({ node, kind, pointer }: PlacedNode, known: Iterable<string>): FieldFault[] {
  if (kind) return [];
  const nearest = nearestNames(node.nodeId, known);
  const meant = nearest.length > 0 ? ` (did you mean ${nearest.join(", ")}?)` : "";
  return [{ pointer: `${pointer}/nodeId`, detail: `is neither the name of a tool nor of a built-in node${meant}` }];
}
