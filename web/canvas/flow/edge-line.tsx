import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { Plus } from "lucide-react";
import { memo, use, useState } from "react";
import { counted } from "../words.ts";
import { FlowActionsContext } from "./flow-actions.ts";
import type { Line } from "./flow-data.ts";
import { MoreButton } from "./more-button.tsx";

export const EdgeLine = memo(function EdgeLine({ id, data, selected, ...ends }: EdgeProps<Line>) {
  const actions = use(FlowActionsContext);
  const [hovered, setHovered] = useState(false);
  const { sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition } = ends;
  const [path, labelX, labelY] = getBezierPath({ sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition });
  const showsAdd = actions && data?.editable && (hovered || selected);
  const showsCount = data?.itemCount !== undefined && !showsAdd;
  const hover = { onMouseEnter: () => setHovered(true), onMouseLeave: () => setHovered(false) };
  return (
    <>
      <g {...hover}>
        <BaseEdge path={path} interactionWidth={24} />
      </g>
      {(showsAdd || showsCount) && (
        <EdgeLabelRenderer>
          <div
            className="absolute"
            style={{
              transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)`,
              pointerEvents: showsAdd ? "all" : "none",
            }}
          >
            {showsCount && (
              <span className="rounded-full border border-line bg-surface px-2 py-0.5 text-xs text-muted">
                {counted(data?.itemCount ?? 0, "item")}
              </span>
            )}
            {showsAdd && (
              <div className="flex gap-1" {...hover}>
                <button
                  type="button"
                  tabIndex={-1}
                  aria-label="Add a node on this connection"
                  onClick={() => actions.addOnEdge(id)}
                  className="nodrag nopan flex size-6 items-center justify-center rounded-md border border-line bg-surface text-muted hover:border-accent hover:text-accent"
                >
                  <Plus className="size-4" aria-hidden="true" />
                </button>
                <MoreButton target={{ kind: "edge", edgeId: id }} title="this connection" className="flex" />
              </div>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
