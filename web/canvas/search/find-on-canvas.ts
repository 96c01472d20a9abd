import type { Canvas, CanvasNode } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { noteBoxId } from "../edit/note-edits.ts";
import { titleOfNote } from "../notes/read-note.ts";
import { nodeTitle } from "../words.ts";

/** A box that fits what is searched for, and why. */
export type Hit = { boxId: string; title: string; where: "name" | "kind" | "note" | "text" };

type Kinds = ReadonlyMap<string, NodeKind>;

/** Nodes and notes that have all words, from left to right and from top to bottom. */
export function findOnCanvas({ nodes, notes = [] }: Canvas, kinds: Kinds, text: string): Hit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const ofNodes = nodes.flatMap((node) => {
    const where = whereIn(node, kinds, words);
    const place = node.position ?? { x: 0, y: 0 };
    return where ? [{ hit: { boxId: node.id, title: nodeTitle(node, kinds.get(node.nodeId)), where }, place }] : [];
  });
  const ofNotes = notes.flatMap((note) =>
    hasAll(note.text, words)
      ? [{ hit: { boxId: noteBoxId(note.id), title: titleOfNote(note.text), where: "note" as const }, place: note }]
      : [],
  );
  return [...ofNodes, ...ofNotes]
    .toSorted((one, other) => one.place.x - other.place.x || one.place.y - other.place.y)
    .map(({ hit }) => hit);
}

function whereIn(node: CanvasNode, kinds: Kinds, words: readonly string[]): Hit["where"] | undefined {
  const kind = kinds.get(node.nodeId);
  const parts: Record<Hit["where"], string> = {
    name: `${nodeTitle(node, kind)} ${node.id}`,
    kind: `${kind?.provider?.title ?? ""} ${kind?.title ?? ""} ${node.nodeId}`,
    note: node.note ?? "",
    text: `${textsIn(node.parameters)} ${node.instruction ?? ""}`,
  };
  const found = (Object.keys(parts) as Hit["where"][]).find((part) => hasAll(parts[part], words));
  return found ?? (hasAll(Object.values(parts).join(" "), words) ? "text" : undefined);
}

const hasAll = (text: string, words: readonly string[]): boolean => {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
};

/** All texts and numbers in a value, with the names of its fields. */
function textsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(textsIn).join(" ");
  if (typeof value !== "object" || value === null) return value === null || value === undefined ? "" : String(value);
  return Object.entries(value)
    .map(([key, entry]) => `${key} ${textsIn(entry)}`)
    .join(" ");
}
