import { useReactFlow } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useMemo, useState } from "react";
import { maxNotes } from "../../../src/workflows/wire.ts";
import { noteIdOf } from "../edit/note-edits.ts";
import type { Place } from "../edit/places.ts";
import type { Editor } from "../editor/use-editor.ts";
import { newNote } from "./note-sizes.ts";
import type { NoteActions } from "./notes-context.ts";

type Options = { editor: Editor; frame: RefObject<HTMLDivElement | null> };

/** Adding notes and writing into them. */
export function useNotes({ editor, frame }: Options) {
  const { canvas, edit } = editor;
  const flow = useReactFlow();
  const [editingId, setEditing] = useState<string>();
  const [problem, setProblem] = useState<string>();
  useWrittenFirst(editor, setEditing);

  /** At a place of the screen, or in the middle of what is seen. */
  function add(at?: Place): void {
    if ((canvas.notes?.length ?? 0) >= maxNotes) {
      setProblem(`A workflow has at most ${maxNotes} notes. Delete one first.`);
      return;
    }
    setProblem(undefined);
    const { x, y } = flow.screenToFlowPosition(at ?? middleOf(frame.current));
    edit({ type: "addNote", note: { text: "", x: toGrid(x), y: toGrid(y), ...newNote } });
  }

  const endEdit = useCallback(
    (back: boolean) => {
      setEditing(undefined);
      if (back) frame.current?.focus();
    },
    [frame],
  );
  const actions: NoteActions = useMemo(
    () => ({
      editingId,
      edit: setEditing,
      endEdit,
      change: (note) => edit({ type: "changeNote", note, atMs: Date.now() }),
    }),
    [editingId, edit, endEdit],
  );
  return { actions, add, problem };
}

/** A note without a word was added just now, and is there to be written. */
function useWrittenFirst({ canvas, select }: Editor, onWrite: (noteId: string) => void): void {
  const noteId = select.length === 1 ? noteIdOf(select[0] ?? "") : undefined;
  const isEmpty = canvas.notes?.find(({ id }) => id === noteId)?.text === "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: an emptied note is not opened again, only one that an edit selects.
  useEffect(() => {
    if (noteId !== undefined && isEmpty) onWrite(noteId);
  }, [select, onWrite]);
}

function middleOf(frame: HTMLElement | null): Place {
  const { left = 0, top = 0, width = 0, height = 0 } = frame?.getBoundingClientRect() ?? {};
  return { x: left + width / 2 - newNote.width / 2, y: top + height / 2 - newNote.height / 2 };
}

const toGrid = (value: number) => Math.round(value / 10) * 10;
