import { Plus, X } from "lucide-react";
import { Button, buttonLook } from "../../parts/button.tsx";
import type { Schema } from "../field-shape.ts";
import { emptyEntry } from "../field-values.ts";
import { type ControlProps, useForm } from "../form-context.ts";
import { useRowFocus } from "./use-row-focus.ts";

type ListControlProps = ControlProps & { entry: Schema; pointer: string };

/** One row for each entry. A list without entries is an empty field. */
export function ListControl({ entry, pointer, id, label, value, onChange, readOnly }: ListControlProps) {
  const { Field } = useForm();
  const entries: unknown[] = Array.isArray(value) ? value : [];
  const { focusLater } = useRowFocus();
  const change = (next: unknown[]) => onChange(next.length === 0 ? undefined : next);
  return (
    <>
      {entries.length > 0 && (
        <ul className="grid min-w-0 gap-2">
          {entries.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no other identity
            <li key={index} className="flex min-w-0 items-start gap-1.5">
              <div className="min-w-0 flex-1">
                <Field
                  schema={entry}
                  pointer={`${pointer}/${index}`}
                  label={`${label} ${index + 1}`}
                  isEntry
                  value={item}
                  onChange={(next) => change(entries.with(index, next ?? emptyEntry(entry)))}
                />
              </div>
              {!readOnly && (
                <button
                  type="button"
                  aria-label={`Remove ${label} ${index + 1}`}
                  onClick={() => {
                    change(entries.toSpliced(index, 1));
                    focusLater(`${id}-add`);
                  }}
                  className={`${buttonLook("bare")} mt-0.5 shrink-0 px-2!`}
                >
                  <X className="size-4" aria-hidden="true" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {!readOnly && (
        <Button
          id={`${id}-add`}
          className="justify-self-start"
          aria-label={`Add to ${label}`}
          onClick={() => {
            change([...entries, emptyEntry(entry)]);
            focusLater(`${id}/${entries.length}`);
          }}
        >
          <Plus className="size-4" aria-hidden="true" />
          Add
        </Button>
      )}
      {readOnly && entries.length === 0 && <p className="text-sm text-muted">None</p>}
    </>
  );
}
