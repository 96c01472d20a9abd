import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Copy, Download, EllipsisVertical, Trash2, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { deleteWorkflow, workflowFileAddress, workflowsKey } from "../../api/workflows.ts";
import { DuplicateDialog } from "../../pages/workflows/duplicate-dialog.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { download } from "../../parts/download.ts";
import { Menu, MenuItem, MenuLine } from "../../parts/menu.tsx";
import { saveFirst } from "../running/save-first.ts";
import { settleDraft } from "../versions/settle-draft.ts";
import { ErrorWorkflowDialog } from "./error-workflow-dialog.tsx";
import type { Editor } from "./use-editor.ts";

export function WorkflowMenu({ editor }: { editor: Editor }) {
  const { organizationId, workflow, readOnly, saving } = editor;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<"duplicate" | "errors" | "delete">();
  const refresh = () => queryClient.invalidateQueries({ queryKey: [...workflowsKey(organizationId), "list"] });
  const close = () => setAsking(undefined);
  const save = async () => {
    await saving.autosave.flush();
    download(workflowFileAddress(organizationId, workflow.id, true));
  };

  return (
    <div className="shrink-0">
      <Menu label="More about this workflow" trigger={<EllipsisVertical className="size-4" aria-hidden="true" />}>
        {!readOnly && (
          <MenuItem onSelect={() => setAsking("duplicate")}>
            <Copy className="size-4" aria-hidden="true" />
            Duplicate
          </MenuItem>
        )}
        <MenuItem onSelect={() => void save()}>
          <Download className="size-4" aria-hidden="true" />
          Export as a file
        </MenuItem>
        {!readOnly && (
          <>
            <ErrorWorkflowItem onSelect={() => setAsking("errors")} />
            <MenuLine />
            <MenuItem onSelect={() => setAsking("delete")}>
              <Trash2 className="size-4 text-danger" aria-hidden="true" />
              Delete
            </MenuItem>
          </>
        )}
      </Menu>
      {asking === "duplicate" && (
        <DuplicateDialog
          organizationId={organizationId}
          workflow={workflow}
          prepare={() => saveFirst(editor, "The canvas is not saved, so it cannot be copied yet.")}
          onClose={close}
        />
      )}
      {asking === "errors" && <ErrorWorkflowDialog editor={editor} onClose={close} />}
      {asking === "delete" && (
        <ConfirmDialog
          title={`Delete ${workflow.name}?`}
          description="Its versions and triggers go with it. Runs that are over stay in the history."
          confirm="Delete"
          act={async () => {
            // Otherwise the last change would still be sent, to a workflow that is gone.
            await settleDraft(queryClient, editor);
            await deleteWorkflow(organizationId, workflow.id);
            saving.autosave.adopt({ canvas: editor.canvas, version: workflow.version, revision: undefined });
            await navigate({ to: "/o/$organizationId/workflows", params: { organizationId } });
            await refresh();
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

function ErrorWorkflowItem({ onSelect }: { onSelect: () => void }) {
  return (
    <MenuItem onSelect={onSelect}>
      <TriangleAlert className="size-4" aria-hidden="true" />
      Error workflow
    </MenuItem>
  );
}
