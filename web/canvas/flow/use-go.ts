import { useReactFlow } from "@xyflow/react";
import { useRef } from "react";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { noteBoxId } from "../edit/note-edits.ts";
import { boxWidth } from "../place-nodes.ts";
import { type Direction, findNeighbor } from "./find-neighbor.ts";
import type { Box, Line } from "./flow-data.ts";
import { travelMs } from "./travel-ms.ts";

/** Going over the canvas without a pointer. */
export function useGo(canvas: Canvas) {
  const flow = useReactFlow<Box, Line>();
  /** Where one stands; several nodes may be selected. */
  const here = useRef<string>(undefined);

  function findHere(): string | undefined {
    const selected = flow.getNodes().filter((box) => box.selected);
    return (selected.find(({ id }) => id === here.current) ?? selected[0])?.id;
  }

  function select(nodeIds: readonly string[], edgeIds: readonly string[]): void {
    flow.setNodes((boxes) => boxes.map((box) => withSelection(box, nodeIds.includes(box.id))));
    flow.setEdges((lines) => lines.map((line) => withSelection(line, edgeIds.includes(line.id))));
  }

  /** To a box: it is selected and comes into the middle. */
  function goTo(boxId: string): void {
    here.current = boxId;
    select([boxId], []);
    const box = flow.getNode(boxId);
    if (!box) return;
    const { width = boxWidth, height = 60 } = box.measured ?? {};
    const middle = { x: box.position.x + width / 2, y: box.position.y + height / 2 };
    void flow.setCenter(middle.x, middle.y, { zoom: flow.getZoom(), duration: travelMs() });
  }

  return {
    /** To the nearest node in a direction. `keeping`: what was selected stays so. */
    go(direction: Direction, keeping = false): void {
      const next = findNeighbor(canvas.nodes, findHere() ?? here.current, direction);
      if (next === undefined) return;
      const kept = keeping ? flow.getNodes().flatMap(({ id, selected }) => (selected ? [id] : [])) : [];
      here.current = next;
      select([...kept, next], []);
      const { x, y } = canvas.nodes.find(({ id }) => id === next)?.position ?? { x: 0, y: 0 };
      void flow.setCenter(x + boxWidth / 2, y + 30, { zoom: flow.getZoom(), duration: travelMs() });
    },

    /** These and nothing else, by box and by canvas id. */
    select,

    selectNothing: () => select([], []),

    goTo,

    /** From one note to the next. */
    goToNote(): void {
      const ids = (canvas.notes ?? []).map(({ id }) => noteBoxId(id));
      const next = ids[(ids.indexOf(findHere() ?? "") + 1) % ids.length];
      if (next !== undefined) goTo(next);
    },

    /** From a node to its connections, one after the other. */
    goToEdge(): void {
      here.current = findHere() ?? here.current;
      const own = canvas.edges.filter(({ source, target }) => source === here.current || target === here.current);
      const selected = flow.getEdges().find((line) => line.selected)?.id;
      const next = own[(own.findIndex(({ id }) => id === selected) + 1) % own.length];
      if (next) select([], [next.id]);
    },
  };
}

function withSelection<Element extends Box | Line>(element: Element, selected: boolean): Element {
  return (element.selected ?? false) === selected ? element : { ...element, selected };
}
