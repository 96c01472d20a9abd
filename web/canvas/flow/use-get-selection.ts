import { useReactFlow } from "@xyflow/react";
import { useCallback } from "react";
import type { Box, Line } from "./flow-data.ts";
import { type Selection, selectionOf } from "./selection.ts";

/** What is selected at this moment, also when a key follows another so fast that no component was drawn in between. */
export function useGetSelection(): () => Selection {
  const { getNodes, getEdges } = useReactFlow<Box, Line>();
  return useCallback(
    () =>
      selectionOf(
        getNodes().filter(({ selected }) => selected),
        getEdges().filter(({ selected }) => selected),
      ),
    [getNodes, getEdges],
  );
}
