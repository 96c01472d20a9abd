import { type NodeProps, NodeResizeControl } from "@xyflow/react";
import { memo, use, useEffect, useRef } from "react";
import { type CanvasNote, maxNoteText } from "../../../src/workflows/wire.ts";
import { noteBoxId } from "../edit/note-edits.ts";
import type { NoteShape } from "../flow/flow-data.ts";
import { MoreButton } from "../flow/more-button.tsx";
import { boxId, MarkWord, markBorder } from "../flow/node-box.tsx";
import { leastNote, mostNote } from "./note-sizes.ts";
import { NotesContext } from "./notes-context.ts";
import { type NotePiece, readNote, titleOfNote } from "./read-note.ts";

/** A sheet of text behind the nodes. */
export const NoteSheet = memo(function NoteSheet({ data, selected }: NodeProps<NoteShape>) {
  const { note, mark, editable } = data;
  const actions = use(NotesContext);
  const isEditing = actions?.editingId === note.id;
  const border = selected ? "border-accent ring-2 ring-accent" : mark ? markBorder(mark) : "border-warning/40";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms; this groups what belongs to a note.
    <div
      id={boxId(noteBoxId(note.id))}
      role="group"
      aria-label={`Note: ${titleOfNote(note.text)}`}
      data-chosen={selected}
      onDoubleClick={() => actions?.edit(note.id)}
      className={`group/box relative size-full rounded-lg border bg-warning-soft text-sm ${border}`}
    >
      {mark && <MarkWord mark={mark} />}
      {editable && (
        <div className="absolute -top-4 right-3">
          <MoreButton
            target={{ kind: "box", boxId: noteBoxId(note.id) }}
            title={`the note ${titleOfNote(note.text)}`}
          />
        </div>
      )}
      {isEditing && actions ? (
        <NoteField note={note} onChange={actions.change} onEnd={actions.endEdit} />
      ) : (
        <NoteWords text={note.text} />
      )}
      {editable && actions && (
        <NodeResizeControl
          position="bottom-right"
          minWidth={leastNote.width}
          minHeight={leastNote.height}
          maxWidth={mostNote}
          maxHeight={mostNote}
          onResizeEnd={(_event, { x, y, width, height }) =>
            actions.change({ ...note, x, y, width: Math.round(width), height: Math.round(height) })
          }
          className="hidden! size-4! translate-0! border-0! bg-transparent! group-hover/box:block! group-data-[chosen=true]/box:block!"
          style={{ left: "auto", top: "auto", right: 0, bottom: 0 }}
        >
          <span
            className="absolute right-1 bottom-1 size-2.5 border-r-2 border-b-2 border-warning"
            aria-hidden="true"
          />
        </NodeResizeControl>
      )}
    </div>
  );
});

function NoteWords({ text }: { text: string }) {
  const { heading, rest } = readNote(text);
  if (text.trim() === "") return <p className="px-4 py-3 text-muted">An empty note</p>;
  return (
    <div className="size-full overflow-hidden px-4 py-3 whitespace-pre-wrap text-ink wrap-anywhere">
      <p className="font-semibold text-warning">
        <Pieces pieces={heading} />
      </p>
      <p className="mt-1">
        <Pieces pieces={rest} />
      </p>
    </div>
  );
}

const Pieces = ({ pieces }: { pieces: readonly NotePiece[] }) =>
  pieces.map(({ text, href }, index) =>
    href === undefined ? (
      text
    ) : (
      <a
        // biome-ignore lint/suspicious/noArrayIndexKey: the same link may stand twice, and the text is replaced as a whole.
        key={index}
        href={href}
        title={href}
        target="_blank"
        rel="noopener noreferrer"
        className="nodrag nopan text-accent underline underline-offset-2"
      >
        {text}
      </a>
    ),
  );

type NoteFieldProps = { note: CanvasNote; onChange: (note: CanvasNote) => void; onEnd: (back: boolean) => void };

const nearlyFull = maxNoteText - 500;

function NoteField({ note, onChange, onEnd }: NoteFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, []);
  return (
    <>
      <textarea
        ref={field}
        aria-label="Text of the note"
        maxLength={maxNoteText}
        value={note.text}
        placeholder="The first line is the heading. [words](https://…) is a link."
        onChange={(event) => onChange({ ...note, text: event.target.value })}
        onBlur={() => onEnd(false)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onEnd(true);
        }}
        className="nodrag nopan nowheel block size-full resize-none rounded-lg bg-transparent px-4 py-3 text-ink outline-offset-[-2px] placeholder:text-muted"
      />
      {note.text.length >= nearlyFull && (
        <p role="status" className="absolute top-full mt-1 rounded bg-surface px-1.5 text-xs text-muted">
          {note.text.length} of {maxNoteText} characters
        </p>
      )}
    </>
  );
}
