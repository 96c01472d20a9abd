import type { CanvasNode } from "../../src/workflows/wire.ts";
import type { NodeKind } from "../catalog.ts";

/** Names of the ways out of a node. Those of a switch follow its rules, as the engine reads them. */
export function waysOf(node: CanvasNode, kind: NodeKind | undefined): string[] {
  if (node.nodeId !== "switch") return kind?.ways ?? ["out"];
  const rules: unknown[] = Array.isArray(node.parameters?.rules) ? node.parameters.rules : [];
  return [...rules.flatMap(wayOf), "otherwise"];
}

function wayOf(rule: unknown): string[] {
  const way = typeof rule === "object" && rule !== null && "way" in rule ? rule.way : undefined;
  return typeof way === "string" && way !== "" ? [way] : [];
}
