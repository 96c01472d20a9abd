import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button, buttonLook } from "../../parts/button.tsx";
import { controlLook } from "../../parts/field.tsx";
import type { Schema } from "../field-shape.ts";
import { escapeKey, isSameJson, type RecordRow, readRows, repeatedKeys, rowsOf } from "../field-values.ts";
import { type ControlProps, useForm } from "../form-context.ts";
import { useRowFocus } from "./use-row-focus.ts";

type RecordControlProps = ControlProps & { entry: Schema; pointer: string };

/** Names with values, one row each. */
export function RecordControl({ id, entry, pointer, label, value, onChange, readOnly }: RecordControlProps) {
  const [draft, setDraft] = useState<RecordRow[]>([]);
  // Rows whose name is not written yet are no part of the value.
  const rows = isSameJson(readRows(draft), readRows(rowsOf(value))) ? draft : rowsOf(value);
  const { focusLater } = useRowFocus();
  const repeated = repeatedKeys(rows);
  const change = (next: RecordRow[]) => {
    setDraft(next);
    onChange(readRows(next));
  };
  return (
    <>
      {rows.map((row, index) => (
        <RecordEntry
          // biome-ignore lint/suspicious/noArrayIndexKey: the name of a row changes while it is written
          key={index}
          id={id}
          index={index}
          row={row}
          entry={entry}
          pointer={pointer}
          label={label}
          readOnly={readOnly}
          onChange={(next) => change(rows.with(index, next))}
          onRemove={() => {
            change(rows.toSpliced(index, 1));
            focusLater(`${id}-add`);
          }}
        />
      ))}
      {repeated.length > 0 && (
        <p className="text-sm text-danger">{repeated.join(", ")}: only the last of the same name counts.</p>
      )}
      {!readOnly && (
        <Button
          id={`${id}-add`}
          className="justify-self-start"
          aria-label={`Add to ${label}`}
          onClick={() => {
            change([...rows, { key: "", value: undefined }]);
            focusLater(`${id}-name-${rows.length}`);
          }}
        >
          <Plus className="size-4" aria-hidden="true" />
          Add
        </Button>
      )}
      {readOnly && rows.length === 0 && <p className="text-sm text-muted">None</p>}
    </>
  );
}

type RecordEntryProps = Pick<RecordControlProps, "id" | "entry" | "pointer" | "label" | "readOnly"> & {
  index: number;
  row: RecordRow;
  onChange: (row: RecordRow) => void;
  onRemove: () => void;
};

function RecordEntry({ id, index, row, entry, pointer, label, readOnly, onChange, onRemove }: RecordEntryProps) {
  const { Field } = useForm();
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] gap-1.5 rounded-lg border border-line p-2">
      <input
        id={`${id}-name-${index}`}
        type="text"
        autoComplete="off"
        spellCheck={false}
        aria-label={`Name ${index + 1} in ${label}`}
        placeholder="Name"
        readOnly={readOnly}
        value={row.key}
        onChange={(event) => onChange({ ...row, key: event.target.value })}
        className={controlLook}
      />
      {!readOnly && (
        <button
          type="button"
          aria-label={`Remove ${row.key || `row ${index + 1}`} from ${label}`}
          onClick={onRemove}
          className={`${buttonLook("bare")} px-2!`}
        >
          <X className="size-4" aria-hidden="true" />
        </button>
      )}
      <div className="col-span-2 min-w-0">
        <Field
          schema={entry}
          pointer={`${pointer}/${escapeKey(row.key)}`}
          label={row.key === "" ? `Value ${index + 1} in ${label}` : row.key}
          isEntry
          value={row.value}
          onChange={(next) => onChange({ ...row, value: next })}
        />
      </div>
    </div>
  );
}
