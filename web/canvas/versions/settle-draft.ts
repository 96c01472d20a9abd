import type { QueryClient } from "@tanstack/react-query";
import { comparisonQuery, workflowQuery } from "../../api/workflows.ts";
import type { Editor } from "../editor/use-editor.ts";

/** Saves what is not saved yet, and waits for what the bar asks about it then, so that nothing asks for a draft that is gone. */
export async function settleDraft(queryClient: QueryClient, editor: Editor): Promise<void> {
  const { organizationId, workflow, saving } = editor;
  await saving.autosave.flush();
  const current = queryClient.getQueryData(workflowQuery(organizationId, workflow.id).queryKey) ?? workflow;
  if (current.draft) {
    const changes = comparisonQuery(organizationId, current, [current.version, "draft"]);
    // What the bar cannot show is no reason to keep the draft.
    await queryClient.fetchQuery(changes).catch(() => undefined);
  }
}
