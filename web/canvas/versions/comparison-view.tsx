import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Comparison } from "../../../src/workflows/comparison-wire.ts";
import type { Canvas, VersionEntry } from "../../../src/workflows/wire.ts";
import { type Side, sideCanvasQuery } from "../../api/workflows.ts";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { CanvasSkeleton } from "../canvas-skeleton.tsx";
import { CanvasView } from "../canvas-view.tsx";
import { noteBoxId } from "../edit/note-edits.ts";
import { readCanvas } from "../edit/read-clip.ts";
import type { Editor } from "../editor/use-editor.ts";
import { useNarrow } from "../editor/use-narrow.ts";
import { createSharedView } from "../flow/use-shared-view.ts";
import { ChangeTable } from "./change-table.tsx";
import { ComparisonBar } from "./comparison-bar.tsx";
import { markNodes } from "./list-changes.ts";
import { type Sides, sideInWords } from "./sides.ts";
import { useComparison } from "./use-changes.ts";
import { VersionAlone } from "./version-alone.tsx";

type ComparisonViewProps = {
  editor: Editor;
  entries: readonly VersionEntry[];
  sides: Sides;
  onSides: (sides: Sides) => void;
  onLeave: () => void;
};

/** Two canvases that are moved together, and below them every value that is different. The same one twice is shown alone. */
export function ComparisonView({ editor, entries, sides, onSides, onLeave }: ComparisonViewProps) {
  const { organizationId, workflow } = editor;
  const [from, to] = sides;
  // A draft may hold notes that cannot be drawn.
  const before = useQuery({ ...sideCanvasQuery(organizationId, workflow, from), select: readCanvas });
  const after = useQuery({ ...sideCanvasQuery(organizationId, workflow, to), select: readCanvas });
  const nodes = useMemo(() => [...(before.data?.nodes ?? []), ...(after.data?.nodes ?? [])], [before.data, after.data]);
  const { comparison, changes } = useComparison(editor, sides, nodes);
  const [chosenId, choose] = useState<string>();
  const isNarrow = useNarrow();
  const error = before.error ?? after.error ?? comparison.error;
  return (
    <section aria-label="Comparison" className="flex min-w-0 flex-1 flex-col md:min-h-0">
      <ComparisonBar
        editor={editor}
        entries={entries}
        sides={sides}
        changes={changes}
        onSides={onSides}
        onLeave={onLeave}
      />
      {error && (
        <div className="p-4">
          <ProblemNotice error={error} />
        </div>
      )}
      {from === to && after.data && <VersionAlone editor={editor} canvas={after.data} side={to} />}
      {from !== to && !isNarrow && !error && (
        <Canvases
          editor={editor}
          sides={sides}
          before={before.data}
          after={after.data}
          comparison={comparison.data}
          chosenId={chosenId}
          onChoose={choose}
        />
      )}
      {from !== to && changes && (
        <ChangeTable changes={changes} sides={sides} chosenId={chosenId} onChoose={isNarrow ? undefined : choose} />
      )}
    </section>
  );
}

type CanvasesProps = {
  editor: Editor;
  sides: Sides;
  before: Canvas | undefined;
  after: Canvas | undefined;
  comparison: Comparison | undefined;
  chosenId: string | undefined;
  onChoose: (nodeId: string | undefined) => void;
};

function Canvases({ editor, sides, before, after, comparison, chosenId, onChoose }: CanvasesProps) {
  const [view] = useState(createSharedView);
  const beside = useMemo(() => {
    if (!before || !after || !comparison) return undefined;
    const marks = markNodes(comparison);
    return { marks, view, shownFirst: nearMarked([before, after], marks) };
  }, [before, after, comparison, view]);
  const side = (which: Side, canvas: Canvas | undefined) => (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <p className="border-b border-line bg-surface px-4 py-1.5 text-xs text-muted">{sideInWords(which)}</p>
      {canvas && beside ? (
        <CanvasView
          label={`Canvas of ${sideInWords(which)}`}
          canvas={canvas}
          kinds={editor.kinds}
          selectedId={chosenId}
          onSelect={onChoose}
          beside={beside}
        />
      ) : (
        <CanvasSkeleton />
      )}
    </div>
  );
  return (
    <div className="flex min-h-72 flex-1 basis-1/2 divide-x divide-line border-b border-line">
      {side(sides[0], before)}
      {side(sides[1], after)}
    </div>
  );
}

/** What is different with its neighbours, of both canvases; everything where nothing is. */
function nearMarked(canvases: readonly Canvas[], marks: ReadonlyMap<string, unknown>): Pick<Canvas, "nodes" | "notes"> {
  const nodes = canvases.flatMap((canvas) => canvas.nodes);
  const notes = canvases.flatMap((canvas) => canvas.notes ?? []);
  const edges = canvases.flatMap((canvas) => canvas.edges);
  const near = new Set([
    ...marks.keys(),
    ...edges.flatMap(({ source, target }) => (marks.has(source) || marks.has(target) ? [source, target] : [])),
  ]);
  if (near.size === 0) return { nodes, notes };
  return { nodes: nodes.filter(({ id }) => near.has(id)), notes: notes.filter(({ id }) => near.has(noteBoxId(id))) };
}
