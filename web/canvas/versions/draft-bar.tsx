import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Comparison } from "../../../src/workflows/wire.ts";
import { discardDraft, draftChangesQuery, publishDraft, workflowQuery, workflowsKey } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { counted } from "../words.ts";
import { describeComparison } from "./describe-comparison.ts";

/** What is edited and what runs: a draft beside the published version, or that version alone. */
export function DraftBar({ editor }: { editor: Editor }) {
  const { workflow, readOnly } = editor;
  if (!workflow.draft) return <p className="text-sm text-muted">Published v{workflow.version}</p>;
  return <Draft editor={editor} readOnly={readOnly} />;
}

/** Both begin the editor again with what the server has then. */
function useDraft({ organizationId, workflow, saving, reopen }: Editor) {
  const queryClient = useQueryClient();
  const query = workflowQuery(organizationId, workflow.id);
  const publish = useMutation({
    mutationFn: async (expectedVersion?: number) => {
      if (!(await saving.autosave.flush())) return undefined;
      return await publishDraft(organizationId, queryClient.getQueryData(query.queryKey) ?? workflow, expectedVersion);
    },
    onSuccess: async (published) => {
      if (!published) return;
      queryClient.setQueryData(query.queryKey, published);
      await queryClient.invalidateQueries({ queryKey: [...workflowsKey(organizationId), "versions", workflow.id] });
      reopen();
    },
  });
  const discard = async () => {
    await discardDraft(organizationId, workflow);
    await queryClient.fetchQuery({ ...query, staleTime: 0 });
    reopen();
  };
  return { publish, discard };
}

type Question = "changes" | "discard" | "publish";

function Draft({ editor, readOnly }: { editor: Editor; readOnly: boolean }) {
  const { organizationId, workflow } = editor;
  const { data: comparison } = useQuery(draftChangesQuery(organizationId, workflow));
  const { publish, discard } = useDraft(editor);
  const [shown, setShown] = useState<Question>();
  const changes = comparison && counted(countChanges(comparison), "change");
  const isLive = workflow.version > 0;
  const isOutrun = workflow.draft?.basedOn !== workflow.version;
  return (
    <div className="flex flex-wrap items-center gap-1.5 text-sm">
      <p className="grid">
        <span className="font-medium">{changes ? `Draft · ${changes}` : "Draft"}</span>
        <span className="text-xs text-muted">{isLive ? `v${workflow.version} is live` : "Never published"}</span>
      </p>
      <Button look="bare" onClick={() => setShown("changes")}>
        Compare
      </Button>
      {!readOnly && isLive && (
        <Button look="bare" onClick={() => setShown("discard")}>
          Discard
        </Button>
      )}
      {!readOnly && (
        <Button busy={publish.isPending} onClick={() => (isOutrun ? setShown("publish") : publish.mutate(undefined))}>
          Publish
        </Button>
      )}
      {publish.isError && <ProblemNotice error={publish.error} />}
      <Questions
        editor={editor}
        shown={shown}
        comparison={comparison}
        publish={() => publish.mutateAsync(workflow.version)}
        discard={discard}
        onClose={() => setShown(undefined)}
      />
    </div>
  );
}

type QuestionsProps = {
  editor: Editor;
  shown: Question | undefined;
  comparison: Comparison | undefined;
  publish: () => Promise<unknown>;
  discard: () => Promise<unknown>;
  onClose: () => void;
};

function Questions({ editor, shown, comparison, publish, discard, onClose }: QuestionsProps) {
  const { version } = editor.workflow;
  if (shown === "publish")
    return (
      <ConfirmDialog
        title={`Publish over version ${version}?`}
        description={`Version ${version} was published after this draft was begun. Publishing undoes what it changed, unless the draft has it too: compare them first.`}
        confirm="Publish the draft"
        act={publish}
        onClose={onClose}
      />
    );
  if (shown === "discard")
    return (
      <ConfirmDialog
        title="Discard the draft?"
        description={`What was changed since version ${version} is gone. Version ${version} stays as it is.`}
        confirm="Discard the draft"
        act={discard}
        onClose={onClose}
      />
    );
  if (shown === undefined) return null;
  const words = version > 0 ? `Beside version ${version}, which is live.` : "Nothing was published yet.";
  return (
    <Dialog open onOpenChange={onClose} title="What the draft changes" description={words}>
      <ul className="grid list-disc gap-1 pl-5 text-sm">
        {(comparison ? describeComparison(comparison, editor) : []).map((line) => (
          <li key={line} className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Nodes that only moved count for nothing. */
const countChanges = ({ nodes, edges }: Comparison): number =>
  nodes.added.length +
  nodes.removed.length +
  nodes.changed.filter(({ fields }) => fields.some(({ pointer }) => !pointer.startsWith("/position"))).length +
  edges.added.length +
  edges.removed.length;
