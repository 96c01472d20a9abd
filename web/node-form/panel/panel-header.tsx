import { Check, Copy, X } from "lucide-react";
import { useState } from "react";
import { StepButton } from "../../canvas/stepping/step-button.tsx";
import { buttonLook } from "../../parts/button.tsx";
import { copyText } from "../../parts/copy-text.ts";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { FaultLines } from "../fields/fault-lines.tsx";
import { changeNode } from "./change-node.ts";
import { faultsBelow } from "./faults-below.ts";
import type { NodePanelProps } from "./node-panel-props.ts";

type PanelHeaderProps = Pick<NodePanelProps, "node" | "kind" | "faults" | "readOnly" | "onChange" | "onClose"> & {
  idPrefix: string;
};

export function PanelHeader({ node, kind, faults, readOnly, onChange, onClose, idPrefix }: PanelHeaderProps) {
  const title = kind?.title ?? node.nodeId;
  const nameFaults = faultsBelow(faults, "/name");
  return (
    <header className="grid gap-1.5 border-b border-line px-4 pt-3 pb-3">
      <div className="flex items-center gap-2.5">
        <NodeIcon nodeId={node.nodeId} providerId={kind?.provider?.id ?? null} className="size-6" />
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
          className="min-h-9 min-w-0 flex-1 rounded-md border border-transparent bg-transparent px-1.5 font-semibold text-ink placeholder:text-ink hover:border-line focus:border-field"
        />
        <button
          type="button"
          onClick={onClose}
          aria-label="Close the node"
          className={`${buttonLook("bare")} shrink-0 px-2!`}
        >
          <X className="size-4" aria-hidden="true" />
        </button>
      </div>
      <FaultLines id={`${idPrefix}-name-fault`} label="Name" faults={nameFaults} />
      {kind ? (
        <p className="text-xs text-muted wrap-anywhere">{kind.description}</p>
      ) : (
        <p className="text-xs text-danger wrap-anywhere">This installation has no node of the type {node.nodeId}.</p>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <CopyReference reference={`$nodes.${node.id}`} />
        {kind?.provider && (
          <span>
            Tool <code className="font-mono text-ink">{kind.id}</code>
          </span>
        )}
        {!kind?.provider && kind && <span>Built-in node {kind.title}</span>}
      </p>
      <StepButton nodeId={node.id} />
    </header>
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
      className="inline-flex items-center gap-1 rounded bg-hover px-1.5 py-0.5 font-mono text-ink hover:bg-accent-soft"
    >
      {reference}
      <Icon className="size-3.5" aria-hidden="true" />
      <span className="sr-only" aria-live="polite">
        {copied ? "Copied" : "Copy the reference"}
      </span>
    </button>
  );
}
