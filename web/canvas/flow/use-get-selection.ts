import { useReactFlow } from "@xyflow/react";
import { useCallback } from "react";
import type { Box, Line } from "./flow-data.ts";
import type { Selection } from "./flow-surface.tsx";

/** What is selected at this moment, also when a key follows another so fast that no component was drawn in between. */
export function useGetSelection(): () => Selection {
  const { getNodes, getEdges } = useReactFlow<Box, Line>();
  return useCallback(
    () => ({
      nodeIds: getNodes().flatMap(({ id, selected }) => (selected ? [id] : [])),
      edgeIds: getEdges().flatMap(({ id, selected }) => (selected ? [id] : [])),
    }),
    [getNodes, getEdges],
  );
}
