import type { z } from "zod";
import type { Catalog } from "../catalog/catalog.ts";
import type { EngineNode } from "./engine-node.ts";
import type { CanvasNode } from "./wire.ts";

/** What a canvas has to know about a type of node, whether it is a tool or built in. */
export type NodeKind = {
  input: z.ZodObject;
  credentialTypes: string[];
  /** Types it takes in place of its own. */
  alsoTakes: readonly string[];
  worksWithoutAccount: boolean;
  ways: EngineNode["ways"];
  findFaults?: EngineNode["findFaults"];
};

/** A node with where it stands on the canvas, and its type when that is known. */
export type PlacedNode = { node: CanvasNode; pointer: string; kind: NodeKind | undefined };

export function nodeKinds(
  catalog: Pick<Catalog, "actions">,
  engineNodes: ReadonlyMap<string, EngineNode>,
): Map<string, NodeKind> {
  const kinds = new Map<string, NodeKind>();
  for (const action of catalog.actions.values()) {
    const { id, input, credential, worksWithoutAccount, alsoTakes } = action;
    kinds.set(id, {
      input,
      credentialTypes: credential ? [credential.type] : [],
      alsoTakes,
      worksWithoutAccount,
      ways: () => ["out"],
    });
  }
  for (const { id, input, ways, findFaults } of engineNodes.values())
    kinds.set(id, { input, credentialTypes: [], alsoTakes: [], worksWithoutAccount: true, ways, findFaults });
  return kinds;
}
