import { useReactFlow } from "@xyflow/react";
import { type RefObject, useEffect } from "react";
import { boxWidth } from "../place-nodes.ts";
import type { Box, Line } from "./flow-data.ts";
import { travelMs } from "./travel-ms.ts";

const boxHeight = 60;

/** Brings the selected node back into view when it was chosen elsewhere, or when a panel takes the place it stood in. */
export function useKeepInView(select: readonly string[], frame: RefObject<HTMLElement | null>): void {
  const flow = useReactFlow<Box, Line>();

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const look = () => {
      const box = flow.getNodes().find(({ id, selected }) => selected || id === select[0]);
      if (!box) return;
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const start = flow.flowToScreenPosition(box.position);
      const end = flow.flowToScreenPosition({ x: box.position.x + boxWidth, y: box.position.y + boxHeight });
      if (start.x >= left && start.y >= top && end.x <= right && end.y <= bottom) return;
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
