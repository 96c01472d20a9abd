import type { ReactNode } from "react";
import type { RunNode } from "../../../src/runs/wire.ts";
import { PinnedData, PinOutput } from "../../canvas/stepping/pinned-data.tsx";
import { counted } from "../../canvas/words.ts";
import { CopyDataButton } from "../../parts/data-viewer/copy-data-button.tsx";
import { ShownData } from "../../parts/data-viewer.tsx";
import { Duration } from "../../parts/duration.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { boxOf } from "./incoming-pane.tsx";
import { NoRun } from "./no-run.tsx";
import type { NodePanelProps } from "./node-panel-props.ts";
import { PaneHead, useView } from "./pane-head.tsx";
import { PanelBody } from "./panel-body.tsx";

type OutputPaneProps = Pick<NodePanelProps, "node" | "run" | "organizationId" | "workflowId">;

/** How the node fared in the run that is shown, and what came out of it. */
export function OutputPane({ node, run, organizationId, workflowId }: OutputPaneProps) {
  const [view, setView] = useView("output", "table");
  const own = run?.nodes.find(({ id }) => id === node.id);
  const draw = (value: unknown, label: string) => (
    <div className={boxOf(view)}>
      <ShownData view={view} value={value} label={label} />
    </div>
  );
  return (
    <>
      <PaneHead title="Output" view={view} onView={setView} />
      <PanelBody tight>
        <PinnedData organizationId={organizationId} workflowId={workflowId} nodeId={node.id} draw={draw} />
        {own && own.takenFrom !== "pinned" && <InRun own={own} draw={draw} />}
        {!run && <NoRun what="what comes out of this node" />}
        {run && !own && (
          <p className="text-sm text-muted">
            This node was not part of the run that is shown. Run the step to see its output.
          </p>
        )}
        <div className="flex flex-wrap items-start gap-2">
          <PinOutput nodeId={node.id} />
          {own?.outputs && own.outputs.length > 0 && <CopyDataButton value={own.outputs} label="output" />}
        </div>
      </PanelBody>
    </>
  );
}

type InRunProps = { own: RunNode; draw: (value: unknown, label: string) => ReactNode };

function InRun({ own, draw }: InRunProps) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        <Status status={own.status} />
        {own.attempts > 1 && <span>{own.attempts} attempts</span>}
        {own.startedAt && <Moment at={own.startedAt} show="time" />}
        {own.takenFrom ? <span>From an earlier run</span> : own.durationMs !== null && <Duration ms={own.durationMs} />}
        {own.outputs && <span>{counted(own.outputs.length, "item")}</span>}
      </div>
      {own.error && (
        <Notice kind="problem">
          <p>{own.error.message}</p>
          <p className="mt-1 font-mono text-xs">{own.error.code}</p>
        </Notice>
      )}
      {own.note && <p className="text-sm text-muted">{own.note}</p>}
      {own.outputs && <Ways ways={own.ways} />}
      {own.outputs && own.outputs.length > 0 && draw(own.outputs, "output")}
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
