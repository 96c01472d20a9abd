import type { PreviewScope, Run } from "../../../src/runs/wire.ts";
import type { Canvas, CanvasEdge, CanvasNode } from "../../../src/workflows/wire.ts";
import type { Outputs } from "../../api/steps.ts";
import type { NodeKind } from "../../catalog.ts";
import { findAncestors } from "../expressions/find-ancestors.ts";
import type { Schema } from "../field-shape.ts";
import { nodeTitle } from "../node-title.ts";
import { itemsAlong } from "./items-along.ts";

/** Where the data comes from that stands for what will come in. */
export type Sample = "pinned" | "run" | "schema";

/** A part of what comes into a node or can be referred to by its fields. */
export type Source = {
  id: string;
  title: string;
  /** The node that gives it; undefined for what started the run. */
  nodeId?: string | undefined;
  /** What references to it begin with; undefined where no field can refer to it. */
  root?: string;
  /** What it is: items of which the root names each in turn, one value, or only what the type of the node promises. */
  data: { items: readonly unknown[] } | { value: unknown } | { schema: Schema };
  /** Whether it is what comes in, and not only something that came before. */
  isDirect: boolean;
};

export type Known = {
  canvas: Canvas;
  node: CanvasNode;
  kinds: ReadonlyMap<string, NodeKind>;
  /** The run that is shown; otherwise the first items of the last one. */
  run: Run | undefined;
  scope: PreviewScope | undefined;
  /** By canvas id. */
  pins: ReadonlyMap<string, Outputs>;
};

/** Which samples there are for a node, the one that its next step would take first. */
export function samplesOf(known: Known): Sample[] {
  const { canvas, node, kinds, run, scope, pins } = known;
  const before = ancestorsOf(known);
  const hasSchema = canvas.nodes.some(({ id, nodeId }) => before.has(id) && kinds.get(nodeId)?.outputSchema);
  const hasPins = [...pins.keys()].some((id) => before.has(id) && id !== node.id);
  return [
    ...(hasPins ? (["pinned"] as const) : []),
    ...(run || scope?.trigger ? (["run"] as const) : []),
    ...(hasSchema || varsOf(known).length > 0 ? (["schema"] as const) : []),
  ];
}

/** What comes in by each connection first, then the nodes further back, then what started the run, then variables. */
export function sourcesOf(known: Known, sample: Sample): Source[] {
  const { canvas, node, kinds } = known;
  const edges = canvas.edges.filter(({ target }) => target === node.id);
  const direct = edges.flatMap((edge): Source[] => {
    const data = sample === "schema" ? schemaOf(known, edge.source) : { items: along(known, edge, sample) };
    if (!data) return [];
    const title = `From ${nodeTitle(canvas, edge.source, kinds)}`;
    return [{ id: edge.id, title, nodeId: edge.source, root: "$input", data, isDirect: true }];
  });
  const before = ancestorsOf(known);
  const further = canvas.nodes.filter(({ id }) => before.has(id) && !edges.some(({ source }) => source === id));
  const others = further.flatMap(({ id }): Source[] => {
    const data = sample === "schema" ? schemaOf(known, id) : firstOf(known, id, sample);
    if (!data) return [];
    return [{ id, title: nodeTitle(canvas, id, kinds), nodeId: id, root: `$nodes.${id}.first`, data, isDirect: false }];
  });
  return [...direct, ...others, ...triggerOf(known, sample, edges.length === 0), ...varsOf(known)];
}

const ancestorsOf = ({ canvas, node }: Known): ReadonlySet<string> => findAncestors(canvas.edges, node.id);

function along({ run, scope, pins }: Known, edge: CanvasEdge, sample: Sample): readonly unknown[] {
  const pinned = sample === "pinned" ? pins.get(edge.source) : undefined;
  if (pinned) return pinned[edge.sourceHandle ?? Object.keys(pinned)[0] ?? "out"] ?? [];
  return run ? itemsAlong(edge, run.nodes) : (scope?.nodes[edge.source] ?? []);
}

function firstOf({ run, scope, pins }: Known, id: string, sample: Sample): Source["data"] | undefined {
  const pinned = sample === "pinned" ? Object.values(pins.get(id) ?? {}).flat() : [];
  const ran = run ? run.nodes.find((one) => one.id === id)?.outputs : scope?.nodes[id];
  const [first] = pinned.length > 0 ? pinned : (ran ?? []);
  return first === undefined ? undefined : { value: first };
}

function schemaOf({ canvas, kinds }: Known, id: string): Source["data"] | undefined {
  const schema = kinds.get(canvas.nodes.find((one) => one.id === id)?.nodeId ?? "")?.outputSchema;
  return schema ? { schema } : undefined;
}

function triggerOf({ run, scope }: Known, sample: Sample, isDirect: boolean): Source[] {
  const trigger = run?.trigger ?? scope?.trigger;
  if (!trigger || sample === "schema") return [];
  return [{ id: "$trigger", title: "What started the run", root: "$trigger", data: { value: trigger }, isDirect }];
}

function varsOf({ scope }: Known): Source[] {
  if (!scope || Object.keys(scope.vars).length === 0) return [];
  return [{ id: "$vars", title: "Variables", root: "$vars", data: { value: scope.vars }, isDirect: false }];
}
