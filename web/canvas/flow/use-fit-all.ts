import { getNodesBounds, getViewportForBounds, type Rect, useReactFlow, useStoreApi } from "@xyflow/react";
import type { Box, Line } from "./flow-data.ts";

const [smallest, largest, padding] = [0.1, 1, 0.15];

/** An element with this attribute says what is drawn besides the nodes. */
export const alsoDrawn = "data-also-drawn";
/** And with this one which of it is chosen. */
export const chosenDrawn = "data-chosen-drawn";

/** Shows all nodes, with the cards before them. */
export function useFitAll(): () => void {
  const flow = useReactFlow<Box, Line>();
  const store = useStoreApi();
  return () => {
    const { width, height, domNode } = store.getState();
    const nodes = flow.getNodes();
    const others = readDrawn(domNode, alsoDrawn);
    const all = [...(nodes.length > 0 ? [getNodesBounds(nodes)] : []), ...others];
    if (all.length === 0) return;
    void flow.setViewport(getViewportForBounds(unite(all), width, height, smallest, largest, padding));
  };
}

export function readDrawn(element: HTMLElement | null, attribute: typeof alsoDrawn | typeof chosenDrawn): Rect[] {
  const found = [...(element?.querySelectorAll(`[${attribute}]`) ?? [])];
  return found.map((one) => JSON.parse(one.getAttribute(attribute) ?? "") as Rect);
}

function unite(all: readonly Rect[]): Rect {
  const [x, y] = [Math.min(...all.map((one) => one.x)), Math.min(...all.map((one) => one.y))];
  const right = Math.max(...all.map((one) => one.x + one.width));
  const bottom = Math.max(...all.map((one) => one.y + one.height));
  return { x, y, width: right - x, height: bottom - y };
}
