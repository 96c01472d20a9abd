import { Link } from "@tanstack/react-router";
import { StepForward, X } from "lucide-react";
import { useState } from "react";
import type { Run, RunNode } from "../../../src/runs/wire.ts";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { isOver } from "../../api/runs.ts";
import type { NodeKind } from "../../catalog.ts";
import { itemsAlong } from "../../node-form/panel/items-along.ts";
import { Fact } from "../../pages/history/call-facts.tsx";
import { Button } from "../../parts/button.tsx";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { Duration } from "../../parts/duration.tsx";
import { Moment } from "../../parts/moment.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Status } from "../../parts/status.tsx";
import { useOrganization } from "../../session.ts";
import { counted } from "../words.ts";
import { EditedRunDialog } from "./edited-run-dialog.tsx";
import { Part } from "./part.tsx";
import { useRerun } from "./use-rerun.ts";

type NodePanelProps = {
  organizationId: string;
  run: Run;
  node: RunNode;
  titleOf: (nodeId: string) => string;
  /** Undefined where the drawing of the run is gone. */
  canvas: Canvas | undefined;
  kind: NodeKind | undefined;
  onClose: () => void;
};

/** What one node of a run did, in the order of a question: what happened, what came in, what was sent, what came back. */
export function NodePanel({ organizationId, run, node, titleOf, canvas, kind, onClose }: NodePanelProps) {
  const title = titleOf(node.id);
  return (
    <section aria-label={`Node ${title}`} className="grid grid-cols-1 gap-5">
      <div className="flex items-start gap-3">
        <NodeIcon nodeId={node.nodeId} providerId={kind?.provider?.id ?? null} className="size-6" />
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold wrap-anywhere">{title}</h2>
          <p className="text-xs text-muted wrap-anywhere">{kind?.title ?? node.nodeId}</p>
        </div>
        <Button look="bare" className="-mt-1 -mr-2 px-2!" aria-label="Close the node" onClick={onClose}>
          <X className="size-4" aria-hidden="true" />
        </Button>
      </div>
      {node.error && (
        <Notice kind="problem">
          <p>{node.error.message}</p>
          <p className="mt-1 font-mono text-xs">{node.error.code}</p>
        </Notice>
      )}
      {node.note && <p className="text-sm">{node.note}</p>}
      <NodeFacts node={node} organizationId={organizationId} />
      {canvas && <CameIn canvas={canvas} run={run} node={node} titleOf={titleOf} />}
      <NodeData organizationId={organizationId} run={run} node={node} />
      <div className="flex flex-wrap items-center gap-3 border-t border-line pt-4">
        <RunFromHere organizationId={organizationId} run={run} nodeId={node.id} titleOf={titleOf} />
        {!run.workflowDeleted && (
          <Link
            to="/o/$organizationId/workflows/$workflowId"
            params={{ organizationId, workflowId: run.workflowId }}
            search={{ node: node.id, run: run.id }}
            className="text-sm text-accent underline"
          >
            Edit this node in the workflow
          </Link>
        )}
      </div>
    </section>
  );
}

type CameInProps = Pick<NodePanelProps, "run" | "node" | "titleOf"> & { canvas: Canvas };

/** What the nodes before it gave, by connection; nothing where it was not reached or all of it is too large. */
function CameIn({ canvas, run, node, titleOf }: CameInProps) {
  const edges = canvas.edges.filter(({ target }) => target === node.id);
  const came = edges
    .map((edge) => ({ edge, items: itemsAlong(edge, run.nodes) }))
    .filter(({ items }) => items.length > 0);
  if (node.status === "pending" || came.length === 0) return null;
  return (
    <Part title="Came in">
      {came.map(({ edge, items }) => {
        const way = edge.sourceHandle ? ` · ${edge.sourceHandle}` : "";
        const words = `${counted(items.length, "item")} from ${titleOf(edge.source)}${way}`;
        return (
          <div key={edge.id} className="grid grid-cols-1 gap-2">
            <p className="text-xs text-muted wrap-anywhere">{words}</p>
            <DataViewer value={items} label={words} />
          </div>
        );
      })}
    </Part>
  );
}

/** What was sent and what it gave. */
function NodeData({ organizationId, run, node }: Pick<NodePanelProps, "organizationId" | "run" | "node">) {
  return (
    <>
      {node.input !== null && (
        <Part title="Parameters, as sent" hint="Those of each execution, after references were resolved.">
          <DataViewer value={node.input} label="parameters" />
        </Part>
      )}
      {node.filled !== null && (
        <Part title="Filled in by the model">
          <DataViewer value={node.filled} label="filled parameters" />
        </Part>
      )}
      {node.outputs !== null && (node.outputs.length > 0 || node.status === "succeeded") && (
        <Part title="Output">
          <DataViewer value={node.outputs} label="output" />
        </Part>
      )}
      {node.leftOutBytes > 0 && (
        <p className="text-sm text-muted">
          What this node got and gave has {(node.leftOutBytes / 1_000_000).toFixed(1)} MB, too much for this page.{" "}
          <a
            className="text-accent underline"
            href={`/api/organizations/${organizationId}/runs/${run.id}/nodes/${node.id}`}
            target="_blank"
            rel="noreferrer"
          >
            Open it as JSON
          </a>
        </p>
      )}
      {node.input === null && node.outputs === null && node.leftOutBytes === 0 && !node.note && (
        <p className="text-sm text-muted">{emptyWords[node.status]}</p>
      )}
    </>
  );
}

type RunFromHereProps = Pick<NodePanelProps, "organizationId" | "run" | "titleOf"> & { nodeId: string };

function RunFromHere({ organizationId, run, nodeId, titleOf }: RunFromHereProps) {
  const [isOpen, setOpen] = useState(false);
  const rerun = useRerun({ organizationId, run });
  if (useOrganization().role === "viewer" || !isOver(run) || run.workflowDeleted) return null;
  return (
    <>
      <Button className="justify-self-start" onClick={() => setOpen(true)}>
        <StepForward className="size-4" aria-hidden="true" />
        Run again from this node
      </Button>
      {isOpen && (
        <EditedRunDialog run={run} nodeId={nodeId} titleOf={titleOf} rerun={rerun} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function NodeFacts({ node, organizationId }: Pick<NodePanelProps, "node" | "organizationId">) {
  const ways = Object.entries(node.ways);
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
      <Fact name="Status">
        <Status status={node.status} />
      </Fact>
      {node.takenFrom && (
        <Fact name="Data">
          {node.takenFrom === "pinned" ? (
            "Pinned, the node did not run"
          ) : (
            <Link
              to="/o/$organizationId/runs/$runId"
              params={{ organizationId, runId: node.takenFrom }}
              className="text-accent underline"
            >
              From an earlier run
            </Link>
          )}
        </Fact>
      )}
      {node.attempts > 0 && <Fact name="Attempts">{node.attempts}</Fact>}
      {node.items && <Fact name="Items done">{`${node.items.done} of ${node.items.total}`}</Fact>}
      {node.startedAt && (
        <Fact name="Began">
          <Moment at={node.startedAt} show="time" />
        </Fact>
      )}
      {node.completedAt && node.startedAt && (
        <Fact name="Ended">
          <Moment at={node.completedAt} show="time" />
        </Fact>
      )}
      {node.durationMs !== null && node.completedAt && (
        <Fact name="Worked for">
          <Duration ms={node.durationMs} />
        </Fact>
      )}
      {node.wakeAt && !node.completedAt && (
        <Fact name="Goes on">
          <Moment at={node.wakeAt} show="time" />
        </Fact>
      )}
      {ways.length > 0 && (
        <Fact name="Items">
          {ways
            .map(([way, count]) => (ways.length === 1 && way === "out" ? String(count) : `${count} on ${way}`))
            .join(", ")}
        </Fact>
      )}
    </dl>
  );
}

const emptyWords = {
  pending: "This node has not begun yet.",
  running: "This node is at work. What it gives appears here when it is done.",
  retrying: "This node failed and tries again soon.",
  succeeded: "This node got and gave nothing.",
  failed: "This node failed before it could give anything.",
  skipped: "This node was not reached: no item came its way.",
  cancelled: "The run ended before this node was done.",
} satisfies Record<RunNode["status"], string>;
