import type { z } from "zod";
import { fieldMessage } from "../base/field-message.ts";
import type { FieldFault } from "../base/refusal.ts";
import { type CanvasEdge, type CanvasNode, canvas, canvasEdge, canvasNode, maxEdges, maxNodes } from "./wire.ts";

export type PlacedEdge = { edge: CanvasEdge; pointer: string };

type Reading = {
  faults: FieldFault[];
  /** Of all nodes, also of those that cannot be read otherwise. */
  ids: Set<string>;
  nodes: { node: CanvasNode; pointer: string }[];
  edges: PlacedEdge[];
  /** Whether every node and edge could be read. */
  isComplete: boolean;
};

/** The form of a canvas: whatever can be read of it is read, so that further checks can go on beside its faults. */
export function readCanvas(value: unknown): Reading {
  const { nodes: sentNodes, edges: sentEdges } = (value ?? {}) as { nodes?: unknown; edges?: unknown };
  const tooMany = [...checkLength("/nodes", sentNodes, maxNodes), ...checkLength("/edges", sentEdges, maxEdges)];
  if (tooMany.length > 0) return { faults: tooMany, ids: new Set(), nodes: [], edges: [], isComplete: false };
  const form = canvas.safeParse(value, { error: fieldMessage });
  const nodes = readable(sentNodes, canvasNode).map(({ index, entry }) => ({ node: entry, pointer: `/nodes/${index}` }));
  const edges = readable(sentEdges, canvasEdge).map(({ index, entry }) => ({ edge: entry, pointer: `/edges/${index}` }));
  const faults = [
    ...toFaults(form.error?.issues ?? []),
    ...repeatedIds("/nodes", sentNodes, "is the id of another node too"),
    ...repeatedIds("/edges", sentEdges, "is the id of another edge too"),
  ];
  return { faults, ids: new Set(idsOf(sentNodes).values()), nodes, edges, isComplete: form.success };
}

export const toPointer = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

export const toFaults = (issues: readonly z.core.$ZodIssue[], at = ""): FieldFault[] =>
  issues.map(({ path, message }) => ({ pointer: at + toPointer(path), detail: message }));

// Before anything looks at the entries: a list of millions would be answered with millions of faults.
const checkLength = (pointer: string, list: unknown, limit: number): FieldFault[] =>
  Array.isArray(list) && list.length > limit ? [{ pointer, detail: `must have at most ${limit} entries` }] : [];

function readable<Entry>(list: unknown, schema: z.ZodType<Entry>): { index: number; entry: Entry }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((sent, index) => {
    const { success, data } = schema.safeParse(sent);
    return success ? [{ index, entry: data }] : [];
  });
}

function idsOf(list: unknown): Map<number, string> {
  const entries: unknown[] = Array.isArray(list) ? list : [];
  return new Map(
    entries.flatMap((entry, index) => {
      const { id } = (entry ?? {}) as { id?: unknown };
      return typeof id === "string" ? [[index, id] as const] : [];
    }),
  );
}

function repeatedIds(at: string, list: unknown, detail: string): FieldFault[] {
  const seen = new Set<string>();
  return [...idsOf(list)].flatMap(([index, id]) => {
    if (seen.has(id)) return [{ pointer: `${at}/${index}/id`, detail }];
    seen.add(id);
    return [];
  });
}
