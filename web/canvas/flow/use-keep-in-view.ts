import { type Rect, useReactFlow } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useRef } from "react";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { boxWidth } from "../place-nodes.ts";
import { findNextView } from "./find-first-view.ts";
import type { Box, Drawing, Line } from "./flow-data.ts";
import { travelMs } from "./travel-ms.ts";
import { alsoDrawn, chosenDrawn, readDrawn } from "./use-fit-all.ts";

const boxHeight = 60;
/** Sizes that follow each other so soon are those of a panel that is dragged; the view follows at once. */
const draggedMs = 250;

type Drawn = { canvas: Canvas; kinds: Drawing["kinds"] };

/**
 * Fits the view anew when a panel opens beside the canvas or gets another size. Brings the selected node into view when it was chosen elsewhere.
 */
export function useKeepInView(select: readonly string[], frame: RefObject<HTMLElement | null>, drawn: Drawn): void {
  const flow = useReactFlow<Box, Line>();
  const current = useRef(drawn);
  current.current = drawn;
  const size = useRef<string>(undefined);
  const fitAnew = useFitAnew(current);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const look = () => {
      const boxes = flow.getNodes();
      const box = boxes.find(({ selected }) => selected) ?? boxes.find(({ id }) => id === select[0]);
      const newSize = `${element.clientWidth} ${element.clientHeight}`;
      const isResized = size.current !== undefined && size.current !== newSize;
      size.current = newSize;
      if (isResized) return fitAnew(element, box);
      if (!box || isInside(box, element, flow.flowToScreenPosition)) return;
      const { x, y, width, height } = areaOf(box);
      void flow.setCenter(x + width / 2, y + height / 2, {
        zoom: flow.getZoom(),
        duration: travelMs(),
      });
    };
    // Tells at once how large it is, and again whenever that changes.
    const observer = new ResizeObserver(() => requestAnimationFrame(look));
    observer.observe(element);
    return () => observer.disconnect();
  }, [flow, frame, select, fitAnew]);
}

/** Shows everything that is drawn, or what is chosen of it. */
function useFitAnew(drawn: RefObject<Drawn>) {
  const { setViewport } = useReactFlow<Box, Line>();
  const lastMs = useRef(0);
  return useCallback(
    (element: HTMLElement, box: Box | undefined) => {
      const { canvas, kinds } = drawn.current;
      const others = readDrawn(element, alsoDrawn);
      if (canvas.nodes.length + others.length === 0) return;
      const [other] = readDrawn(element, chosenDrawn);
      const own = box?.type === "note" ? { alone: areaOf(box) } : { nodeId: box?.id };
      const view = findNextView(canvas, kinds, element, { chosen: other ? { other } : own, others });
      const isDragged = performance.now() - lastMs.current < draggedMs;
      lastMs.current = performance.now();
      void setViewport(view, { duration: isDragged ? 0 : travelMs() });
    },
    [setViewport, drawn],
  );
}

type Point = { x: number; y: number };

/** Notes say how large they are; nodes are taken as they are at least. */
const areaOf = ({ position, width = boxWidth, height = boxHeight }: Box): Rect => ({ ...position, width, height });

function isInside(box: Box, element: HTMLElement, toScreen: (point: Point) => Point): boolean {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const { x, y, width, height } = areaOf(box);
  const start = toScreen({ x, y });
  const end = toScreen({ x: x + width, y: y + height });
  return start.x >= left && start.y >= top && end.x <= right && end.y <= bottom;
}
