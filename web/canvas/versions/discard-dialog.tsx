import { useQueryClient } from "@tanstack/react-query";
import { discardDraft, workflowQuery } from "../../api/workflows.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { saveFirst } from "../running/save-first.ts";
import { settleDraft } from "./settle-draft.ts";

/** Throws the draft away after a question. Undo still brings it back while the page is open. */
export function DiscardDialog({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const { organizationId, workflow, saving, take } = editor;
  const queryClient = useQueryClient();
  const query = workflowQuery(organizationId, workflow.id);
  const discard = async () => {
    await saveFirst(
      editor,
      "Your last changes are not saved yet. Settle that first: the notice above the canvas says how.",
    );
    await settleDraft(queryClient, editor);
    await discardDraft(organizationId, workflow.id, saving.autosave.base().revision);
    const published = await queryClient.fetchQuery({ ...query, staleTime: 0 });
    await take({ canvas: published.canvas, version: published.version, revision: undefined });
  };
  return (
    <ConfirmDialog
      title="Discard the draft?"
      description={`What was changed since version ${workflow.version} is gone. Version ${workflow.version} stays as it is.`}
      confirm="Discard the draft"
      act={discard}
      onClose={onClose}
    />
  );
}
