import { useReactFlow } from "@xyflow/react";
import type { KeyTable } from "../../parts/key-of.ts";
import type { Box, Line } from "./flow-data.ts";
import { useFitAll } from "./use-fit-all.ts";
import type { useGo } from "./use-go.ts";

type Options = Pick<ReturnType<typeof useGo>, "go" | "selectNothing"> & {
  onOpen: (nodeId: string | undefined) => void;
};

/** Keys of every canvas: arrows go from node to node, Enter opens one, Escape closes it, and + - 0 zoom. */
export function useReadingKeys({ go, selectNothing, onOpen }: Options): KeyTable {
  const flow = useReactFlow<Box, Line>();
  const fitAll = useFitAll();
  return {
    arrowleft: () => go("left"),
    arrowright: () => go("right"),
    arrowup: () => go("up"),
    arrowdown: () => go("down"),
    enter: () => onOpen(flow.getNodes().find(({ selected }) => selected)?.id),
    escape: () => {
      selectNothing();
      onOpen(undefined);
    },
    "+": () => void flow.zoomIn(),
    "-": () => void flow.zoomOut(),
    "0": fitAll,
  };
}
