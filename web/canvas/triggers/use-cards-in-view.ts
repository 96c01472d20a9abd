import { useReactFlow } from "@xyflow/react";
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { findFirstView } from "../flow/find-first-view.ts";
import type { Drawing } from "../flow/flow-data.ts";
import type { Bounds } from "./place-cards.ts";

type Options = Pick<Drawing, "canvas" | "kinds"> & {
  frame: RefObject<HTMLDivElement | null>;
  bounds: Bounds | undefined;
};

/** Cards are known after the first picture: then they come into view with the nodes. */
export function useCardsInView({ canvas, kinds, frame, bounds }: Options): void {
  const flow = useReactFlow();
  const wasShown = useRef(false);

  const show = useEffectEvent(() => {
    const others = [...(bounds ? [bounds] : []), ...(canvas.notes ?? [])];
    void flow.setViewport(findFirstView(canvas.nodes, kinds, frame.current, { others }));
  });

  const areThere = bounds !== undefined && flow.viewportInitialized;
  useEffect(() => {
    if (!areThere || wasShown.current) return;
    wasShown.current = true;
    // Who came for a node sees that node.
    if (!flow.getNodes().some(({ selected }) => selected)) show();
  }, [areThere, flow]);
}
