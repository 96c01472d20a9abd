import { Check, Copy, PanelBottom, PanelRight, X } from "lucide-react";
import { useState } from "react";
import { ToolButton } from "../../canvas/flow/tool-button.tsx";
import { copyText } from "../../parts/copy-text.ts";
import { Duration } from "../../parts/duration.tsx";
import { Moment } from "../../parts/moment.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { FaultLines } from "../fields/fault-lines.tsx";
import { changeNode } from "./change-node.ts";
import { faultsBelow } from "./faults-below.ts";
import type { NodePanelProps } from "./node-panel-props.ts";

type PanelHeaderProps = NodePanelProps & { idPrefix: string };

/** Which node it is, whose data is shown, and where the panel stands. */
export function PanelHeader({
  node,
  kind,
  run,
  faults,
  readOnly,
  onChange,
  onClose,
  dock,
  idPrefix,
}: PanelHeaderProps) {
  const title = kind?.title ?? node.nodeId;
  const nameFaults = faultsBelow(faults, "/name");
  return (
    <header className="@container shrink-0 border-b border-line px-3 py-1.5">
      <div className="flex min-w-0 items-center gap-2.5">
        <span className="flex size-8 shrink-0 items-center justify-center rounded-md bg-page">
          <NodeIcon nodeId={node.nodeId} providerId={kind?.provider?.id ?? null} className="size-5" />
        </span>
        <div className="grid min-w-0 flex-1 @3xl:flex @3xl:items-center @3xl:gap-2">
          <input
            id={`${idPrefix}/name`}
            aria-label="Name of the node"
            aria-invalid={nameFaults.length > 0 || undefined}
            aria-describedby={`${idPrefix}-name-fault`}
            readOnly={readOnly}
            placeholder={title}
            maxLength={200}
            autoComplete="off"
            value={node.name ?? ""}
            onChange={(event) => onChange(changeNode(node, "name", event.target.value))}
            className="field-sizing-content max-w-full min-w-24 rounded-md border border-transparent bg-transparent px-1.5 py-0.5 text-base font-semibold text-ellipsis text-ink placeholder:text-ink hover:border-line focus:border-field"
          />
          <p className="flex min-w-0 items-center gap-1 px-1.5 text-xs text-muted">
            <span className="truncate" title={kind?.description}>
              {title}
            </span>
            <span aria-hidden="true">·</span>
            <CopyReference reference={`$nodes.${node.id}`} />
          </p>
        </div>
        <Origin node={node} run={run} />
        <div className="flex shrink-0 items-center">
          {dock?.toggle && <DockButton side={dock.side} onPress={dock.toggle} />}
          <ToolButton
            label="Close the node"
            onClick={onClose}
            className="max-md:min-h-11 max-md:min-w-11 max-md:justify-center"
          >
            <X className="size-4" aria-hidden="true" />
          </ToolButton>
        </div>
      </div>
      <FaultLines id={`${idPrefix}-name-fault`} label="Name" faults={nameFaults} />
    </header>
  );
}

function DockButton({ side, onPress }: { side: string; onPress: () => void }) {
  const [label, Icon] =
    side === "below"
      ? (["Dock the panel right", PanelRight] as const)
      : (["Dock the panel below", PanelBottom] as const);
  return (
    <ToolButton label={label} onClick={onPress}>
      <Icon className="size-4" aria-hidden="true" />
    </ToolButton>
  );
}

/** Whose data is shown: "Step run · 10:42 · 212 ms". */
function Origin({ node, run }: Pick<NodePanelProps, "node" | "run">) {
  const own = run?.nodes.find(({ id }) => id === node.id);
  if (!run || !own) return null;
  return (
    <p className="hidden shrink-0 items-center gap-1 text-xs text-muted @lg:flex">
      {own.takenFrom === null && (run.executionType === "step" ? "Step run" : "Run")}
      {own.takenFrom === "pinned" && "Pinned data"}
      {own.takenFrom !== null && own.takenFrom !== "pinned" && "Earlier run"}
      {own.takenFrom === null && own.startedAt && (
        <>
          <span aria-hidden="true">·</span>
          <Moment at={own.startedAt} show="time" />
        </>
      )}
      {own.takenFrom === null && own.durationMs !== null && (
        <>
          <span aria-hidden="true">·</span>
          <Duration ms={own.durationMs} />
        </>
      )}
    </p>
  );
}

function CopyReference({ reference }: { reference: string }) {
  const [copied, setCopied] = useState(false);
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      title="Copy the reference by which other nodes name this one"
      onClick={async () => setCopied(await copyText(reference))}
      className="inline-flex min-w-0 items-center gap-1 rounded px-0.5 font-mono hover:bg-hover hover:text-ink"
    >
      <span className="truncate">{reference}</span>
      <Icon className="size-3 shrink-0" aria-hidden="true" />
      <span className="sr-only" aria-live="polite">
        {copied ? "Copied" : "Copy the reference"}
      </span>
    </button>
  );
}
