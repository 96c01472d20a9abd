import type { FieldFault } from "../base/refusal.ts";
import { findCycle } from "./find-cycle.ts";
import type { PlacedNode } from "./node-kinds.ts";
import type { PlacedEdge } from "./read-canvas.ts";
import type { CanvasEdge } from "./wire.ts";

type EdgeContext = { ids: ReadonlySet<string>; nodes: readonly PlacedNode[] };

/** Both ends are there, the way out exists, no connection is made twice, and nothing leads back to where it came from. */
export function checkEdges(edges: readonly PlacedEdge[], { ids, nodes }: EdgeContext): FieldFault[] {
  const waysOf = new Map(nodes.map(({ node, kind }) => [node.id, kind?.ways(node.parameters ?? {})]));
  return [
    ...edges.flatMap((placed) => [...checkEnds(placed, ids), ...checkWay(placed, waysOf.get(placed.edge.source))]),
    ...findRepeated(edges, waysOf),
    ...findCycles(edges),
  ];
}

function checkEnds({ edge: { source, target }, pointer }: PlacedEdge, ids: ReadonlySet<string>): FieldFault[] {
  if (source === target) return [{ pointer, detail: `leads from the node "${source}" to itself` }];
  const detail = "is not a node on the canvas";
  return [
    ...(ids.has(source) ? [] : [{ pointer: `${pointer}/source`, detail }]),
    ...(ids.has(target) ? [] : [{ pointer: `${pointer}/target`, detail }]),
  ];
}

function checkWay({ edge, pointer }: PlacedEdge, ways: readonly string[] | undefined): FieldFault[] {
  if (!ways) return [];
  const isThere = typeof edge.sourceHandle === "string" ? ways.includes(edge.sourceHandle) : ways.length === 1;
  if (isThere) return [];
  const detail = ways.length === 0 ? "leaves a node that nothing comes out of" : `must be one of ${ways.join(", ")}`;
  return [{ pointer: `${pointer}/sourceHandle`, detail }];
}

function findRepeated(
  edges: readonly PlacedEdge[],
  waysOf: ReadonlyMap<string, readonly string[] | undefined>,
): FieldFault[] {
  const first = new Map<string, string>();
  return edges.flatMap(({ edge, pointer }) => {
    const key = JSON.stringify([edge.source, edge.sourceHandle ?? waysOf.get(edge.source)?.[0], edge.target]);
    const other = first.get(key);
    if (other !== undefined) return [{ pointer, detail: `is the same connection as the edge "${other}"` }];
    first.set(key, edge.id);
    return [];
  });
}

/** Circles that share no node are named one by one. */
function findCycles(edges: readonly PlacedEdge[]): FieldFault[] {
  const faults: FieldFault[] = [];
  let left = edges.filter(({ edge }) => edge.source !== edge.target);
  for (let cycle = findCycle(left.map(toEdge)); cycle; cycle = findCycle(left.map(toEdge))) {
    const [first = "", last = ""] = [cycle[0], cycle.at(-1)];
    const closing = left.find(({ edge }) => edge.source === last && edge.target === first);
    faults.push({ pointer: closing?.pointer ?? "/edges", detail: `closes a circle: ${[...cycle, first].join(" → ")}` });
    const circle = new Set(cycle);
    left = left.filter(({ edge }) => !circle.has(edge.source) && !circle.has(edge.target));
  }
  return faults;
}

const toEdge = ({ edge }: PlacedEdge): CanvasEdge => edge;
