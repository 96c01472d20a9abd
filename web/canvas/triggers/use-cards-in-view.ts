import { useReactFlow } from "@xyflow/react";
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { findFirstView } from "../flow/find-first-view.ts";
import type { Drawing } from "../flow/flow-data.ts";
import { type Bounds, cardHeight, cardWidth } from "./place-cards.ts";

type Options = Pick<Drawing, "canvas" | "kinds"> & {
  frame: RefObject<HTMLDivElement | null>;
  bounds: Bounds | undefined;
  /** Where the card stands whose panel is open. */
  open: { x: number; y: number } | undefined;
};

/** Cards are known after the first picture: then they come into view with the nodes, and so does the open one when a panel takes its place. */
export function useCardsInView({ canvas, kinds, frame, bounds, open }: Options): void {
  const flow = useReactFlow();
  const wasShown = useRef(false);

  const show = useEffectEvent(() => {
    const others = [...(bounds ? [bounds] : []), ...(canvas.notes ?? [])];
    void flow.setViewport(findFirstView(canvas.nodes, kinds, frame.current, { others }));
  });
  const look = useEffectEvent(() => {
    const element = frame.current;
    if (!element || !open) return;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const start = flow.flowToScreenPosition(open);
    const end = flow.flowToScreenPosition({ x: open.x + cardWidth, y: open.y + cardHeight });
    if (start.x < left || start.y < top || end.x > right || end.y > bottom) show();
  });

  const areThere = bounds !== undefined && flow.viewportInitialized;
  useEffect(() => {
    if (!areThere || wasShown.current) return;
    wasShown.current = true;
    // Who came for a node sees that node.
    if (!flow.getNodes().some(({ selected }) => selected)) show();
  }, [areThere, flow]);

  const isOpen = open !== undefined;
  useEffect(() => {
    const element = frame.current;
    if (!element || !isOpen) return;
    const observer = new ResizeObserver(() => requestAnimationFrame(look));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame, isOpen]);
}
