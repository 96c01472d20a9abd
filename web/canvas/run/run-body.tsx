import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";
import type { Run, RunNode } from "../../../src/runs/wire.ts";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { workflowVersionQuery } from "../../api/workflows.ts";
import { type NodeKind, nodeKindsQuery } from "../../catalog.ts";
import { Notice } from "../../parts/notice.tsx";
import { CanvasSkeleton } from "../canvas-skeleton.tsx";
import { CanvasView } from "../canvas-view.tsx";
import { nodeTitle } from "../words.ts";
import { NodePanel } from "./node-panel.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunHeader } from "./run-header.tsx";
import { RunPanel } from "./run-panel.tsx";
import { Timeline } from "./timeline.tsx";
import { ViewSwitch } from "./view-switch.tsx";

/** A run as its canvas or as its course in time, with what the chosen node did beside it. */
export function RunBody({ organizationId, run }: { organizationId: string; run: Run }) {
  const search = useSearch({ from: "/signed-in/o/$organizationId/runs/$runId" });
  const navigate = useNavigate({ from: "/o/$organizationId/runs/$runId" });
  const kindsQuery = useQuery(nodeKindsQuery);
  const kinds = kindsQuery.data ?? noKinds;
  const { canvas, isGone } = useDrawing(organizationId, run);
  const failedId = run.error?.nodeId;
  // What failed is looked at first.
  const chosen = run.nodes.find(({ id }) => id === (search.node ?? failedId));
  const { panel, showPanel } = useShownPanel(search.node);
  const go = (changes: { node?: string; view?: string }) =>
    void navigate({
      to: ".",
      search: (before) => withoutEmpty({ ...before, ...changes }),
      replace: true,
      resetScroll: false,
    });
  const select = (id: string | undefined) => go({ node: id ?? nothing });
  const goToNode = (id: string) => {
    select(id);
    showPanel();
  };

  function titleOf(id: string): string {
    const nodeId = run.nodes.find((node) => node.id === id)?.nodeId ?? id;
    const drawn = canvas?.nodes.find((node) => node.id === id);
    return nodeTitle(drawn ?? { id, nodeId }, kinds.get(nodeId));
  }

  const hasNoCanvas = isGone || kindsQuery.isError;
  const isTimeline = hasNoCanvas || (search.view ?? firstView()) === "timeline";
  return (
    <>
      <RunHeader
        organizationId={organizationId}
        run={run}
        nameOf={titleOf}
        isTold={chosen !== undefined && chosen.id === failedId}
        onGoToNode={goToNode}
      />
      {hasNoCanvas && <Notice kind="hint">{run.workflowDeleted && isGone ? deletedWords : unreadableWords}</Notice>}
      <div className="flex flex-wrap items-start justify-between gap-3">
        {!hasNoCanvas && <ViewSwitch view={isTimeline ? "timeline" : "canvas"} onChange={(view) => go({ view })} />}
        <RunActions organizationId={organizationId} run={run} titleOf={titleOf} />
      </div>
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_minmax(24rem,40%)]">
        <div className="min-w-0">
          {isTimeline ? (
            <Timeline run={run} kinds={kinds} titleOf={titleOf} selectedId={chosen?.id} onSelect={select} />
          ) : (
            <Drawing canvas={canvas} kinds={kinds} run={run} selectedId={chosen?.id} onSelect={select} />
          )}
        </div>
        <div
          ref={panel}
          className="min-w-0 rounded-xl border border-line bg-surface p-5 xl:max-h-[calc(100dvh-16rem)] xl:min-h-96 xl:overflow-y-auto"
        >
          <Beside
            organizationId={organizationId}
            run={run}
            chosen={chosen}
            canvas={canvas}
            kinds={kinds}
            titleOf={titleOf}
            onClose={() => select(undefined)}
          />
        </div>
      </div>
    </>
  );
}

/** What the run followed: a canvas of its own, or a version of its workflow. */
function useDrawing(organizationId: string, { workflowId, workflowVersion, workflowDeleted, canvas }: Run) {
  const version = useQuery({
    ...workflowVersionQuery(organizationId, workflowId, workflowVersion),
    enabled: !workflowDeleted && !canvas,
  });
  return { canvas: canvas ?? version.data?.canvas, isGone: !canvas && (workflowDeleted || version.isError) };
}

type BesideProps = {
  organizationId: string;
  run: Run;
  chosen: RunNode | undefined;
  canvas: Canvas | undefined;
  kinds: Map<string, NodeKind>;
  titleOf: (nodeId: string) => string;
  onClose: () => void;
};

/** What the chosen node did; without one, what went into the run as a whole and came out. */
function Beside({ chosen, kinds, organizationId, run, ...rest }: BesideProps) {
  if (!chosen) return <RunPanel organizationId={organizationId} run={run} />;
  const kind = kinds.get(chosen.nodeId);
  return <NodePanel key={chosen.id} organizationId={organizationId} run={run} node={chosen} kind={kind} {...rest} />;
}

/** Where the panel stands below the drawing, what was chosen there is brought into view. */
function useShownPanel(chosenId: string | undefined) {
  const panel = useRef<HTMLDivElement>(null);
  const showPanel = useCallback(() => {
    if (matchMedia("(width < 80rem)").matches) panel.current?.scrollIntoView({ block: "nearest" });
  }, []);
  useEffect(() => {
    if (chosenId !== undefined && chosenId !== nothing) showPanel();
  }, [chosenId, showPanel]);
  return { panel, showPanel };
}

type DrawingProps = {
  canvas: Canvas | undefined;
  kinds: Map<string, NodeKind>;
  run: Run;
  selectedId: string | undefined;
  onSelect: (id: string | undefined) => void;
};

function Drawing({ canvas, kinds, run, selectedId, onSelect }: DrawingProps) {
  return (
    <div className="h-[60dvh] min-h-80 xl:h-[calc(100dvh-16rem)] xl:min-h-96 overflow-hidden rounded-xl border border-line">
      {canvas && kinds !== noKinds ? (
        <CanvasView canvas={canvas} kinds={kinds} runNodes={run.nodes} selectedId={selectedId} onSelect={onSelect} />
      ) : (
        <CanvasSkeleton />
      )}
    </div>
  );
}

/** In the address: no node, although one failed. */
const nothing = "-";
const noKinds: Map<string, NodeKind> = new Map();
// A drawing says little on a telephone.
const firstView = () => (matchMedia("(width < 48rem)").matches ? "timeline" : "canvas");
const unreadableWords = "The drawing of this run cannot be read. Its nodes are listed here.";
const deletedWords = "The workflow was deleted, and its drawing with it. What its nodes did is still here.";

const withoutEmpty = (search: { node?: string; view?: string }): { node?: string; view?: string } =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ""));
