import { useQuery } from "@tanstack/react-query";
import { useReactFlow } from "@xyflow/react";
import { type RefObject, useCallback, useMemo, useState } from "react";
import { credentialsQuery } from "../../api/credentials.ts";
import type { NodeKind } from "../../catalog.ts";
import { startCredentials } from "../edit/start-credentials.ts";
import { startParameters } from "../edit/start-parameters.ts";
import type { FlowActions } from "../flow/flow-actions.ts";
import { wayOfEdge } from "../flow/flow-data.ts";
import type { Selection } from "../flow/selection.ts";
import { noteRecent } from "../palette/recent-nodes.ts";
import type { NodeEntry, PickerEntry } from "../palette/search-kinds.ts";
import { useEntries } from "../palette/use-entries.ts";
import { waysOf } from "../ways-of.ts";
import { nodeTitle } from "../words.ts";
import type { Editor } from "./use-editor.ts";

/** Where the next node goes. */
type Target = { after?: { nodeId: string; way: string }; onEdge?: string };

type Options = {
  editor: Editor;
  getSelection: () => Selection;
  /** What is seen of the canvas. */
  frame: RefObject<HTMLDivElement | null>;
  /** The palette needs room. */
  onOpen: () => void;
  /** Opens what is asked for a way to start the workflow. */
  onStart: (panel: string) => void;
};

/** Choosing a node from the palette and putting it onto the canvas. */
export function useAdding({ editor, getSelection, frame, onOpen, onStart }: Options) {
  const { canvas, kinds, edit, organizationId, workflow } = editor;
  const flow = useReactFlow();
  const accounts = useQuery({ ...credentialsQuery(organizationId), enabled: !editor.readOnly }).data;
  const [target, setTarget] = useState<Target>();

  const openAt = useCallback(
    (next: Target) => {
      setTarget(next);
      onOpen();
    },
    [onOpen],
  );
  const actions: Omit<FlowActions, "openMenu"> = useMemo(
    () => ({
      addAfter: (nodeId, way) => openAt({ after: { nodeId, way } }),
      addOnEdge: (edgeId) => openAt({ onEdge: edgeId }),
    }),
    [openAt],
  );
  const open = () => openAt(findTarget({ canvas, kinds }, getSelection()));

  const close = useCallback(() => {
    setTarget(undefined);
    frame.current?.focus();
  }, [frame]);

  function add(kind: NodeKind, at?: { x: number; y: number }, given?: NodeEntry): void {
    noteRecent(given?.id ?? kind.id);
    const way = waysOf({ id: "", nodeId: kind.id }, kind)[0];
    const position =
      at ?? (target?.after || target?.onEdge ? undefined : middleOf(frame.current, flow.screenToFlowPosition));
    edit({
      type: "add",
      node: {
        nodeId: kind.id,
        ...startParameters(kind),
        ...(given?.parameters && { parameters: given.parameters, name: given.title }),
        ...startCredentials(kind, accounts),
        ...(position && { position }),
      },
      way,
      ...(at ? {} : target),
    });
    close();
  }

  function pick(entry: PickerEntry): void {
    if ("start" in entry) {
      noteRecent(entry.id);
      close();
      onStart(entry.start.panel);
    } else add(entry.kind, undefined, entry);
  }

  // Nothing leads to the place where a run begins.
  const isBeginning = !target?.after && !target?.onEdge;
  const offered = useMemo(
    () => (isBeginning ? kinds : new Map([...kinds].filter(([id]) => id !== "start"))),
    [kinds, isBeginning],
  );
  const isOpen = target !== undefined;
  const entries = useEntries({ organizationId, workflowId: workflow.id, kinds: offered, isOpen });
  return {
    isOpen,
    palette: {
      entries,
      place: describePlace(target, { canvas, kinds }),
      onPick: pick,
      onClose: close,
    },
    actions,
    open,
    close,
    add,
  };
}

type CanvasContext = Pick<Editor, "canvas" | "kinds">;

/** A chosen edge takes the node in its middle; after a chosen node it follows, on a way that leads nowhere yet. */
function findTarget({ canvas, kinds }: CanvasContext, { nodeIds, edgeIds }: Selection): Target {
  const node = nodeIds.length === 1 ? canvas.nodes.find(({ id }) => id === nodeIds[0]) : undefined;
  if (!node) return edgeIds.length === 1 && edgeIds[0] !== undefined ? { onEdge: edgeIds[0] } : {};
  const ways = waysOf(node, kinds.get(node.nodeId));
  const used = canvas.edges.filter(({ source }) => source === node.id).map((edge) => wayOfEdge(edge, ways));
  const way = ways.find((each) => !used.includes(each)) ?? ways[0];
  return way === undefined ? {} : { after: { nodeId: node.id, way } };
}

function describePlace(target: Target | undefined, { canvas, kinds }: CanvasContext): string {
  const titleOf = (id: string | undefined) => {
    const node = canvas.nodes.find((each) => each.id === id);
    return node ? nodeTitle(node, kinds.get(node.nodeId)) : "";
  };
  if (target?.after)
    return `Add after “${titleOf(target.after.nodeId)}”${target.after.way === "out" ? "" : ` · ${target.after.way}`}`;
  const edge = canvas.edges.find(({ id }) => id === target?.onEdge);
  if (edge) return `Add between “${titleOf(edge.source)}” and “${titleOf(edge.target)}”`;
  return "Add a node";
}

type ToFlow = (place: { x: number; y: number }) => { x: number; y: number };

function middleOf(frame: HTMLElement | null, toFlow: ToFlow) {
  if (!frame) return { x: 0, y: 0 };
  const { left, top, width, height } = frame.getBoundingClientRect();
  return toFlow({ x: left + width / 2 - 120, y: top + height / 2 - 30 });
}
