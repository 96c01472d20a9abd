import type { Canvas, CanvasNote } from "../../../src/workflows/wire.ts";
import { firstFree } from "./new-ids.ts";
import type { Positions } from "./places.ts";

/** Notes lie among the boxes of the canvas; a colon is in no id of a node. */
const prefix = "note:";
export const noteBoxId = (noteId: string): string => prefix + noteId;
/** The id of the note that a box shows; undefined for the box of a node. */
export const noteIdOf = (boxId: string): string | undefined =>
  boxId.startsWith(prefix) ? boxId.slice(prefix.length) : undefined;

export function addNote(canvas: Canvas, note: Omit<CanvasNote, "id">): { canvas: Canvas; select: readonly string[] } {
  const id = firstFree("note_1", new Set(canvas.notes?.map((each) => each.id)));
  return { canvas: withNotes(canvas, [...(canvas.notes ?? []), { id, ...note }]), select: [noteBoxId(id)] };
}

export const changeNote = (canvas: Canvas, note: CanvasNote): Canvas =>
  canvas.notes?.some(({ id }) => id === note.id)
    ? withNotes(
        canvas,
        canvas.notes.map((each) => (each.id === note.id ? note : each)),
      )
    : canvas;

export const removeNotes = (canvas: Canvas, ids: readonly string[]): Canvas =>
  canvas.notes?.some(({ id }) => ids.includes(id))
    ? withNotes(
        canvas,
        canvas.notes.filter(({ id }) => !ids.includes(id)),
      )
    : canvas;

/** The places are named by box. */
export function moveNotes(canvas: Canvas, positions: Positions): Canvas {
  const isMoved = ({ id, x, y }: CanvasNote) => {
    const to = positions[noteBoxId(id)];
    return to !== undefined && (to.x !== x || to.y !== y);
  };
  if (!canvas.notes?.some(isMoved)) return canvas;
  return withNotes(
    canvas,
    canvas.notes.map((note) => (isMoved(note) ? { ...note, ...positions[noteBoxId(note.id)] } : note)),
  );
}

/** A canvas without notes does not speak of them, as it was before there was one. */
function withNotes({ notes: _before, ...canvas }: Canvas, notes: CanvasNote[]): Canvas {
  return notes.length > 0 ? { ...canvas, notes } : canvas;
}
