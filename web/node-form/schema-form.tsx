import { useId, useMemo, useState } from "react";
import type { ChoiceSource } from "../api/credentials.ts";
import type { FieldFault } from "../problem.ts";
import type { Expressions } from "./expressions/expressions.ts";
import type { Schema } from "./field-shape.ts";
import { FaultLines } from "./fields/fault-lines.tsx";
import { ObjectFields } from "./fields/object-fields.tsx";
import { SchemaField } from "./fields/schema-field.tsx";
import { FormContext } from "./form-context.ts";
import { createUnreadTexts, type UnreadTexts } from "./unread-texts.ts";

type SchemaFormProps = {
  schema: Schema;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  /** Pointers are relative to the value; shown at their fields in the words of the server. */
  faults: readonly FieldFault[];
  /** Given where fields may hold references. */
  expressions?: Expressions | undefined;
  readOnly?: boolean;
  /** Given where an account is chosen that fields may offer something of. */
  choicesFrom?: ChoiceSource | undefined;
  /** For `focusField`; ids of the fields are this and their pointers. */
  idPrefix?: string;
  /** Given where the form may be closed and opened again. */
  unreadTexts?: UnreadTexts;
};

/** A form for anything that has a JSON Schema. Empty optional fields are left out of the value. */
export function SchemaForm({
  schema,
  value,
  onChange,
  faults,
  expressions,
  readOnly = false,
  ...kept
}: SchemaFormProps) {
  const ownId = useId();
  const [ownTexts] = useState(createUnreadTexts);
  const { idPrefix: prefix = ownId, unreadTexts = ownTexts, choicesFrom } = kept;
  const context = useMemo(
    () => ({
      idPrefix: prefix,
      readOnly,
      faults,
      expressions,
      unreadTexts,
      choicesFrom,
      whole: { schema, value },
      Field: SchemaField,
    }),
    [prefix, readOnly, faults, expressions, unreadTexts, choicesFrom, schema, value],
  );
  return (
    <FormContext value={context}>
      <div className="grid min-w-0 gap-4">
        <FaultLines id={`${prefix}-fault`} label="The form" faults={faults.filter(({ pointer }) => pointer === "")} />
        <ObjectFields schema={schema} pointer="" value={value} onChange={onChange} />
      </div>
    </FormContext>
  );
}
