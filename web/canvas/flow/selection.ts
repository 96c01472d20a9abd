import { noteIdOf } from "../edit/note-edits.ts";

/** What is selected on a canvas, by canvas id. */
export type Selection = { nodeIds: readonly string[]; edgeIds: readonly string[]; noteIds: readonly string[] };

export const nothingSelected: Selection = { nodeIds: [], edgeIds: [], noteIds: [] };

type Drawn = { id: string };

export function selectionOf(boxes: readonly Drawn[], lines: readonly Drawn[]): Selection {
  return {
    nodeIds: boxes.flatMap(({ id }) => (noteIdOf(id) === undefined ? [id] : [])),
    edgeIds: lines.map(({ id }) => id),
    noteIds: boxes.flatMap(({ id }) => noteIdOf(id) ?? []),
  };
}
