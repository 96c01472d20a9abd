import { Handle, type NodeProps, Position } from "@xyflow/react";
import { CircleAlert, Plus, StickyNote, TriangleAlert } from "lucide-react";
import { memo, use } from "react";
import type { RunNode } from "../../../src/runs/wire.ts";
import { formatDuration } from "../../parts/duration.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { Status } from "../../parts/status.tsx";
import { BoxActions } from "../stepping/box-actions.tsx";
import { summarizeNode } from "../summarize-node.ts";
import { counted, itemsInWords, nodeTitle, progressInWords, stateInWords } from "../words.ts";
import { FlowActionsContext } from "./flow-actions.ts";
import type { BoxData, Mark, NodeShape } from "./flow-data.ts";

export const NodeBox = memo(function NodeBox({ data, selected }: NodeProps<NodeShape>) {
  const { node, kind, ways, lostWays, runNode } = data;
  const several = ways.length > 1 || lostWays.length > 0;
  const disabled = node.settings?.disabled === true;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms; this groups what belongs to a node.
    <div
      id={boxId(node.id)}
      role="group"
      aria-label={describe(data)}
      data-chosen={selected}
      className={`group/box relative w-56 rounded-xl border text-sm ${borderOf(data, selected)} ${disabled ? "border-dashed bg-page" : "bg-surface"}`}
    >
      {data.mark && <MarkWord mark={data.mark} />}
      {data.editable && <BoxActions nodeId={node.id} title={nodeTitle(node, kind)} />}
      <div className="relative flex items-center gap-3 px-3 py-2.5">
        <Handle type="target" position={Position.Left} isConnectable={data.editable} />
        <span className="flex size-9 shrink-0 items-center justify-center rounded-lg bg-page">
          <NodeIcon nodeId={node.nodeId} providerId={kind?.provider?.id ?? null} className="size-5 overflow-visible" />
        </span>
        <span className="grid min-w-0 flex-1">
          <Words text={nodeTitle(node, kind)} most={node.note ? 16 : 19} look="font-medium" />
          <SecondLine data={data} disabled={disabled} />
        </span>
        {node.note && <NoteSign note={node.note} />}
        {!several && ways.map((way) => <WayOut key={way} way={way} data={data} />)}
      </div>
      {several && (
        <div className="grid gap-0.5 border-t border-line py-1">
          {[...ways, ...lostWays].map((way) => (
            <div key={way} className="relative px-3 py-0.5 text-right text-xs">
              <span
                className={`block ${way.length > 20 ? "truncate" : ""} ${lostWays.includes(way) ? "text-danger" : "text-muted"}`}
              >
                {way}
                {lostWays.includes(way) && " (no such way)"}
              </span>
              <WayOut way={way} data={data} />
            </div>
          ))}
        </div>
      )}
      {runNode && <RunState runNode={runNode} />}
      <Remarks data={data} />
    </div>
  );
});

/** What the node does with what it was given; before anything was, what kind of node it is. */
function SecondLine({ data, disabled }: { data: BoxData; disabled: boolean }) {
  const summary = disabled ? "" : summarizeNode(data.node, data.kind);
  if (summary) return <Words text={summary} most={18} look="font-mono text-xs text-muted" />;
  return <Words text={disabled ? disabledInWords(data) : kindInWords(data)} most={23} look="text-xs text-muted" />;
}

/** A node with a note shows it when pointed at; it is written in the settings of the node. */
function NoteSign({ note }: { note: string }) {
  return (
    <span title={note} className="absolute top-1.5 right-2 text-warning">
      <StickyNote className="size-3.5" aria-hidden="true" />
    </span>
  );
}

/** A text that may be cut off costs the browser something in every frame of a drag, so only long ones may. */
function Words({ text, most, look }: { text: string; most: number; look: string }) {
  const isLong = text.length > most || /[^\x20-\x7e]/.test(text);
  return <span className={`${look} ${isLong ? "truncate" : "whitespace-nowrap"}`}>{text}</span>;
}

export const boxId = (nodeId: string) => `canvas-node-${nodeId}`;

function WayOut({ way, data }: { way: string; data: BoxData }) {
  const actions = use(FlowActionsContext);
  const isOpen = data.openWays.includes(way);
  return (
    <>
      <Handle type="source" position={Position.Right} id={way} isConnectable={data.editable} />
      {actions && data.editable && isOpen && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Add a node after ${nodeTitle(data.node, data.kind)}${data.ways.length > 1 ? ` · ${way}` : ""}`}
          onClick={(event) => {
            event.stopPropagation();
            actions.addAfter(data.node.id, way);
          }}
          className="nodrag nopan absolute inset-y-0 left-full my-auto ml-3 flex size-5 items-center justify-center rounded-md border border-line bg-surface text-muted hover:border-accent hover:text-accent"
        >
          <Plus className="size-3.5" aria-hidden="true" />
        </button>
      )}
    </>
  );
}

function RunState({ runNode }: { runNode: RunNode }) {
  const { status, durationMs, takenFrom, error, attempts } = runNode;
  const facts = [
    takenFrom === null ? durationMs !== null && formatDuration(durationMs) : originWords(takenFrom),
    status === "succeeded" ? itemsInWords(runNode) : progressInWords(runNode),
    attempts > 1 ? counted(attempts, "attempt") : undefined,
  ].filter(Boolean);
  return (
    <div className="grid gap-1 border-t border-line px-3 py-2">
      <div className="flex items-center gap-2 text-xs text-muted">
        <Status status={status} />
        <span className="truncate">{facts.join(" · ")}</span>
      </div>
      {error && (
        <p className="line-clamp-2 text-xs text-danger wrap-anywhere" title={error.message}>
          {error.message}
        </p>
      )}
    </div>
  );
}

const originWords = (takenFrom: string): string => (takenFrom === "pinned" ? "pinned" : "earlier run");

function Remarks({ data: { faultCount, warningCount } }: { data: BoxData }) {
  if (faultCount === 0 && warningCount === 0) return null;
  return (
    <div className="flex gap-3 border-t border-line px-3 py-1.5 text-xs">
      {faultCount > 0 && (
        <span className="inline-flex items-center gap-1.5 text-danger">
          <CircleAlert className="size-3.5" aria-hidden="true" />
          {counted(faultCount, "problem")}
        </span>
      )}
      {warningCount > 0 && (
        <span className="inline-flex items-center gap-1.5 text-warning">
          <TriangleAlert className="size-3.5" aria-hidden="true" />
          {counted(warningCount, "warning")}
        </span>
      )}
    </div>
  );
}

function kindInWords({ node, kind }: BoxData): string {
  if (!kind) return `Unknown node ${node.nodeId}`;
  const origin = kind.provider?.title ?? "Built in";
  return node.name && node.name !== kind.title ? `${origin}: ${kind.title}` : origin;
}

const disabledInWords = ({ ways }: BoxData): string => (ways.length > 1 ? `Disabled: all go ${ways[0]}` : "Disabled");

function describe(data: BoxData): string {
  const { node, kind, runNode, faultCount, warningCount } = data;
  const facts = [
    nodeTitle(node, kind),
    kindInWords(data),
    summarizeNode(node, kind),
    data.mark,
    node.note && `Note: ${node.note}`,
    node.settings?.disabled && disabledInWords(data),
    faultCount > 0 && counted(faultCount, "problem"),
    warningCount > 0 && counted(warningCount, "warning"),
    runNode && stateInWords(runNode),
  ];
  return facts.filter(Boolean).join(", ");
}

function borderOf({ runNode, faultCount, mark }: BoxData, selected: boolean): string {
  if (selected) return "border-accent ring-2 ring-accent";
  if (mark) return markBorder(mark);
  if (faultCount > 0 || runNode?.status === "failed") return "border-danger";
  if (runNode?.status === "running") return "border-accent ring-2 ring-accent-soft";
  if (runNode?.status === "succeeded") return "border-success";
  return "border-line";
}

/** What became of a box between two canvases. */
export const MarkWord = ({ mark }: { mark: Mark }) => (
  <span className={`${markLook} ${markLooks[mark].word}`}>{mark}</span>
);
export const markBorder = (mark: Mark): string => markLooks[mark].border;

const markLook = "absolute -top-2.5 right-3 rounded-full px-2 text-xs font-medium";
const markLooks: Record<Mark, { border: string; word: string }> = {
  new: { border: "border-2 border-success", word: "bg-success-soft text-success" },
  changed: { border: "border-2 border-dashed border-warning", word: "bg-warning-soft text-warning" },
  gone: { border: "border-2 border-dotted border-danger", word: "bg-danger-soft text-danger" },
};
