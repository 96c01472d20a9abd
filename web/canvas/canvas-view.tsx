import { ReactFlowProvider } from "@xyflow/react";
import { Suspense, use, useMemo, useRef } from "react";
import type { RunNode } from "../../src/runs/wire.ts";
import type { Canvas } from "../../src/workflows/wire.ts";
import type { NodeKind } from "../catalog.ts";
import { CanvasSkeleton } from "./canvas-skeleton.tsx";
import type { Mark } from "./flow/flow-data.ts";
import { FlowSurface } from "./flow/flow-surface.tsx";
import { useGo } from "./flow/use-go.ts";
import { useKeepInView } from "./flow/use-keep-in-view.ts";
import { useReadingKeys } from "./flow/use-reading-keys.ts";
import { type SharedView, useSharedView } from "./flow/use-shared-view.ts";
import { ZoomBar } from "./flow/zoom-bar.tsx";
import { placeUnplaced } from "./place-nodes.ts";

type CanvasViewProps = {
  canvas: Canvas;
  kinds: Map<string, NodeKind>;
  runNodes?: RunNode[];
  selectedId?: string | undefined;
  onSelect: (id: string | undefined) => void;
  label?: string;
  /** Beside another canvas: what is different, what of it is looked at first, and the view that both share. */
  beside?: { marks: ReadonlyMap<string, Mark>; shownFirst: Pick<Canvas, "nodes" | "notes">; view: SharedView };
};

/** A canvas to read: pan, zoom, choose a node. It takes the height of what it stands in. */
export function CanvasView(props: CanvasViewProps) {
  return (
    <ReactFlowProvider>
      <Suspense fallback={<CanvasSkeleton />}>
        <PlacedView {...props} />
      </Suspense>
    </ReactFlowProvider>
  );
}

function PlacedView({ canvas: given, kinds, runNodes, selectedId, onSelect, label, beside }: CanvasViewProps) {
  const place = placeUnplaced(given, kinds);
  const canvas = place instanceof Promise ? use(place) : place;
  const select = useMemo(() => (selectedId === undefined ? [] : [selectedId]), [selectedId]);
  const frame = useRef<HTMLDivElement>(null);
  useKeepInView(select, frame, { canvas, kinds });
  const keys = useReadingKeys({ ...useGo(canvas), onOpen: onSelect });
  const marks = beside?.marks;
  const drawing = { canvas, kinds, runNodes, marks, faultCounts: none, warningCounts: none, editable: false };
  const onView = useSharedView(beside?.view);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <FlowSurface
        drawing={drawing}
        select={select}
        onPress={onSelect}
        keys={() => keys}
        frame={frame}
        shownFirst={beside?.shownFirst}
        {...(label === undefined ? {} : { label })}
        {...(onView ? { onView } : {})}
      />
      <div className="@container flex items-center justify-end border-t border-line bg-surface px-3 py-1">
        <ZoomBar />
      </div>
    </div>
  );
}

const none: ReadonlyMap<string, number> = new Map();
