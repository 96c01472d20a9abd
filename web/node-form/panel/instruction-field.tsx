import { useMutation } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { type FillPreview, fillPreviewLimitSeconds } from "../../../src/runs/wire.ts";
import { previewFill } from "../../api/previews.ts";
import { Button } from "../../parts/button.tsx";
import { DataViewer } from "../../parts/data-viewer.tsx";
import { controlLook } from "../../parts/field.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { fieldsOf, labelOf } from "../field-shape.ts";
import { FaultLines } from "../fields/fault-lines.tsx";
import { changeNode } from "./change-node.ts";
import { faultsBelow } from "./faults-below.ts";
import type { NodePanelProps } from "./node-panel-props.ts";

/** In words what a model fills in, which parameters that are, and what it would fill in now. */
export function InstructionField(props: NodePanelProps & { idPrefix: string }) {
  const { organizationId, workflowId, canvas, node, kind, run, faults, readOnly, onChange, idPrefix } = props;
  const id = `${idPrefix}/instruction`;
  const hintId = useId();
  const own = faultsBelow(faults, "/instruction");
  const empty = emptyParameters(props);
  const hasInstruction = (node.instruction ?? "").trim() !== "";
  const { fill, cancel } = useFill((signal) =>
    previewFill(organizationId, workflowId, { canvas, nodeId: node.id, ...(run ? { runId: run.id } : {}), signal }),
  );
  if (!kind || (readOnly && !hasInstruction)) return null;
  return (
    <div className="grid min-w-0 gap-1.5 border-t border-line pt-4">
      <label htmlFor={id} className="flex items-center gap-1.5 text-sm font-medium">
        <Sparkles className="size-4 text-accent" aria-hidden="true" />
        Instruction for a model
      </label>
      <textarea
        id={id}
        rows={3}
        readOnly={readOnly}
        value={node.instruction ?? ""}
        placeholder="Say in one friendly sentence what the bug is about."
        onChange={(event) => onChange(changeNode(node, "instruction", event.target.value))}
        aria-describedby={`${hintId} ${id}-fault`}
        aria-invalid={own.length > 0 || undefined}
        className={`${controlLook} block resize-y`}
      />
      <p id={hintId} className="text-xs text-muted">
        {hintFor(hasInstruction, empty)}
      </p>
      <FaultLines id={`${id}-fault`} label="Instruction" faults={own} />
      {!readOnly && hasInstruction && empty.length > 0 && (
        <Button busy={fill.isPending} onClick={() => fill.mutate()} className="justify-self-start">
          Preview what a model would fill
        </Button>
      )}
      {fill.isPending && (
        <div className="flex flex-wrap items-center gap-2">
          <p role="status" className="min-w-0 flex-1 basis-48 text-xs text-muted">
            Waiting for the language model, for at most {fillPreviewLimitSeconds} s.
          </p>
          <Button look="bare" onClick={cancel}>
            Cancel
          </Button>
        </div>
      )}
      {fill.isError && <ProblemNotice error={fill.error} />}
      {fill.isSuccess && (
        <div className="grid min-w-0 gap-1.5">
          <p role="status" className="text-xs text-muted">
            {fill.data.model} would fill in this; another time it may word it otherwise. Nothing was sent or changed.
          </p>
          <DataViewer value={fill.data.filled} label="what the model would fill in" />
        </div>
      )}
    </div>
  );
}

/** Ends what is under way when somebody cancels it or leaves, and then the server stops asking too. */
function useFill(ask: (signal: AbortSignal) => Promise<FillPreview>) {
  const stop = useRef<AbortController>(undefined);
  const fill = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      return ask(stop.current.signal);
    },
  });
  useEffect(() => () => stop.current?.abort(), []);
  const cancel = () => {
    stop.current?.abort();
    fill.reset();
  };
  return { fill, cancel };
}

/** Labels of what a model may fill: parameters without a value; an empty text counts as none. */
function emptyParameters({ node, kind }: NodePanelProps): string[] {
  const isEmpty = (value: unknown) => value === undefined || value === null || value === "";
  return fieldsOf(kind?.inputSchema ?? {})
    .filter(({ name }) => isEmpty(node.parameters?.[name]))
    .map(({ name, schema }) => labelOf(schema, name));
}

function hintFor(hasInstruction: boolean, empty: string[]): string {
  if (empty.length === 0) return "Every parameter has a value, so a model has nothing to fill in.";
  if (!hasInstruction)
    return "Write here how a model fills the parameters you leave empty. What you enter yourself always stays.";
  return `In a run a model fills what is empty: ${empty.join(", ")}.`;
}
