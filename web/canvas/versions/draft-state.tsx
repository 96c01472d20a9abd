import { Pencil } from "lucide-react";
import { Popover } from "radix-ui";
import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { SaveState } from "../editor/save-state.tsx";
import type { Editor } from "../editor/use-editor.ts";
import type { Remark } from "../save/remarks.ts";
import { counted } from "../words.ts";
import { ChangeList } from "./change-list.tsx";
import { DiscardDialog } from "./discard-dialog.tsx";
import { type Change, countChanges } from "./list-changes.ts";
import { useDraftChanges } from "./use-changes.ts";

type DraftStateProps = { editor: Editor; onRemark: (remark: Remark) => void; onCompare: () => void };

/** What you edit, and below it what everybody gets. */
export function DraftState({ editor, onRemark, onCompare }: DraftStateProps) {
  const { workflow, readOnly, saving } = editor;
  const { changes } = useDraftChanges(editor);
  const { version, draft, isActive } = workflow;
  return (
    <div className="grid min-w-0 justify-items-start">
      {draft ? (
        <Changes editor={editor} changes={changes} onCompare={onCompare} />
      ) : (
        <p className="px-2 text-sm font-medium">Published v{version}</p>
      )}
      <div className="flex min-w-0 flex-wrap items-center gap-x-1.5 px-2 text-xs text-muted">
        <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
          <span
            aria-hidden="true"
            className={`size-2 rounded-full ${version > 0 && isActive ? "bg-success" : "bg-field"}`}
          />
          {liveInWords(editor)}
        </span>
        <span aria-hidden="true">·</span>
        {readOnly ? <span>View only</span> : <SaveState saving={saving} onShow={onRemark} />}
      </div>
    </div>
  );
}

function liveInWords({ workflow: { version, isActive, draft } }: Editor): string {
  if (version === 0) return "Never published";
  if (!isActive) return `v${version} is off`;
  return draft ? `v${version} is live` : "Live";
}

type ChangesProps = { editor: Editor; changes: Change[] | undefined; onCompare: () => void };

function Changes({ editor, changes, onCompare }: ChangesProps) {
  const [isDiscarding, setDiscarding] = useState(false);
  const { readOnly, workflow } = editor;
  const count = changes && countChanges(changes);
  const words = count === undefined ? "Draft" : `Draft · ${count === 0 ? "no changes" : counted(count, "change")}`;
  const isLive = workflow.version > 0;
  return (
    <>
      <Popover.Root>
        <Popover.Trigger className="inline-flex min-h-6 items-center gap-1.5 rounded-md px-2 text-sm font-medium text-warning hover:bg-hover">
          <Pencil className="size-3.5 shrink-0" aria-hidden="true" />
          {words}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            aria-label="What the draft changes"
            align="start"
            sideOffset={6}
            collisionPadding={8}
            className="z-40 grid max-h-96 w-96 max-w-[calc(100vw-1rem)] grid-cols-1 gap-3 overflow-y-auto rounded-lg border border-line bg-raised p-4 shadow-lg"
          >
            <p className="text-xs text-muted">
              {isLive ? `Beside version ${workflow.version}, which is live.` : "Nothing was published yet."}
            </p>
            <ChangeList changes={changes ?? []} />
            <div className="flex flex-wrap gap-2">
              {isLive && (
                <Popover.Close asChild>
                  <Button onClick={onCompare}>Compare side by side</Button>
                </Popover.Close>
              )}
              {isLive && !readOnly && (
                <Popover.Close asChild>
                  <Button look="danger" onClick={() => setDiscarding(true)}>
                    Discard the draft
                  </Button>
                </Popover.Close>
              )}
            </div>
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      {isDiscarding && <DiscardDialog editor={editor} onClose={() => setDiscarding(false)} />}
    </>
  );
}
