import { useQueryClient } from "@tanstack/react-query";
import { duplicateWorkflow, workflowsKey } from "../../api/workflows.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { useOpenWorkflow } from "./use-open-workflow.ts";

type DuplicateDialogProps = {
  organizationId: string;
  workflow: { id: string; name: string };
  /** What has to be done before the copy is made. */
  prepare?: () => Promise<void>;
  onClose: () => void;
};

/** Makes a copy of what is edited and opens it. */
export function DuplicateDialog({ organizationId, workflow, prepare, onClose }: DuplicateDialogProps) {
  const queryClient = useQueryClient();
  const open = useOpenWorkflow(organizationId);
  return (
    <ConfirmDialog
      title={`Duplicate ${workflow.name}?`}
      description="The copy has the same canvas and no triggers. It is a draft, and opens at once."
      confirm="Duplicate"
      look="primary"
      act={async () => {
        await prepare?.();
        const copy = await duplicateWorkflow(organizationId, workflow.id);
        await queryClient.invalidateQueries({ queryKey: [...workflowsKey(organizationId), "list"] });
        open(copy.id);
      }}
      onClose={onClose}
    />
  );
}
