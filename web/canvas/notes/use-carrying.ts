import { useReactFlow } from "@xyflow/react";
import { useRef } from "react";
import type { Place, Positions } from "../edit/places.ts";
import type { Box, Line } from "../flow/flow-data.ts";
import { findCarried, shiftAll } from "./find-carried.ts";

type Press = { altKey?: boolean };

/** While Alt is held, a note that is dragged takes along what lies fully on it. */
export function useCarrying() {
  const flow = useReactFlow<Box, Line>();
  const began = useRef<{ at: Place; carried: Positions }>(undefined);

  const placesFor = ({ altKey }: Press, { position }: Box): Positions => {
    if (!began.current) return {};
    const { at, carried } = began.current;
    return altKey ? shiftAll(carried, position.x - at.x, position.y - at.y) : carried;
  };

  return {
    onNodeDragStart: (_event: Press, box: Box, moved: Box[]) => {
      const carried = findCarried(
        flow.getNodes(),
        moved.map(({ id }) => id),
      );
      began.current = Object.keys(carried).length > 0 ? { at: box.position, carried } : undefined;
    },
    onNodeDrag: (event: Press, box: Box) => {
      const places = placesFor(event, box);
      if (began.current) flow.setNodes((boxes) => boxes.map((each) => moveTo(each, places[each.id])));
    },
    /** Where what was carried lies in the end. */
    drop: (event: Press, box: Box): Positions => placesFor(event, box),
  };
}

function moveTo(box: Box, place: Place | undefined): Box {
  return !place || (place.x === box.position.x && place.y === box.position.y) ? box : { ...box, position: place };
}
