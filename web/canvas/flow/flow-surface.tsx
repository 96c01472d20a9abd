import "../canvas.css";
import {
  Background,
  type Connection,
  type OnConnectEnd,
  type OnSelectionChangeParams,
  ReactFlow,
  useReactFlow,
  type Viewport,
} from "@xyflow/react";
import {
  type ClipboardEventHandler,
  type DragEvent,
  type PointerEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { type KeyTable, pressKey } from "../../parts/key-of.ts";
import { noteBoxId, noteIdOf } from "../edit/note-edits.ts";
import type { Place, Positions } from "../edit/places.ts";
import { NoteSheet } from "../notes/note-sheet.tsx";
import { useCarrying } from "../notes/use-carrying.ts";
import { counted } from "../words.ts";
import { EdgeLine } from "./edge-line.tsx";
import { findFirstView, findNextView } from "./find-first-view.ts";
import type { MenuTarget, OpenMenu } from "./flow-actions.ts";
import { type Box, type Drawing, type Line, toBoxes, toLines } from "./flow-data.ts";
import { boxId, NodeBox } from "./node-box.tsx";
import { type Selection, selectionOf } from "./selection.ts";

export type FlowEditing = {
  onMove: (positions: Positions) => void;
  onConnect: (connection: Connection) => void;
  /** A line was let go over the empty canvas. */
  onConnectNowhere: (nodeId: string, way: string) => void;
  isValidConnection: (connection: Connection | Line) => boolean;
  onDrop: (event: DragEvent, position: { x: number; y: number }) => void;
  clipboard: Record<"onCopy" | "onCut" | "onPaste", ClipboardEventHandler>;
  /** Asks what can be done with something, at a place of the screen. */
  onMenu: OpenMenu;
};

type FlowSurfaceProps = {
  drawing: Drawing;
  /** Applied whenever it is another list than before; in between the selection is the reader's. */
  select: readonly string[];
  onSelection?: (selection: Selection) => void;
  /** A node was pressed or is to be opened, or the empty canvas. */
  onPress: (nodeId: string | undefined) => void;
  keys: () => KeyTable;
  editing?: FlowEditing | undefined;
  label?: string;
  /** What is looked at first, where that is not everything. */
  shownFirst?: Pick<Canvas, "nodes" | "notes"> | undefined;
  onView?: (view: Viewport) => void;
  frame?: Ref<HTMLDivElement>;
  children?: ReactNode;
};

/**
 * The drawn canvas. While something is dragged its place is known only to the drawing library, and no component above
 * it is drawn anew.
 */
export function FlowSurface({
  drawing,
  select,
  onSelection,
  onPress,
  keys,
  editing,
  label = "Canvas",
  shownFirst,
  onView,
  frame,
  children,
}: FlowSurfaceProps) {
  const [initial] = useState(() => ({ boxes: selectBoxes(toBoxes(drawing, []), select), lines: toLines(drawing, []) }));
  const [activeId, setActiveId] = useState<string>();
  const [said, setSaid] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const flow = useReactFlow<Box, Line>();
  const carrying = useCarrying();
  useDrawing(drawing, select);

  const onSelectionChange = useCallback(
    ({ nodes, edges }: OnSelectionChangeParams<Box, Line>) => {
      setActiveId(nodes[0]?.id);
      setSaid(describeSelection(nodes, edges));
      onSelection?.(selectionOf(nodes, edges));
    },
    [onSelection],
  );
  const isThere = activeId !== undefined && hasBox(drawing.canvas, activeId);

  return (
    <div ref={box} className="relative min-h-0 min-w-0 flex-1">
      <ReactFlow<Box, Line>
        ref={frame}
        aria-label={label}
        aria-activedescendant={isThere ? boxId(activeId) : undefined}
        tabIndex={0}
        onKeyDown={(event) => pressKey(event, keys())}
        onPointerDownCapture={takeFocus}
        {...editing?.clipboard}
        {...(editing && dropsOf(editing, flow.screenToFlowPosition))}
        defaultNodes={initial.boxes}
        defaultEdges={initial.lines}
        {...fixed}
        onInit={(instance) => void instance.setViewport(findView({ drawing, select, shownFirst }, box.current))}
        {...(onView && { onMove: (_event: unknown, view: Viewport) => onView(view) })}
        nodesDraggable={editing !== undefined}
        nodesConnectable={editing !== undefined}
        onSelectionChange={onSelectionChange}
        onNodeClick={(event, { id }) =>
          !event.shiftKey && !event.ctrlKey && !event.metaKey && onPress(noteIdOf(id) === undefined ? id : undefined)
        }
        onPaneClick={() => onPress(undefined)}
        {...(editing && movesOf(editing, carrying))}
      >
        <Background gap={24} size={1.5} />
        {children}
      </ReactFlow>
      <p role="status" className="sr-only">
        {said}
      </p>
    </div>
  );
}

/** What was dragged onto the canvas from outside of it. */
const dropsOf = ({ onDrop }: FlowEditing, toFlow: (place: Place) => Place) => ({
  onDragOver: (event: DragEvent) => event.preventDefault(),
  onDrop: (event: DragEvent) => onDrop(event, toFlow({ x: event.clientX, y: event.clientY })),
});

/** What moves nodes and draws lines. */
function movesOf(
  { onMove, onConnect, onConnectNowhere, isValidConnection, onMenu }: FlowEditing,
  { onNodeDragStart, onNodeDrag, drop }: ReturnType<typeof useCarrying>,
) {
  const onConnectEnd: OnConnectEnd = (_event, { isValid, fromNode, fromHandle, toNode }) => {
    if (!isValid && !toNode && fromNode && fromHandle?.type === "source")
      onConnectNowhere(fromNode.id, fromHandle.id ?? "out");
  };
  const ask = (event: Press, target: MenuTarget) => {
    // The browser's own menu knows what to do with a text and a link.
    if (event.target instanceof Element && event.target.closest("textarea, a")) return;
    event.preventDefault();
    onMenu(target, { x: event.clientX, y: event.clientY });
  };
  return {
    onNodeContextMenu: (event: Press, { id }: Box) => ask(event, { kind: "box", boxId: id }),
    onSelectionContextMenu: (event: Press, [first]: Box[]) => first && ask(event, { kind: "box", boxId: first.id }),
    onEdgeContextMenu: (event: Press, { id }: Line) => ask(event, { kind: "edge", edgeId: id }),
    onPaneContextMenu: (event: Press) => ask(event, { kind: "canvas" }),
    onNodeDragStart,
    onNodeDrag,
    onNodeDragStop: (event: { altKey?: boolean }, node: Box, nodes: Box[]) =>
      onMove({ ...positionsOf(nodes), ...drop(event, node) }),
    onSelectionDragStop: (_event: unknown, nodes: Box[]) => onMove(positionsOf(nodes)),
    onConnect,
    onConnectEnd,
    isValidConnection,
  };
}

type Press = Pick<MouseEvent, "preventDefault" | "target" | "clientX" | "clientY">;

/** Keys go to what the pointer chose; dragging keeps the browser from moving the focus by itself. */
function takeFocus({ currentTarget, target }: PointerEvent): void {
  if (!(currentTarget instanceof HTMLElement && target instanceof Element)) return;
  // A dialog opened from a card is a child for React, but not part of the canvas.
  if (!currentTarget.contains(target) || target.closest("button, textarea, a")) return;
  currentTarget.focus({ preventScroll: true });
}

/** The one selected node is named by the canvas itself. */
function describeSelection(nodes: readonly Box[], edges: readonly Line[]): string {
  const { nodeIds, noteIds } = selectionOf(nodes, edges);
  const counts = [
    nodeIds.length > 0 && counted(nodeIds.length, "node"),
    noteIds.length > 0 && counted(noteIds.length, "note"),
  ];
  if (nodes.length > 1) return `${counts.filter(Boolean).join(" and ")} selected`;
  const [edge] = nodes.length === 0 ? edges : [];
  return edge ? `Connection from ${edge.source} to ${edge.target} selected` : "";
}

const fixed = {
  className: "-outline-offset-2",
  nodeTypes: { box: NodeBox, note: NoteSheet },
  edgeTypes: { line: EdgeLine },
  nodesFocusable: false,
  edgesFocusable: false,
  disableKeyboardA11y: true,
  deleteKeyCode: null,
  selectionKeyCode: "Shift",
  multiSelectionKeyCode: ["Shift", "Meta", "Control"],
  panOnScroll: true,
  snapToGrid: true,
  snapGrid: [10, 10] as [number, number],
  minZoom: 0.1,
  maxZoom: 2,
  connectionRadius: 40,
  proOptions: { hideAttribution: true },
};

function useDrawing(drawing: Drawing, select: readonly string[]): void {
  const { setNodes, setEdges } = useReactFlow<Box, Line>();
  const { canvas, kinds, runNodes, faultCounts, warningCounts, marks, editable } = drawing;
  const selected = useRef(select);
  useLayoutEffect(() => {
    const parts = { canvas, kinds, runNodes, faultCounts, warningCounts, marks, editable };
    const isOther = selected.current !== select;
    selected.current = select;
    setNodes((current) => {
      const boxes = toBoxes(parts, current);
      return isOther ? selectBoxes(boxes, select) : boxes;
    });
    setEdges((current) => {
      const lines = toLines(parts, current);
      return isOther ? lines.map((line) => (line.selected ? { ...line, selected: false } : line)) : lines;
    });
  }, [canvas, kinds, runNodes, faultCounts, warningCounts, marks, editable, select, setNodes, setEdges]);
}

function selectBoxes(boxes: Box[], ids: readonly string[]): Box[] {
  return boxes.map((box) =>
    ids.includes(box.id) === (box.selected ?? false) ? box : { ...box, selected: ids.includes(box.id) },
  );
}

/** Beside another canvas what is different is worth more than small words. */
const leastBeside = 0.3;

type Shown = Pick<FlowSurfaceProps, "drawing" | "select" | "shownFirst">;

function findView({ drawing: { canvas, kinds }, select, shownFirst }: Shown, box: HTMLElement | null): Viewport {
  if (shownFirst)
    return findFirstView(shownFirst.nodes, kinds, box, { least: leastBeside, others: shownFirst.notes ?? [] });
  return box
    ? findNextView(canvas, kinds, box, { chosen: { nodeId: select[0] } })
    : findFirstView(canvas.nodes, kinds, box, { others: canvas.notes ?? [] });
}

const hasBox = ({ nodes, notes = [] }: Drawing["canvas"], id: string): boolean =>
  nodes.some((node) => node.id === id) || notes.some((note) => noteBoxId(note.id) === id);

const positionsOf = (nodes: Box[]): Positions => Object.fromEntries(nodes.map(({ id, position }) => [id, position]));
