import { useReactFlow } from "@xyflow/react";
import { type RefObject, useEffect, useRef } from "react";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { boxWidth } from "../place-nodes.ts";
import { findNextView } from "./find-first-view.ts";
import type { Box, Drawing, Line } from "./flow-data.ts";
import { travelMs } from "./travel-ms.ts";

const boxHeight = 60;

type Drawn = { canvas: Canvas; kinds: Drawing["kinds"] };

/**
 * Fits the view anew when a panel opens beside the canvas or gets another size. Brings the selected node into view when it was chosen elsewhere.
 */
export function useKeepInView(select: readonly string[], frame: RefObject<HTMLElement | null>, drawn: Drawn): void {
  const flow = useReactFlow<Box, Line>();
  const current = useRef(drawn);
  current.current = drawn;
  const size = useRef<string>(undefined);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const look = () => {
      const box = flow.getNodes().find(({ id, selected }) => selected || id === select[0]);
      const { canvas, kinds } = current.current;
      const newSize = `${element.clientWidth} ${element.clientHeight}`;
      const isResized = size.current !== undefined && size.current !== newSize;
      size.current = newSize;
      if (isResized && canvas.nodes.length > 0) {
        void flow.setViewport(findNextView(canvas, kinds, element, box?.id), { duration: travelMs() });
        return;
      }
      if (!box || isInside(box, element, flow.flowToScreenPosition)) return;
      void flow.setCenter(box.position.x + boxWidth / 2, box.position.y + boxHeight / 2, {
        zoom: flow.getZoom(),
        duration: travelMs(),
      });
    };
    // Tells at once how large it is, and again whenever that changes.
    const observer = new ResizeObserver(() => requestAnimationFrame(look));
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow, frame, select]);
}

type Point = { x: number; y: number };

function isInside({ position }: Box, element: HTMLElement, toScreen: (point: Point) => Point): boolean {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const start = toScreen(position);
  const end = toScreen({ x: position.x + boxWidth, y: position.y + boxHeight });
  return start.x >= left && start.y >= top && end.x <= right && end.y <= bottom;
}
