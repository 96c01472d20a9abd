import type { Canvas, CanvasEdge, CanvasNode, CanvasNote } from "../../src/workflows/wire.ts";
import { copyNodes } from "./edit/copy-nodes.ts";
import { canConnect, newEdgeId, newNodeId } from "./edit/new-ids.ts";
import { addNote, changeNote, moveNotes, noteBoxId, removeNotes } from "./edit/note-edits.ts";
import { findFreePlace, makeRoom, type Place, type Positions, stepRight } from "./edit/places.ts";

/** A canvas that is being edited, with what undo and redo lead to. */
export type EditState = {
  canvas: Canvas;
  past: readonly Canvas[];
  future: readonly Canvas[];
  /** Boxes that are to be selected now, as a new list whenever an edit selects something. */
  select: readonly string[];
  /** Typing into one box is undone at once, not letter by letter. */
  typing: { boxId: string; atMs: number } | undefined;
};

type WayOut = { nodeId: string; way: string };

export type Edit =
  /** After a way out, on an edge, or at a place. `way`: the way out of the new node that goes on. */
  | { type: "add"; node: Omit<CanvasNode, "id">; way: string | undefined; after?: WayOut; onEdge?: string }
  | { type: "connect"; from: WayOut; target: string }
  /** By box: nodes, and notes (`noteBoxId`). */
  | { type: "move"; positions: Positions }
  | { type: "change"; node: CanvasNode; ways: { before: readonly string[]; after: readonly string[] }; atMs: number }
  | { type: "addNote"; note: Omit<CanvasNote, "id"> }
  | { type: "changeNote"; note: CanvasNote; atMs: number }
  | { type: "remove"; nodeIds: readonly string[]; edgeIds: readonly string[]; noteIds?: readonly string[] }
  | { type: "paste"; clip: Canvas; at?: Place }
  | { type: "replace"; canvas: Canvas }
  | { type: "undo" }
  | { type: "redo" };

export const startEditing = (canvas: Canvas): EditState => ({
  canvas,
  past: [],
  future: [],
  select: [],
  typing: undefined,
});

/** Every change of a canvas, without anything outside of it. What cannot be done leaves the state as it is. */
export function editCanvas(state: EditState, edit: Edit): EditState {
  switch (edit.type) {
    case "undo":
      return goBack(state);
    case "redo":
      return goForward(state);
    case "change":
      return change(state, edit);
    case "changeNote": {
      const canvas = changeNote(state.canvas, edit.note);
      return canvas === state.canvas ? state : type(state, canvas, { boxId: noteBoxId(edit.note.id), atMs: edit.atMs });
    }
    default: {
      const { canvas, select = state.select } = carryOut(state.canvas, edit);
      return canvas === state.canvas ? state : { ...remember(state, canvas), select };
    }
  }
}

const mostSteps = 100;
const oneTypingMs = 1500;

function remember(state: EditState, canvas: Canvas): EditState {
  return { ...state, canvas, past: [...state.past, state.canvas].slice(-mostSteps), future: [], typing: undefined };
}

function goBack(state: EditState): EditState {
  const canvas = state.past.at(-1);
  if (!canvas) return state;
  return {
    ...state,
    canvas,
    past: state.past.slice(0, -1),
    future: [state.canvas, ...state.future],
    typing: undefined,
  };
}

function goForward(state: EditState): EditState {
  const [canvas, ...future] = state.future;
  if (!canvas) return state;
  return { ...state, canvas, past: [...state.past, state.canvas], future, typing: undefined };
}

function change(state: EditState, { node, ways, atMs }: Edit & { type: "change" }): EditState {
  if (!state.canvas.nodes.some(({ id }) => id === node.id)) return state;
  const canvas = {
    ...state.canvas,
    nodes: state.canvas.nodes.map((each) => (each.id === node.id ? node : each)),
    edges: followRenamedWay(state.canvas.edges, node.id, ways),
  };
  return type(state, canvas, { boxId: node.id, atMs });
}

function type(state: EditState, canvas: Canvas, typing: NonNullable<EditState["typing"]>): EditState {
  const { boxId, atMs } = typing;
  const goesOn = state.typing?.boxId === boxId && atMs - state.typing.atMs < oneTypingMs;
  return goesOn ? { ...state, canvas, future: [], typing } : { ...remember(state, canvas), typing };
}

/** An edge stays with its rule when the rule is given another name. */
function followRenamedWay(
  edges: CanvasEdge[],
  nodeId: string,
  { before, after }: { before: readonly string[]; after: readonly string[] },
) {
  const changed = before.flatMap((way, index) => (way === after[index] ? [] : [index]));
  const [index = -1] = changed;
  const [from, to] = [before[index], after[index]];
  if (before.length !== after.length || changed.length !== 1 || from === undefined || to === undefined) return edges;
  return edges.map((edge) =>
    edge.source === nodeId && edge.sourceHandle === from ? { ...edge, sourceHandle: to } : edge,
  );
}

type Step = Exclude<Edit, { type: "undo" | "redo" | "change" | "changeNote" }>;
type Outcome = { canvas: Canvas; select?: readonly string[] };

function carryOut(canvas: Canvas, edit: Step): Outcome {
  switch (edit.type) {
    case "add":
      return add(canvas, edit);
    case "connect":
      return { canvas: connect(canvas, edit.from, edit.target) };
    case "move":
      return { canvas: moveNotes(move(canvas, edit.positions), edit.positions) };
    case "addNote":
      return addNote(canvas, edit.note);
    case "remove":
      return remove(canvas, edit);
    case "paste":
      return paste(canvas, edit);
    case "replace":
      return { canvas: edit.canvas, select: [] };
  }
}

function add(canvas: Canvas, { node, way, after, onEdge }: Edit & { type: "add" }): Outcome {
  const edge = canvas.edges.find(({ id }) => id === onEdge);
  const id = newNodeId(canvas, node.nodeId);
  const { place, others } = findPlace(canvas, { node, after, edge });
  const added: Canvas = { ...canvas, nodes: [...others, { ...node, id, position: place }] };
  const select = [id];
  if (edge) {
    const opened = { ...added, edges: added.edges.filter((each) => each !== edge) };
    const entered = connect(opened, { nodeId: edge.source, way: edge.sourceHandle ?? "out" }, id);
    return { canvas: way === undefined ? entered : connect(entered, { nodeId: id, way }, edge.target), select };
  }
  return { canvas: after ? connect(added, after, id) : added, select };
}

type Around = { node: Pick<CanvasNode, "position">; after: WayOut | undefined; edge: CanvasEdge | undefined };

function findPlace(canvas: Canvas, { node, after, edge }: Around): { place: Place; others: CanvasNode[] } {
  const others = canvas.nodes;
  const before = others.find(({ id }) => id === (edge?.source ?? after?.nodeId))?.position;
  if (edge && before) {
    const target = others.find(({ id }) => id === edge.target)?.position ?? before;
    const place = { x: before.x + stepRight, y: target.y };
    return { place, others: makeRoom(canvas, edge.target, place) };
  }
  return {
    place: findFreePlace(others, node.position ?? (before ? { x: before.x + stepRight, y: before.y } : { x: 0, y: 0 })),
    others,
  };
}

function connect(canvas: Canvas, from: WayOut, target: string): Canvas {
  if (!canConnect(canvas, from, target)) return canvas;
  const edge = {
    id: newEdgeId(canvas),
    source: from.nodeId,
    ...(from.way === "out" ? {} : { sourceHandle: from.way }),
    target,
  };
  return { ...canvas, edges: [...canvas.edges, edge] };
}

function move(canvas: Canvas, positions: Positions): Canvas {
  const isMoved = ({ id, position }: CanvasNode) => {
    const to = positions[id];
    return to !== undefined && (to.x !== position?.x || to.y !== position.y);
  };
  if (!canvas.nodes.some(isMoved)) return canvas;
  return {
    ...canvas,
    nodes: canvas.nodes.map((node) => (isMoved(node) ? { ...node, position: positions[node.id] as Place } : node)),
  };
}

function remove(before: Canvas, { nodeIds, edgeIds, noteIds = [] }: Edit & { type: "remove" }): Outcome {
  const canvas = removeNotes(before, noteIds);
  const nodes = canvas.nodes.filter(({ id }) => !nodeIds.includes(id));
  const edges = canvas.edges.filter(
    ({ id, source, target }) => !edgeIds.includes(id) && !nodeIds.includes(source) && !nodeIds.includes(target),
  );
  const isSame = nodes.length === canvas.nodes.length && edges.length === canvas.edges.length;
  if (isSame) return canvas === before ? { canvas } : { canvas, select: [] };
  return { canvas: { ...canvas, nodes, edges }, select: [] };
}

function paste(canvas: Canvas, { clip, at }: Edit & { type: "paste" }): Outcome {
  if (clip.nodes.length + (clip.notes?.length ?? 0) === 0) return { canvas };
  const { nodes, edges, notes = [] } = copyNodes(canvas, clip, at);
  const pasted = { ...canvas, nodes: [...canvas.nodes, ...nodes], edges: [...canvas.edges, ...edges] };
  return {
    canvas: notes.length > 0 ? { ...pasted, notes: [...(canvas.notes ?? []), ...notes] } : pasted,
    select: [...nodes.map(({ id }) => id), ...notes.map(({ id }) => noteBoxId(id))],
  };
}
