import { NewTriggerDialog } from "../../pages/triggers/new-trigger-dialog.tsx";
import { panelOfNew, panelOfTrigger, readNewPanel } from "./panel-names.ts";

type AddedTriggerProps = {
  organizationId: string;
  workflowId: string;
  panel: string | undefined;
  show: (change: { panel: string | undefined }) => void;
};

/** Asks for a new trigger of the workflow while the address says so, and opens it beside the canvas once there is one. */
export function AddedTrigger({ organizationId, workflowId, panel, show }: AddedTriggerProps) {
  const asked = readNewPanel(panel);
  if (!asked) return null;
  return (
    <NewTriggerDialog
      organizationId={organizationId}
      kind={asked.kind}
      senderId={asked.senderId}
      workflowId={workflowId}
      onKind={(next) => show({ panel: panelOfNew(next) })}
      onClose={(triggerId) => show({ panel: triggerId === undefined ? undefined : panelOfTrigger(triggerId) })}
    />
  );
}
