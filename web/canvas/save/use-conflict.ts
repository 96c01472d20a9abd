import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createWorkflow, discardDraft, workflowQuery, workflowsKey } from "../../api/workflows.ts";
import { useMe } from "../../session.ts";
import type { Editor } from "../editor/use-editor.ts";
import type { Theirs } from "./create-autosave.ts";

/** Both ways out of a conflict. Whatever is not gone on with becomes a workflow of its own, a draft: nothing is lost. */
export function useConflict({ organizationId, workflow, canvas, saving, take }: Editor) {
  const { user } = useMe();
  const queryClient = useQueryClient();
  const copy = async (whose: string, copied: Theirs["canvas"]): Promise<{ id: string; name: string }> => {
    const name = `${workflow.name.slice(0, 150)} (${whose.slice(0, 40)})`;
    const { id } = await createWorkflow(organizationId, { name, description: workflow.description, canvas: copied });
    await queryClient.invalidateQueries({ queryKey: [...workflowsKey(organizationId), "list"] });
    return { id, name };
  };

  const takeTheirs = useMutation({
    mutationFn: async (theirs: Theirs) => {
      const copied = await copy(`changes of ${user.name}`, canvas);
      // The draft on the server is what was saved from here before: with the copy it has done its work.
      if (!theirs.isDraft && theirs.workflow.draft)
        await discardDraft(organizationId, workflow.id, theirs.workflow.draft.revision);
      await queryClient.invalidateQueries(workflowQuery(organizationId, workflow.id));
      await take({ ...theirs, revision: theirs.isDraft ? theirs.revision : undefined });
      return copied;
    },
  });
  const keepMine = useMutation({
    mutationFn: async ({ isDraft, workflow: { draft }, canvas: other }: Theirs) => {
      // What was published stays under Versions.
      const copied = isDraft ? await copy(`changes of ${draft?.savedByName ?? "the command line"}`, other) : undefined;
      await saving.autosave.keepMine();
      return copied;
    },
  });
  const isPending = takeTheirs.isPending || keepMine.isPending;
  // Of the way that was chosen last.
  const last = keepMine.submittedAt > takeTheirs.submittedAt ? keepMine : takeTheirs;
  return { takeTheirs, keepMine, isPending, copied: last.data };
}
