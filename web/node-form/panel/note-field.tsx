import { maxNodeNote } from "../../../src/workflows/wire.ts";
import { controlLook } from "../../parts/field.tsx";
import { FaultLines } from "../fields/fault-lines.tsx";
import { changeNode } from "./change-node.ts";
import { faultsBelow } from "./faults-below.ts";
import type { NodePanelProps } from "./node-panel-props.ts";

type NoteFieldProps = Pick<NodePanelProps, "node" | "faults" | "readOnly" | "onChange"> & { idPrefix: string };

/** What people should know about the node; its card shows a sign. */
export function NoteField({ node, faults, readOnly, onChange, idPrefix }: NoteFieldProps) {
  const id = `${idPrefix}/note`;
  const own = faultsBelow(faults, "/note");
  if (readOnly && !node.note) return null;
  return (
    <div className="grid min-w-0 gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Note
      </label>
      <textarea
        id={id}
        rows={3}
        readOnly={readOnly}
        maxLength={maxNodeNote}
        value={node.note ?? ""}
        onChange={(event) => onChange(changeNode(node, "note", event.target.value))}
        aria-describedby={`${id}-hint ${id}-fault`}
        aria-invalid={own.length > 0 || undefined}
        className={`${controlLook} block resize-y`}
      />
      <p id={`${id}-hint`} className="text-xs text-muted">
        For people who read the canvas, at most {maxNodeNote} characters. Runs ignore it.
      </p>
      <FaultLines id={`${id}-fault`} label="Note" faults={own} />
    </div>
  );
}
