import { NewTriggerDialog } from "../../pages/triggers/new-trigger-dialog.tsx";
import { panelOfNew, readNewPanel } from "./panel-names.ts";

type AddedTriggerProps = {
  organizationId: string;
  workflowId: string;
  panel: string | undefined;
  show: (change: { panel: string | undefined }) => void;
};

/** Asks for a new trigger of the workflow while the address says so. */
export function AddedTrigger({ organizationId, workflowId, panel, show }: AddedTriggerProps) {
  const kind = readNewPanel(panel);
  if (!kind) return null;
  return (
    <NewTriggerDialog
      organizationId={organizationId}
      kind={kind}
      workflowId={workflowId}
      onKind={(next) => show({ panel: panelOfNew(next) })}
      onClose={() => show({ panel: undefined })}
    />
  );
}
