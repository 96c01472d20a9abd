import { useQueries, useQuery } from "@tanstack/react-query";
import { ChevronRight, Zap } from "lucide-react";
import { type ReactNode, use, useMemo, useState } from "react";
import type { PreviewScope } from "../../../src/runs/wire.ts";
import { pinQuery } from "../../api/steps.ts";
import { SteppingContext } from "../../canvas/stepping/stepping-context.ts";
import { counted } from "../../canvas/words.ts";
import { type NodeKind, nodeKindsQuery } from "../../catalog.ts";
import { PickingContext } from "../../parts/data-viewer/pick-button.tsx";
import { FieldTree } from "../../parts/data-viewer/schema-tree.tsx";
import { type DataViewName, ShownData } from "../../parts/data-viewer.tsx";
import { controlLook } from "../../parts/field.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { findAncestors } from "../expressions/find-ancestors.ts";
import { type Known, type Sample, type Source, samplesOf, sourcesOf } from "./incoming-sources.ts";
import { NoRun } from "./no-run.tsx";
import type { NodePanelProps } from "./node-panel-props.ts";
import { PaneHead, useView } from "./pane-head.tsx";
import { PanelBody } from "./panel-body.tsx";
import { seenFields } from "./seen-fields.ts";

type IncomingPaneProps = Pick<NodePanelProps, "organizationId" | "workflowId" | "canvas" | "node" | "run"> & {
  scope: PreviewScope | undefined;
  /** Puts a reference into the form; says whether there was a field for it. Undefined where no field takes one. */
  onPick: ((reference: string) => boolean) | undefined;
};

/** What comes into the node, by a run, by pinned data, or by what the nodes before it promise. Its fields can be put into the form. */
export function IncomingPane(props: IncomingPaneProps) {
  const { onPick } = props;
  const [view, setView] = useView("incoming", "schema");
  const [chosen, choose] = useState<Sample>();
  const [isMissing, setMissing] = useState(false);
  const known = useKnown(props);
  const samples = samplesOf(known);
  const sample = samples.find((one) => one === chosen) ?? samples[0];
  const sources = sample ? sourcesOf(known, sample) : [];
  const shown = sample === "schema" ? "schema" : view;
  const pick = onPick && ((reference: string) => setMissing(!onPick(reference)));
  return (
    <>
      <PaneHead
        title="Incoming"
        view={shown}
        onView={setView}
        {...(sample === "schema" ? { offered: ["schema"] as const } : {})}
      />
      <PanelBody tight>
        {sample && <SampleSelect samples={samples} sample={sample} known={known} onChange={choose} />}
        {isMissing && (
          <p role="status" className="text-xs text-warning">
            Put the caret into a field first.
          </p>
        )}
        {!sample && <NoRun what="what comes into this node" />}
        {sample && sources.length === 0 && <p className="text-sm text-muted">Nothing comes into this node yet.</p>}
        {sources.map((source) => (
          <Part key={source.id} source={source} kind={kindOf(known, source)}>
            <Data source={source} view={shown} onPick={pick} />
          </Part>
        ))}
        {pick && sources.length > 0 && <p className="text-xs text-muted">Press a field, or drag it, to insert it.</p>}
        <Executed {...props} view={shown} />
      </PanelBody>
    </>
  );
}

/** Pinned data is loaded for the nodes before this one. */
function useKnown({ organizationId, workflowId, canvas, node, run, scope }: IncomingPaneProps): Known {
  const kinds = useQuery(nodeKindsQuery).data ?? noKinds;
  const heads = use(SteppingContext)?.pins;
  const before = findAncestors(canvas.edges, node.id);
  const wanted = [...(heads?.values() ?? [])].filter(({ nodeId }) => before.has(nodeId));
  const pins = useQueries({
    queries: wanted.map((pin) => pinQuery(organizationId, workflowId, pin)),
    combine: (found) => found.flatMap(({ data }) => (data ? [data] : [])),
  });
  const byNode = useMemo(() => new Map(pins.map(({ nodeId, outputs }) => [nodeId, outputs])), [pins]);
  return { canvas, node, kinds, run, scope, pins: byNode };
}

const noKinds: ReadonlyMap<string, NodeKind> = new Map();

const kindOf = ({ canvas, kinds }: Known, { nodeId }: Source): NodeKind | undefined =>
  kinds.get(canvas.nodes.find(({ id }) => id === nodeId)?.nodeId ?? "");

type SampleSelectProps = {
  samples: readonly Sample[];
  sample: Sample;
  known: Pick<Known, "run" | "scope">;
  onChange: (sample: Sample) => void;
};

function SampleSelect({ samples, sample, known: { run, scope }, onChange }: SampleSelectProps) {
  // Without any run, what started it can only be pinned.
  const last = scope?.runId === null ? "Pinned trigger data" : "Last run";
  const words: Record<Sample, string> = {
    pinned: "Pinned data",
    run: run ? `This run · ${time.format(new Date(run.startedAt ?? run.createdAt))}` : last,
    schema: "Fields the nodes before promise",
  };
  return (
    <select
      aria-label="Sample"
      value={sample}
      onChange={(event) => onChange(samples.find((one) => one === event.target.value) ?? sample)}
      className={`${controlLook} min-h-8! py-1!`}
    >
      {samples.map((one) => (
        <option key={one} value={one}>
          {words[one]}
        </option>
      ))}
    </select>
  );
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

type PartProps = { source: Source; kind: NodeKind | undefined; children: ReactNode };

function Part({ source: { title, data, root, isDirect }, kind, children }: PartProps) {
  const count = "items" in data ? data.items.length : undefined;
  return (
    <details open={isDirect} className="group/part min-w-0">
      <summary className="flex cursor-pointer items-center gap-1.5 rounded py-1 text-xs hover:bg-hover">
        <ChevronRight className="size-3 shrink-0 text-muted group-open/part:rotate-90" aria-hidden="true" />
        {kind && <NodeIcon nodeId={kind.id} providerId={kind.provider?.id ?? null} className="size-3.5 shrink-0" />}
        {!kind && root && <Zap className="size-3.5 shrink-0 text-accent" aria-hidden="true" />}
        <h4 className="min-w-0 truncate font-semibold">
          {title}
          {count !== undefined && <span className="font-normal text-muted"> {counted(count, "item")}</span>}
        </h4>
      </summary>
      {children}
    </details>
  );
}

type DataProps = { source: Source; view: DataViewName; onPick: ((reference: string) => void) | undefined };

function Data({ source: { title, root, data }, view, onPick }: DataProps) {
  const pick = root === undefined ? undefined : onPick;
  if ("schema" in data)
    return (
      <PickingContext value={pick ? { onPick: pick } : null}>
        <FieldTree fields={seenFields(data.schema)} path={root ?? ""} label={title} />
      </PickingContext>
    );
  if ("items" in data && data.items.length === 0)
    return <p className="px-1.5 text-xs text-muted">No item came this way.</p>;
  const value = "items" in data ? data.items : data.value;
  return (
    <div className={boxOf(view)}>
      <ShownData view={view} value={value} label={title} root={root} onPick={pick} isEach={"items" in data} />
    </div>
  );
}

/** A table has lines of its own; trees stand on the pane. */
export const boxOf = (view: DataViewName): string =>
  view === "table" ? "overflow-auto rounded-lg border border-line bg-surface text-xs" : "overflow-auto text-xs";

type ExecutedProps = Pick<NodePanelProps, "node" | "run"> & { view: DataViewName };

/** With which parameters the node was executed, which no field refers to. */
function Executed({ node, run, view }: ExecutedProps) {
  const own = run?.nodes.find(({ id }) => id === node.id);
  const parts = [
    { title: "Parameters it was executed with", value: own?.input },
    { title: "Of these, filled in by a model", value: own?.filled },
  ].filter(({ value }) => value !== null && value !== undefined);
  return parts.map(({ title, value }) => {
    const source: Source = { id: title, title, data: { value }, isDirect: false };
    return (
      <Part key={title} source={source} kind={undefined}>
        <Data source={source} view={view} onPick={undefined} />
      </Part>
    );
  });
}
