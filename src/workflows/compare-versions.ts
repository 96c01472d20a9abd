import { isDeepStrictEqual } from "node:util";
import { toPointer } from "./read-canvas.ts";
import type { Canvas, CanvasNode, Comparison, NodeChange } from "./wire.ts";

/** What has to be done to one canvas to get the other. An edge that changed is one removed and one added. */
export function compareCanvases(before: Canvas, after: Canvas): Pick<Comparison, "nodes" | "edges"> {
  return {
    nodes: {
      added: without(after.nodes, before.nodes),
      removed: without(before.nodes, after.nodes),
      changed: after.nodes.flatMap((node) => {
        const old = before.nodes.find(({ id }) => id === node.id);
        const fields = old ? compareNodes(old, node) : [];
        return fields.length > 0 ? [{ id: node.id, fields }] : [];
      }),
    },
    edges: {
      added: after.edges.filter((edge) => !before.edges.some((other) => isDeepStrictEqual(edge, other))),
      removed: before.edges.filter((edge) => !after.edges.some((other) => isDeepStrictEqual(edge, other))),
    },
  };
}

const without = (nodes: readonly CanvasNode[], others: readonly CanvasNode[]): CanvasNode[] => {
  const ids = new Set(others.map(({ id }) => id));
  return nodes.filter(({ id }) => !ids.has(id));
};

// What is inside of these is compared one by one: "the parameters changed" would say nothing.
const opened = new Set(["parameters", "credentials", "settings"]);

function compareNodes(before: CanvasNode, after: CanvasNode): NodeChange["fields"] {
  const [old, current] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((pointer) => {
    if (isDeepStrictEqual(old.get(pointer), current.get(pointer))) return [];
    const sides = { before: old.get(pointer), after: current.get(pointer) };
    return [{ pointer, ...Object.fromEntries(Object.entries(sides).filter(([, value]) => value !== undefined)) }];
  });
}

const fieldsOf = (node: CanvasNode): Map<string, unknown> =>
  new Map(
    Object.entries(node).flatMap(([name, value]) =>
      opened.has(name)
        ? Object.entries(value as object).map(([key, inner]) => [toPointer([name, key]), inner] as const)
        : [[toPointer([name]), value] as const],
    ),
  );
