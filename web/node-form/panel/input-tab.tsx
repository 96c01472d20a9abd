import { useQuery } from "@tanstack/react-query";
import { nodeKindsQuery } from "../../catalog.ts";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { nodeTitle } from "../node-title.ts";
import { DataPart, NoRun } from "./data-part.tsx";
import { itemsAlong } from "./items-along.ts";
import type { NodePanelProps } from "./node-panel-props.ts";

type InputTabProps = Pick<NodePanelProps, "canvas" | "node" | "run">;

/** What came into the node in the run that is shown, and with which parameters it was executed. */
export function InputTab({ canvas, node, run }: InputTabProps) {
  const kinds = useQuery(nodeKindsQuery).data;
  if (!run) return <NoRun what="what comes into this node" />;
  const titleOf = (id: string) => nodeTitle(canvas, id, kinds);
  const edges = canvas.edges.filter(({ target }) => target === node.id);
  const own = run.nodes.find(({ id }) => id === node.id);
  return (
    <>
      {edges.length === 0 && (
        <DataPart title="What started the run">
          <DataViewer value={run.trigger} label="what started the run" />
        </DataPart>
      )}
      {edges.map((edge) => {
        const items = itemsAlong(edge, run.nodes);
        const name = titleOf(edge.source);
        return (
          <DataPart key={edge.id} title={`From ${name}`} count={items.length}>
            {items.length > 0 ? (
              <DataViewer value={items} label={`items from ${name}`} />
            ) : (
              <p className="text-sm text-muted">No item came this way.</p>
            )}
          </DataPart>
        );
      })}
      {own && own.input !== null && (
        <DataPart title="Parameters it was executed with">
          <DataViewer value={own.input} label="parameters" />
        </DataPart>
      )}
      {own && own.filled !== null && (
        <DataPart title="Of these, filled in by a model">
          <DataViewer value={own.filled} label="parameters filled in by a model" />
        </DataPart>
      )}
    </>
  );
}
