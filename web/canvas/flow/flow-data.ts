import type { Edge, Node } from "@xyflow/react";
import type { RunNode } from "../../../src/runs/wire.ts";
import type { Canvas, CanvasEdge, CanvasNode, CanvasNote } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { noteBoxId } from "../edit/note-edits.ts";
import { waysOf } from "../ways-of.ts";

// A canvas as the drawing library wants it. What did not change stays the same object, so that nothing is drawn twice.

export type BoxData = {
  node: CanvasNode;
  kind: NodeKind | undefined;
  ways: readonly string[];
  /** Ways that an edge still names, though the node no longer has them. */
  lostWays: readonly string[];
  /** Ways that lead nowhere yet. */
  openWays: readonly string[];
  runNode: RunNode | undefined;
  faultCount: number;
  warningCount: number;
  /** What became of it between two canvases that are compared. */
  mark: Mark | undefined;
  editable: boolean;
};
export type Mark = "new" | "changed" | "gone";
export type NodeShape = Node<BoxData, "box">;

export type NoteData = { note: CanvasNote; mark: Mark | undefined; editable: boolean };
export type NoteShape = Node<NoteData, "note">;

/** What lies on the canvas: nodes, and notes behind them. */
export type Box = NodeShape | NoteShape;

export type LineData = { itemCount: number | undefined; editable: boolean };
export type Line = Edge<LineData, "line">;

export type Drawing = {
  canvas: Canvas;
  kinds: ReadonlyMap<string, NodeKind>;
  runNodes: readonly RunNode[] | undefined;
  /** By canvas id. */
  faultCounts: ReadonlyMap<string, number>;
  warningCounts: ReadonlyMap<string, number>;
  /** By canvas id, where two canvases are compared. */
  marks?: ReadonlyMap<string, Mark> | undefined;
  editable: boolean;
};

export function toBoxes({ canvas, kinds, runNodes, ...drawing }: Drawing, current: readonly Box[]): Box[] {
  const currentById = new Map(current.map((box) => [box.id, box]));
  const runById = new Map(runNodes?.map((runNode) => [runNode.id, runNode]));
  const edgesBySource = Map.groupBy(canvas.edges, ({ source }) => source);
  const sheets = (canvas.notes ?? []).map((note) => {
    const id = noteBoxId(note.id);
    return keepNote(currentById.get(id), { note, mark: drawing.marks?.get(id), editable: drawing.editable });
  });
  const boxes = canvas.nodes.map((node, index) => {
    const kind = kinds.get(node.nodeId);
    const ways = waysOf(node, kind);
    const used = (edgesBySource.get(node.id) ?? []).map((edge) => wayOfEdge(edge, ways));
    const data: BoxData = {
      node,
      kind,
      ways,
      lostWays: [...new Set(used)].filter((way) => !ways.includes(way)),
      openWays: ways.filter((way) => !used.includes(way)),
      runNode: runById.get(node.id),
      faultCount: drawing.faultCounts.get(node.id) ?? 0,
      warningCount: drawing.warningCounts.get(node.id) ?? 0,
      mark: drawing.marks?.get(node.id),
      editable: drawing.editable,
    };
    return keepBox(currentById.get(node.id), data, node.position ?? { x: 0, y: index * 120 });
  });
  return [...sheets, ...boxes];
}

export function toLines({ canvas, kinds, runNodes, editable }: Drawing, current: readonly Line[]): Line[] {
  const currentById = new Map(current.map((line) => [line.id, line]));
  const runById = new Map(runNodes?.map((runNode) => [runNode.id, runNode]));
  const nodesById = new Map(canvas.nodes.map((node) => [node.id, node]));
  return canvas.edges.flatMap((edge): Line[] => {
    const source = nodesById.get(edge.source);
    const target = nodesById.get(edge.target);
    if (!source || !target) return [];
    const way = wayOfEdge(edge, waysOf(source, kinds.get(source.nodeId)));
    // A run knows nothing of what was connected after it.
    const itemCount = runById.has(edge.target) ? runById.get(edge.source)?.ways[way] : undefined;
    const data: LineData = { itemCount, editable };
    const before = currentById.get(edge.id);
    if (before?.data && before.source === edge.source && before.target === edge.target && before.sourceHandle === way) {
      return isSame(before.data, data) ? [before] : [{ ...before, data }];
    }
    return [{ id: edge.id, type: "line", source: edge.source, target: edge.target, sourceHandle: way, data }];
  });
}

export const wayOfEdge = (edge: CanvasEdge, ways: readonly string[]): string => edge.sourceHandle ?? ways[0] ?? "out";

function keepBox(before: Box | undefined, data: BoxData, position: { x: number; y: number }): NodeShape {
  if (before?.type !== "box")
    return { id: data.node.id, type: "box", position, data, ariaRole: "none", domAttributes: plainElement };
  const isSameData = isSame(before.data, data);
  // While it is dragged, its place is where the pointer has it.
  const isSamePlace = before.dragging || (before.position.x === position.x && before.position.y === position.y);
  return isSameData && isSamePlace ? before : { ...before, position, data: isSameData ? before.data : data };
}

/** Behind nodes and lines also while it is selected, which raises it by a thousand. */
const behind = -2000;

function keepNote(before: Box | undefined, data: NoteData): NoteShape {
  const { id, x, y, width, height } = data.note;
  const place = { position: { x, y }, width, height };
  if (before?.type !== "note")
    return {
      id: noteBoxId(id),
      type: "note",
      ...place,
      data,
      zIndex: behind,
      ariaRole: "none",
      domAttributes: plainElement,
    };
  const isSamePlace = before.dragging || (before.position.x === x && before.position.y === y);
  const isSameSize = before.resizing || (before.width === width && before.height === height);
  const isSameData = isSame(before.data, data);
  return isSameData && isSamePlace && isSameSize ? before : { ...before, ...place, data };
}

const plainElement = { "aria-roledescription": undefined };

function isSame<Data extends Record<string, unknown>>(one: Data, other: Data): boolean {
  return Object.keys(other).every((key) => isSameValue(one[key], other[key]));
}

function isSameValue(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
