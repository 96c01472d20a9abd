import { useReactFlow } from "@xyflow/react";
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { findNextView } from "../flow/find-first-view.ts";
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
    if (!frame.current || !bounds) return;
    // Who came for a node sees that node.
    const chosen = { nodeId: flow.getNodes().find(({ selected }) => selected)?.id };
    void flow.setViewport(findNextView(canvas, kinds, frame.current, { chosen, others: [bounds] }));
  });

  const areThere = bounds !== undefined && flow.viewportInitialized;
  useEffect(() => {
    if (!areThere || wasShown.current) return;
    wasShown.current = true;
    show();
  }, [areThere]);
}
