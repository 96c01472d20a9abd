import { type DragEvent, useLayoutEffect, useRef } from "react";
import { referenceType } from "../../parts/data-viewer/pick-button.tsx";
import { readText } from "../field-values.ts";
import { useForm } from "../form-context.ts";
import { insertReference, type Written } from "./complete.ts";
import { useCompletion } from "./use-completion.ts";

type Options = { text: string; isBare: boolean; readOnly: boolean; onChange: (text: string | undefined) => void };

/** A text field into which references are completed, inserted and dropped. */
export function useReferenceField({ text, isBare, readOnly, onChange }: Options) {
  const { expressions } = useForm();
  const field = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<number>(undefined);

  const write = (written: Written) => {
    if (readOnly) return;
    caret.current = written.caret;
    onChange(readText(written.text));
    field.current?.focus();
  };
  const completion = useCompletion({ suggestions: expressions?.suggestions ?? [], text, isBare, write });

  // React puts the caret at the end of a text it has replaced.
  useLayoutEffect(() => {
    if (caret.current === undefined || field.current?.value !== text) return;
    field.current.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  }, [text]);

  const insert = (reference: string) => {
    if (field.current) write(insertReference(field.current.value, field.current.selectionStart, reference, isBare));
  };
  // The field may be asked long after it had the focus, when the rest of the form has changed.
  const latest = useRef(insert);
  useLayoutEffect(() => {
    latest.current = insert;
  });

  const onFocus = () => {
    if (expressions?.lastField) expressions.lastField.current = { insert: (reference) => latest.current(reference) };
  };
  // Braces would break an expression; into other texts the browser itself puts what is dropped, where it is dropped.
  const onDrop = (event: DragEvent) => {
    const reference = event.dataTransfer.getData(referenceType);
    if (!isBare || reference === "") return;
    event.preventDefault();
    insert(reference);
  };
  return {
    field,
    completion,
    onFocus,
    onDrop,
    isOpen: completion.offered.length > 0 && !readOnly,
    preview: expressions?.preview,
  };
}
