import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import { useState } from "react";
import type { VersionEntry } from "../../../src/workflows/wire.ts";
import { restoreVersion, type Side, sideCanvasQuery, versionsQuery, workflowQuery } from "../../api/workflows.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { controlLook } from "../../parts/field.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { placeUnplaced } from "../place-nodes.ts";
import { counted } from "../words.ts";
import { DiscardDialog } from "./discard-dialog.tsx";
import { type Change, countChanges } from "./list-changes.ts";
import { readSide, type Sides, sideBefore, sideInWords, writeSide } from "./sides.ts";

type ComparisonBarProps = {
  editor: Editor;
  entries: readonly VersionEntry[];
  sides: Sides;
  changes: readonly Change[] | undefined;
  onSides: (sides: Sides) => void;
  /** To the canvas that is edited. */
  onLeave: () => void;
};

/** What is compared, and what can be done with it. */
export function ComparisonBar({ editor, entries, sides, changes, onSides, onLeave }: ComparisonBarProps) {
  const { workflow, readOnly } = editor;
  const [from, to] = sides;
  const offered: Side[] = [...(workflow.draft ? ["draft" as const] : []), ...entries.map(({ version }) => version)];
  const isAlone = from === to;
  // What is looked at here; of a draft the version beside it.
  const meant = to === "draft" ? from : to;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2">
      {isAlone ? (
        <p className="text-sm font-medium">{sideInWords(to)}, only to look at</p>
      ) : (
        <>
          <SideSelect label="Compare" side={from} offered={offered} onSide={(side) => onSides([side, to])} />
          <ArrowRight className="size-4 shrink-0 text-muted" aria-hidden="true" />
          <SideSelect label="with" side={to} offered={offered} onSide={(side) => onSides([from, side])} />
          <p role="status" className="text-xs text-muted">
            {changes && (changes.length === 0 ? "No changes" : counted(countChanges(changes), "change"))}
          </p>
        </>
      )}
      <div className="ml-auto flex flex-wrap items-center gap-2">
        {isAlone ? (
          <Button onClick={() => onSides([sideBefore(to, workflow), to])}>Compare</Button>
        ) : (
          typeof meant === "number" &&
          meant > 0 && <Button onClick={() => onSides([meant, meant])}>Open version {meant}</Button>
        )}
        {!readOnly && <Deeds editor={editor} to={to} meant={meant} onLeave={onLeave} />}
      </div>
    </div>
  );
}

type SideSelectProps = { label: string; side: Side; offered: readonly Side[]; onSide: (side: Side) => void };

function SideSelect({ label, side, offered, onSide }: SideSelectProps) {
  const sides = offered.includes(side) ? offered : [...offered, side];
  return (
    <select
      aria-label={label}
      value={writeSide(side)}
      onChange={(event) => onSide(readSide(event.target.value) ?? side)}
      className={`${controlLook} min-h-9! w-auto! py-1!`}
    >
      {sides.map((each) => (
        <option key={each} value={writeSide(each)}>
          {sideInWords(each)}
        </option>
      ))}
    </select>
  );
}

type DeedsProps = { editor: Editor; to: Side; meant: Side; onLeave: () => void };

function Deeds({ editor, to, meant, onLeave }: DeedsProps) {
  const { workflow } = editor;
  const [asking, setAsking] = useState<"discard" | "rollback">();
  const makeDraft = useMakeDraft(editor, onLeave);
  const isOld = typeof meant === "number" && meant > 0 && meant !== workflow.version;
  const mayMake = typeof meant === "number" && meant > 0 && (isOld || workflow.draft !== null);
  return (
    <>
      {to === "draft" && workflow.version > 0 && (
        <Button look="danger" onClick={() => setAsking("discard")}>
          Discard the draft
        </Button>
      )}
      {isOld && (
        <Button look="danger" onClick={() => setAsking("rollback")}>
          Roll back to version {meant}
        </Button>
      )}
      {mayMake && (
        <Button busy={makeDraft.isPending} onClick={() => makeDraft.mutate(meant)}>
          Make version {meant} the draft
        </Button>
      )}
      {makeDraft.isError && <ProblemNotice error={makeDraft.error} />}
      {asking === "discard" && <DiscardDialog editor={editor} onClose={() => setAsking(undefined)} />}
      {asking === "rollback" && typeof meant === "number" && (
        <RollbackDialog editor={editor} version={meant} onClose={() => setAsking(undefined)} />
      )}
    </>
  );
}

/** Puts an old canvas on the canvas that is edited, from where undo leads back. */
function useMakeDraft({ organizationId, workflow, kinds, edit }: Editor, onMade: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (version: number) => {
      const canvas = await queryClient.fetchQuery(sideCanvasQuery(organizationId, workflow, version));
      return await placeUnplaced(canvas, kinds);
    },
    onSuccess: (canvas) => {
      edit({ type: "replace", canvas });
      onMade();
    },
  });
}

type RollbackDialogProps = { editor: Editor; version: number; onClose: () => void };

function RollbackDialog({ editor, version, onClose }: RollbackDialogProps) {
  const { organizationId, workflow, take } = editor;
  const queryClient = useQueryClient();
  const rollBack = async () => {
    const restored = await restoreVersion(organizationId, workflow.id, version);
    queryClient.setQueryData(workflowQuery(organizationId, workflow.id).queryKey, restored);
    await queryClient.invalidateQueries({ queryKey: versionsQuery(organizationId, workflow.id).queryKey });
    // A draft stays what is edited, and its next save tells what was published since.
    if (!restored.draft) await take({ canvas: restored.canvas, version: restored.version, revision: undefined });
  };
  const stays = workflow.draft ? " The draft stays as it is." : "";
  return (
    <ConfirmDialog
      title={`Roll back to version ${version}?`}
      description={`Its canvas is published again, as version ${workflow.version + 1}, and is live at once. Version ${workflow.version} stays in the list.${stays}`}
      confirm={`Roll back to version ${version}`}
      act={rollBack}
      onClose={onClose}
    />
  );
}
