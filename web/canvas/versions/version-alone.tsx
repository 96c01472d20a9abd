import { useState } from "react";
import type { Canvas } from "../../../src/workflows/wire.ts";
import type { Side } from "../../api/workflows.ts";
import { NodePanel } from "../../node-form/node-panel.tsx";
import { CanvasView } from "../canvas-view.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { SteppingContext } from "../stepping/stepping-context.ts";
import { sideInWords } from "./sides.ts";

/** A canvas as it was, with the forms of its nodes, only to look at. */
export function VersionAlone({ editor, canvas, side }: { editor: Editor; canvas: Canvas; side: Side }) {
  const { organizationId, workflow, kinds, unreadTexts } = editor;
  const [chosenId, choose] = useState<string>();
  const node = canvas.nodes.find(({ id }) => id === chosenId);
  // What is run and pinned is the draft, which is not on this canvas.
  return (
    <SteppingContext value={undefined}>
      <div className="relative flex min-h-96 flex-1">
        <div className="min-w-0 flex-1">
          <CanvasView
            label={`Canvas of ${sideInWords(side)}`}
            canvas={canvas}
            kinds={kinds}
            selectedId={chosenId}
            onSelect={choose}
          />
        </div>
        {node && (
          <div className="absolute inset-0 z-10 overflow-hidden border-line bg-surface md:static md:w-105 md:border-l">
            <NodePanel
              key={node.id}
              readOnly
              organizationId={organizationId}
              workflowId={workflow.id}
              canvas={canvas}
              node={node}
              kind={kinds.get(node.nodeId)}
              run={undefined}
              faults={[]}
              warnings={[]}
              unreadTexts={unreadTexts}
              timesLed={0}
              onChange={() => undefined}
              onClose={() => choose(undefined)}
            />
          </div>
        )}
      </div>
    </SteppingContext>
  );
}
