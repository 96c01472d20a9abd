import type { ReactNode } from "react";
import type { Run } from "../../../src/runs/wire.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { nodeTitle } from "../words.ts";
import { SteppingContext } from "./stepping-context.ts";
import { type SteppingEvents, useStepping } from "./use-stepping.ts";

type SteppingFrameProps = SteppingEvents & {
  editor: Editor;
  /** The run that is shown. */
  run: Run | undefined;
  children: ReactNode;
};

/** Lets what is inside run steps, and asks before one would change something outside once more. */
export function SteppingFrame({ editor, run: shown, children, ...events }: SteppingFrameProps) {
  const { stepping, question, run, dismiss } = useStepping(editor, shown, events);
  const titles = question?.nodeIds.map((id) => titleOf(editor, id)) ?? [];
  return (
    <SteppingContext value={editor.readOnly ? undefined : stepping}>
      {children}
      {question && (
        <ConfirmDialog
          title={titles.length === 1 ? `Run ${titles[0]} again?` : "Run these nodes again?"}
          description={`${titles.join(", ")} changed something outside in this draft already, and would do so once more. To go on with what came out then, pin the output instead.`}
          confirm="Run again"
          act={() => run({ ...question.asked, allowRepeat: true })}
          onClose={dismiss}
        />
      )}
    </SteppingContext>
  );
}

function titleOf({ canvas, kinds }: Editor, id: string): string {
  const node = canvas.nodes.find((one) => one.id === id);
  return node ? nodeTitle(node, kinds.get(node.nodeId)) : id;
}
