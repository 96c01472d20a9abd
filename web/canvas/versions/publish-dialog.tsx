import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useState } from "react";
import { triggersQuery } from "../../api/triggers.ts";
import { publishDraft, workflowQuery, workflowsKey } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import type { Editor } from "../editor/use-editor.ts";
import type { Remark } from "../save/remarks.ts";
import { counted } from "../words.ts";
import { ChangeList } from "./change-list.tsx";
import { countChanges } from "./list-changes.ts";
import { PublishChecks } from "./publish-checks.tsx";
import { useDraftChanges } from "./use-changes.ts";

type PublishDialogProps = {
  editor: Editor;
  onRemark: (remark: Remark) => void;
  onCompare: () => void;
  onClose: () => void;
};

/** What goes live with the draft, what hinders it, and what it is about. */
export function PublishDialog({ editor, onRemark, onCompare, onClose }: PublishDialogProps) {
  const { workflow, saving } = editor;
  const { version, draft, isActive } = workflow;
  const [note, setNote] = useState("");
  const [turnsOn, setTurnsOn] = useState(version === 0);
  const isChecked = useChecked(editor);
  const publish = usePublish(editor, onClose);
  const isOutrun = draft !== null && draft.basedOn !== version;
  const mayPublish = isChecked.data === true && saving.remarks.faults.length === 0;
  const act = () =>
    mayPublish && !publish.isPending && publish.mutate({ note: note.trim(), turnsOn: turnsOn && !isActive });
  const onKeyDown = (event: KeyboardEvent) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && act();
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={`Publish version ${version + 1}`}
      description={<Effects editor={editor} />}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a key for the button below, from wherever the focus is. */}
      <div className="grid grid-cols-1 gap-5" onKeyDown={onKeyDown}>
        {isOutrun && (
          <Notice kind="warning">
            Version {version} was published after this draft was begun. Publishing undoes what it changed, unless the
            draft has it too: compare them first.
          </Notice>
        )}
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-[minmax(0,1fr)_14rem]">
          <div className="grid grid-cols-1 content-start gap-5">
            <Changes editor={editor} onCompare={onCompare} />
            <NoteField note={note} onNote={setNote} />
          </div>
          <PublishChecks editor={editor} check={isChecked} onRemark={onRemark} />
        </div>
        {!isActive && <TurnOn isFirst={version === 0} isOn={turnsOn} onChange={setTurnsOn} />}
        {isChecked.data === false && (
          <Notice kind="problem">The last changes are not saved. Close this and look above the canvas.</Notice>
        )}
        {publish.isError && <ProblemNotice error={publish.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Keep editing</Button>
          <Button
            look={isOutrun ? "danger" : "primary"}
            busy={publish.isPending}
            disabled={!mayPublish}
            className="disabled:opacity-50"
            onClick={act}
          >
            {isOutrun ? `Publish over version ${version}` : "Publish"}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Saves and checks what is on the canvas; tells whether everything is saved. */
function useChecked({ organizationId, workflow, saving, canvas }: Editor) {
  return useQuery({
    queryKey: [...workflowsKey(organizationId), "checked", workflow.id],
    queryFn: async () => {
      const isSaved = await saving.autosave.flush();
      await saving.check(canvas);
      return isSaved;
    },
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

function usePublish({ organizationId, workflow, saving, canvas }: Editor, onPublished: () => void) {
  const queryClient = useQueryClient();
  const { queryKey } = workflowQuery(organizationId, workflow.id);
  return useMutation({
    mutationFn: async ({ note, turnsOn }: { note: string; turnsOn: boolean }) => {
      const { version } = queryClient.getQueryData(queryKey) ?? workflow;
      return await publishDraft(organizationId, workflow.id, {
        note,
        expectedVersion: version,
        // What was looked at and checked, and no draft that somebody else saved since.
        expectedDraft: saving.autosave.base().revision,
        isActive: turnsOn || (version === 0 ? false : undefined),
      });
    },
    onSuccess: async (published) => {
      queryClient.setQueryData(queryKey, published);
      saving.autosave.adopt({ canvas, version: published.version, revision: undefined });
      await queryClient.invalidateQueries({ queryKey: [...workflowsKey(organizationId), "versions", workflow.id] });
      onPublished();
    },
  });
}

/** Whom the new version reaches. */
function Effects({ editor: { organizationId, workflow } }: { editor: Editor }) {
  const { version, tool, isActive } = workflow;
  const triggers = useInfiniteQuery(triggersQuery(organizationId, workflow.id)).data?.pages[0]?.data ?? [];
  const active = triggers.filter((trigger) => trigger.active).length;
  const reached = [
    active > 0 ? counted(active, "trigger") : undefined,
    tool ? `the tool ${tool.name}` : undefined,
    "every call with a key",
  ].filter(Boolean);
  const whom = reached.length === 1 ? reached[0] : `${reached.slice(0, -1).join(", ")} and ${reached.at(-1)}`;
  if (version === 0) return <>From then on it can be started: by {whom}.</>;
  return (
    <>
      It replaces version {version} for {whom}. Runs that have started stay on version {version}.
      {!isActive && " The workflow is off: nothing starts it until it is turned on."}
    </>
  );
}

function Changes({ editor, onCompare }: { editor: Editor; onCompare: () => void }) {
  const { changes, isFromBefore, error, tryAgain } = useDraftChanges(editor);
  if (error) return <ProblemNotice error={error} action={<Button onClick={tryAgain}>Try again</Button>} />;
  if (!changes || isFromBefore)
    return (
      <Loading what="the changes">
        <Skeleton className="h-16" />
      </Loading>
    );
  return (
    <section aria-label="Changes" className="grid grid-cols-1 gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h3 className="text-sm font-semibold">{counted(countChanges(changes), "change")}</h3>
        {editor.workflow.version > 0 && (
          <button type="button" onClick={onCompare} className="text-sm text-accent underline-offset-4 hover:underline">
            Compare side by side
          </button>
        )}
      </div>
      <ChangeList changes={changes} />
    </section>
  );
}

function NoteField({ note, onNote }: { note: string; onNote: (note: string) => void }) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        What changed, for the others
      </label>
      <input
        id={id}
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to publish; this is the first thing to fill in.
        autoFocus
        value={note}
        maxLength={500}
        placeholder="Optional"
        onChange={(event) => onNote(event.target.value)}
        className={controlLook}
      />
    </div>
  );
}

function TurnOn({ isFirst, isOn, onChange }: { isFirst: boolean; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label className="flex items-start gap-2.5 text-sm">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 accent-accent"
      />
      {isFirst ? "Turn the workflow on" : "Turn the workflow on again"}
    </label>
  );
}
