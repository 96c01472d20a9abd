import { MiniMap, useReactFlow } from "@xyflow/react";
import { travelMs } from "./travel-ms.ts";

/** Pressing it goes there, dragging it moves the view. */
export function SmallMap() {
  const flow = useReactFlow();
  return (
    <MiniMap
      pannable
      zoomable
      ariaLabel="Small map of the canvas"
      className="hidden cursor-pointer md:block"
      nodeColor={({ type }) => (type === "note" ? "var(--color-warning-soft)" : "var(--color-field)")}
      onClick={(_event, { x, y }) => void flow.setCenter(x, y, { zoom: flow.getZoom(), duration: travelMs() })}
    />
  );
}
