import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { useMe } from "../../session.ts";
import type { Theirs } from "../save/create-autosave.ts";
import { useConflict } from "../save/use-conflict.ts";
import type { Editor } from "./use-editor.ts";

/** What happened to the canvas without the reader's doing, and the ways out. */
export function EditorNotices({ editor, onVersions }: { editor: Editor; onVersions: () => void }) {
  const { saving, edit, opened, wasRestored, workflow } = editor;
  const [isSeen, setSeen] = useState(false);
  const { state } = saving;
  const discardRestored = () => {
    setSeen(true);
    edit({ type: "replace", canvas: opened.canvas });
  };
  return (
    <>
      <Conflict key={workflow.id} editor={editor} onVersions={onVersions} />
      {wasRestored && !isSeen && state.kind !== "conflict" && (
        <div className="p-2">
          <Notice
            kind="hint"
            action={
              <span className="flex flex-wrap gap-2">
                <Button onClick={discardRestored}>Discard them</Button>
                <Button onClick={() => setSeen(true)}>Keep them</Button>
              </span>
            }
          >
            Your changes from last time, which could not be saved then, are back.
          </Notice>
        </div>
      )}
    </>
  );
}

function Conflict({ editor, onVersions }: { editor: Editor; onVersions: () => void }) {
  const { state } = editor.saving;
  const { takeTheirs, keepMine, isPending, copied } = useConflict(editor);
  const [isSeen, setSeen] = useState(false);
  const error = takeTheirs.error ?? keepMine.error;
  if (state.kind !== "conflict") {
    if (!copied || isSeen) return null;
    return (
      <div className="p-2">
        <Notice kind="success" action={<Button onClick={() => setSeen(true)}>All right</Button>}>
          The other canvas is kept as the workflow <CopyLink editor={editor} copied={copied} />, a draft, which nothing
          starts until you publish it.
        </Notice>
      </div>
    );
  }
  const { theirs } = state;
  const press = (way: (theirs: Theirs) => void) => {
    setSeen(false);
    way(theirs);
  };
  return (
    <div className="grid gap-2 p-2">
      <Notice
        kind="warning"
        action={
          <span className="flex flex-wrap gap-2">
            <Button onClick={onVersions}>See what they changed</Button>
            <Button busy={isPending} onClick={() => press(takeTheirs.mutate)}>
              Take theirs
            </Button>
            <Button busy={isPending} onClick={() => press(keepMine.mutate)}>
              Keep mine
            </Button>
          </span>
        }
      >
        <Who theirs={theirs} /> Your changes are not saved yet, and nothing is lost: what you do not go on with becomes
        a workflow of its own{theirs.isDraft ? "" : ", or stays under Versions"}.
      </Notice>
      {error && <ProblemNotice error={error} />}
    </div>
  );
}

function Who({ theirs: { isDraft, workflow, version } }: { theirs: Theirs }) {
  const { user } = useMe();
  const { draft } = workflow;
  if (!isDraft || !draft) return <>Version {version} was published meanwhile.</>;
  const who = draft.savedBy === user.id ? "You" : (draft.savedByName ?? "The command line");
  return (
    <>
      {who} saved this draft at <Moment at={draft.savedAt} show="time" />
      {who === "You" && " in another window"}.
    </>
  );
}

function CopyLink({ editor, copied }: { editor: Editor; copied: { id: string; name: string } }) {
  return (
    <Link
      to="/o/$organizationId/workflows/$workflowId"
      params={{ organizationId: editor.organizationId, workflowId: copied.id }}
      className="underline underline-offset-4"
    >
      {copied.name}
    </Link>
  );
}
