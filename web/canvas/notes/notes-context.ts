import { createContext } from "react";
import type { CanvasNote } from "../../../src/workflows/wire.ts";

/** What can be done with a note on the canvas. Absent where the canvas is only shown. */
export type NoteActions = {
  /** The note that is written into. */
  editingId: string | undefined;
  edit: (noteId: string) => void;
  /** The reader is done with writing. `back`: goes on with the keys of the canvas. */
  endEdit: (back: boolean) => void;
  change: (note: CanvasNote) => void;
};

export const NotesContext = createContext<NoteActions | undefined>(undefined);
