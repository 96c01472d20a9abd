import type { SavedWorkflow } from "../../../src/workflows/wire.ts";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { describeRemark } from "./describe-remark.ts";

/** What is left to do in a workflow that came from a file. */
export function ImportedWorkflow({ saved, onOpen }: { saved: SavedWorkflow; onOpen: () => void }) {
  return (
    <div className="grid gap-4">
      <Notice kind="success">“{saved.name}” is created.</Notice>
      {saved.warnings.length > 0 && (
        <Notice kind="warning">
          <p>Before it can run:</p>
          <ul className="mt-1 list-disc pl-5">
            {saved.warnings.map((remark) => (
              <li key={remark.pointer}>{describeRemark(saved.canvas, remark)}</li>
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
