import { z } from "zod";
import { fieldMessage } from "../base/field-message.ts";
import type { Pause } from "../base/pause-long-work.ts";
import type { FieldFault } from "../base/refusal.ts";
import { hasMoreValues } from "./measure-json.ts";
import {
  type CanvasEdge,
  type CanvasNode,
  canvasEdge,
  canvasNode,
  canvasNote,
  maxEdges,
  maxNodes,
  maxNodeValues,
  maxNotes,
} from "./wire.ts";

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

const outline = z.strictObject({
  nodes: z.array(z.unknown()),
  edges: z.array(z.unknown()),
  notes: z.unknown().optional(),
});

/** The form of a canvas: whatever can be read of it is read, so that further checks can go on beside its faults. */
export async function readCanvas(value: unknown, pause: Pause): Promise<Reading> {
  const { nodes: sentNodes, edges: sentEdges } = (value ?? {}) as { nodes?: unknown; edges?: unknown };
  const tooMany = [...checkLength("/nodes", sentNodes, maxNodes), ...checkLength("/edges", sentEdges, maxEdges)];
  if (tooMany.length > 0) return { faults: tooMany, ids: new Set(), nodes: [], edges: [], isComplete: false };
  const form = toFaults(outline.safeParse(value, { error: fieldMessage }).error?.issues ?? []);
  const nodes = await readEntries(sentNodes, { at: "/nodes", schema: canvasNode, pause });
  const edges = await readEntries(sentEdges, { at: "/edges", schema: canvasEdge, pause });
  const misread = [...form, ...nodes.faults, ...edges.faults];
  const faults = [
    ...misread,
    ...repeatedIds("/nodes", sentNodes, "is the id of another node too"),
    ...repeatedIds("/edges", sentEdges, "is the id of another edge too"),
  ];
  return {
    faults,
    ids: new Set(idsOf(sentNodes).values()),
    nodes: nodes.read.map(({ entry, pointer }) => ({ node: entry, pointer })),
    edges: edges.read.map(({ entry, pointer }) => ({ edge: entry, pointer })),
    isComplete: misread.length === 0,
  };
}

/** Apart from the rest: whatever is wrong with a note, the nodes can be read and run. */
export async function checkNotes(value: unknown, pause: Pause): Promise<FieldFault[]> {
  const { notes } = (value ?? {}) as { notes?: unknown };
  if (notes === undefined) return [];
  if (!Array.isArray(notes)) return [{ pointer: "/notes", detail: "must be a list" }];
  const tooMany = checkLength("/notes", notes, maxNotes);
  if (tooMany.length > 0) return tooMany;
  const { faults } = await readEntries(notes, { at: "/notes", schema: canvasNote, pause });
  return [...faults, ...repeatedIds("/notes", notes, "is the id of another note too")];
}

export const toPointer = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

export const toFaults = (issues: readonly z.core.$ZodIssue[], at = ""): FieldFault[] =>
  issues.map(({ path, message }) => ({ pointer: at + toPointer(path), detail: message }));

// Before anything looks at the entries: a list of millions would be answered with millions of faults.
const checkLength = (pointer: string, list: unknown, limit: number): FieldFault[] =>
  Array.isArray(list) && list.length > limit ? [{ pointer, detail: `must have at most ${limit} entries` }] : [];

type Reader<Entry> = { at: string; schema: z.ZodType<Entry>; pause: Pause };

async function readEntries<Entry>(list: unknown, { at, schema, pause }: Reader<Entry>) {
  const read: { entry: Entry; pointer: string }[] = [];
  const faults: FieldFault[] = [];
  for (const [index, sent] of (Array.isArray(list) ? (list as unknown[]) : []).entries()) {
    await pause();
    const pointer = `${at}/${index}`;
    if (hasMoreValues(sent, maxNodeValues)) {
      faults.push({ pointer, detail: `must have at most ${maxNodeValues} values in it` });
      continue;
    }
    const { data, error } = schema.safeParse(sent, { error: fieldMessage });
    if (error) faults.push(...toFaults(error.issues, pointer));
    else read.push({ entry: data, pointer });
  }
  return { read, faults };
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
