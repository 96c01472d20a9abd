import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import type { Editor } from "./use-editor.ts";

/** What happened to the canvas without the reader's doing, and the ways out. */
export function EditorNotices({ editor }: { editor: Editor }) {
  const { saving, take, workflow, wasRestored } = editor;
  const [isSeen, setSeen] = useState(false);
  const { state, autosave } = saving;
  return (
    <>
      {state.kind === "conflict" && (
        <div className="p-2">
          <Notice
            kind="warning"
            action={
              <span className="flex flex-wrap gap-2">
                <Button onClick={() => void take(state.theirs)}>Load theirs</Button>
                <Button onClick={() => void autosave.keepMine()}>Keep mine (save over)</Button>
              </span>
            }
          >
            {state.theirs.draft
              ? `Somebody else saved this draft, or published version ${state.theirs.version} meanwhile. Your changes are kept in this browser. What you save over is gone.`
              : `Somebody else saved this workflow: it is at version ${state.theirs.version} now. Your changes are kept in this browser. What you save over stays under Versions.`}
          </Notice>
        </div>
      )}
      {wasRestored && !isSeen && state.kind !== "conflict" && (
        <div className="p-2">
          <Notice
            kind="hint"
            action={
              <span className="flex flex-wrap gap-2">
                <Button
                  onClick={() => {
                    setSeen(true);
                    void take(workflow);
                  }}
                >
                  Discard them
                </Button>
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
