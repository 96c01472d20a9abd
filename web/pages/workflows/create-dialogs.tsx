import { Dialog } from "../../parts/dialog.tsx";
import type { MyOrganization } from "../../session.ts";
import { ImportWorkflow } from "./import/import-workflow.tsx";
import { NewWorkflowForm } from "./new-workflow-form.tsx";

type CreateDialogsProps = { organization: MyOrganization; create: string | undefined; onClose: () => void };

/** `create`: `file` for the import, anything else for the form. */
export function CreateDialogs({ organization, create, onClose }: CreateDialogsProps) {
  return (
    <>
      <Dialog
        open={create !== undefined && create !== "file"}
        onOpenChange={onClose}
        title="New workflow"
        description="A blank canvas, as a draft. Add the nodes yourself."
      >
        <NewWorkflowForm organization={organization} />
      </Dialog>
      <Dialog
        wide
        open={create === "file"}
        onOpenChange={onClose}
        title="Import a workflow"
        description="A file that was exported here, from another installation or from n8n. It may name accounts, but holds none."
      >
        <ImportWorkflow organization={organization} />
      </Dialog>
    </>
  );
}
