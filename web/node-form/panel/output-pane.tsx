import type { RunNode } from "../../../src/runs/wire.ts";
import { PinnedData, PinOutput } from "../../canvas/stepping/pinned-data.tsx";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { Duration } from "../../parts/duration.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { DataPart, NoRun } from "./data-part.tsx";
import type { NodePanelProps } from "./node-panel-props.ts";

/** How the node fared in the run that is shown, and what came out of it. */
export function OutputTab({ node, run, organizationId, workflowId }: OutputTabProps) {
  const own = run?.nodes.find(({ id }) => id === node.id);
  return (
    <>
      <PinnedData organizationId={organizationId} workflowId={workflowId} nodeId={node.id} />
      {own && own.takenFrom !== "pinned" && <InRun own={own} />}
      {!run && <NoRun what="what comes out of this node" />}
      {run && !own && (
        <p className="text-sm text-muted">
          This node was not part of the run that is shown. Run the step to see its output.
        </p>
      )}
      <PinOutput nodeId={node.id} own={own} />
    </>
  );
}

type OutputTabProps = Pick<NodePanelProps, "node" | "run" | "organizationId" | "workflowId">;

function InRun({ own }: { own: RunNode }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <Status status={own.status} />
        {own.attempts > 1 && <span>{own.attempts} attempts</span>}
        {own.startedAt && <Moment at={own.startedAt} show="time" />}
        {own.takenFrom ? <span>From an earlier run</span> : own.durationMs !== null && <Duration ms={own.durationMs} />}
      </p>
      {own.error && (
        <Notice kind="problem">
          <p>{own.error.message}</p>
          <p className="mt-1 font-mono text-xs">{own.error.code}</p>
        </Notice>
      )}
      {own.note && <p className="text-sm text-muted">{own.note}</p>}
      {own.outputs && (
        <DataPart title="Items" count={own.outputs.length}>
          <Ways ways={own.ways} />
          {own.outputs.length > 0 && <DataViewer value={own.outputs} label="output" />}
        </DataPart>
      )}
      {own.leftOutBytes > 0 && <p className="text-sm text-muted">What this node gave is too large for this page.</p>}
      {!own.outputs && !own.error && !own.note && own.leftOutBytes === 0 && (
        <p className="text-sm text-muted">{withoutOutput[own.status]}</p>
      )}
    </>
  );
}

function Ways({ ways }: { ways: RunNode["ways"] }) {
  const entries = Object.entries(ways);
  if (entries.length < 2 && entries[0]?.[0] === "out") return null;
  return <p className="text-xs text-muted">{entries.map(([way, count]) => `${way}: ${count}`).join(", ")}</p>;
}

const withoutOutput: Record<RunNode["status"], string> = {
  pending: "This node has not begun yet.",
  running: "This node is at work.",
  retrying: "This node failed and is tried again soon.",
  succeeded: "Nothing came out of this node.",
  failed: "This node failed before anything came out of it.",
  skipped: "This node was not reached: no item came its way.",
  cancelled: "The run ended before this node was done.",
};
