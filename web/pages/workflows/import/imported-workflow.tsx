import type { SavedWorkflow } from "../../../../src/workflows/wire.ts";
import { Button } from "../../../parts/button.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { describeRemark } from "../describe-remark.ts";

type ImportedWorkflowProps = {
  saved: SavedWorkflow;
  /** As the file had it. */
  canvas: unknown;
  onOpen: () => void;
};

/** What is left to do in a workflow that came from a file. */
export function ImportedWorkflow({ saved, canvas, onOpen }: ImportedWorkflowProps) {
  const left = [...(saved.faults ?? []), ...saved.warnings];
  return (
    <div className="grid gap-4">
      <Notice kind="success">“{saved.name}” is created, as a draft. It is off until you publish it.</Notice>
      {left.length > 0 && (
        <Notice kind="warning">
          <p>Before it can run:</p>
          <ul className="mt-1 list-disc pl-5">
            {left.map((remark) => (
              <li key={`${remark.pointer} ${remark.detail}`}>{describeRemark(canvas, remark)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Button look="primary" className="justify-self-start" onClick={onOpen}>
        Open the workflow
      </Button>
    </div>
  );
}
