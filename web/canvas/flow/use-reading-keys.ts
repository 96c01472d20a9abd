import { useReactFlow } from "@xyflow/react";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { boxWidth } from "../place-nodes.ts";
import { type Direction, findNeighbor } from "./find-neighbor.ts";
import type { Box, Line } from "./flow-data.ts";
import type { KeyTable } from "./key-of.ts";

type Options = { canvas: Canvas; onOpen: (nodeId: string | undefined) => void };

/** Keys of every canvas: arrows go from node to node, Enter opens one, Escape closes it, and + - 0 zoom. */
export function useReadingKeys({ canvas, onOpen }: Options): KeyTable {
  const flow = useReactFlow<Box, Line>();
  const selectedId = () => flow.getNodes().find(({ selected }) => selected)?.id;

  function go(direction: Direction): void {
    const next = findNeighbor(canvas.nodes, selectedId(), direction);
    if (next === undefined) return;
    flow.setNodes((boxes) => boxes.map((box) => (box.selected === (box.id === next) ? box : { ...box, selected: box.id === next })));
    flow.setEdges((lines) => lines.map((line) => (line.selected ? { ...line, selected: false } : line)));
    const { x, y } = canvas.nodes.find(({ id }) => id === next)?.position ?? { x: 0, y: 0 };
    void flow.setCenter(x + boxWidth / 2, y + 30, { zoom: flow.getZoom(), duration: 150 });
  }

  return {
    arrowleft: () => go("left"),
    arrowright: () => go("right"),
    arrowup: () => go("up"),
    arrowdown: () => go("down"),
    enter: () => onOpen(selectedId()),
    escape: () => onOpen(undefined),
    "+": () => void flow.zoomIn(),
    "-": () => void flow.zoomOut(),
    "0": () => void flow.fitView({ padding: 0.15, maxZoom: 1 }),
  };
}
