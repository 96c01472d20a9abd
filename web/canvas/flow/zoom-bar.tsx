import { useReactFlow, useStore } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { ToolButton } from "./tool-button.tsx";
import { useFitAll } from "./use-fit-all.ts";

export function ZoomBar() {
  const { zoomIn, zoomOut } = useReactFlow();
  const fitAll = useFitAll();
  const percent = useStore(({ transform }) => Math.round(transform[2] * 100));
  return (
    <fieldset aria-label="Zoom" className="flex items-center gap-0.5">
      <ToolButton label="Zoom out" onClick={() => void zoomOut()}>
        <Minus className="size-4" aria-hidden="true" />
      </ToolButton>
      <span className="w-11 text-center text-xs text-muted tabular-nums">{percent} %</span>
      <ToolButton label="Zoom in" onClick={() => void zoomIn()}>
        <Plus className="size-4" aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Fit everything" onClick={fitAll}>
        <Maximize className="size-4" aria-hidden="true" />
        <span className="sr-only @4xl:not-sr-only">Fit</span>
      </ToolButton>
    </fieldset>
  );
}
