import { arrangeFields, type FormField, fieldsOf, labelOf, type Schema } from "../field-shape.ts";
import { escapeKey, setField } from "../field-values.ts";
import { useForm } from "../form-context.ts";
import { shownFields } from "../shown-fields.ts";
import { UnknownFields } from "./unknown-fields.tsx";

type ObjectFieldsProps = {
  schema: Schema;
  pointer: string;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
};

/** All fields of an object; the optional ones are folded away where there are many. */
export function ObjectFields({ schema, pointer, value, onChange }: ObjectFieldsProps) {
  const { Field, faults, readOnly } = useForm();
  const { shown, more } = arrangeFields(schema, shownFields(fieldsOf(schema), value));
  const known = new Set(fieldsOf(schema).map(({ name }) => name));
  const unknown = schema.additionalProperties === false ? Object.keys(value).filter((name) => !known.has(name)) : [];
  const render = ({ name, schema: field, isRequired }: FormField) => (
    <Field
      key={name}
      schema={field}
      pointer={`${pointer}/${escapeKey(name)}`}
      label={labelOf(field, name)}
      value={value[name]}
      onChange={(entry) => onChange(setField(value, name, entry))}
      isRequired={isRequired}
    />
  );
  const isInUse = ({ name }: FormField) =>
    value[name] !== undefined ||
    faults.some((fault) => `${fault.pointer}/`.startsWith(`${pointer}/${escapeKey(name)}/`));
  return (
    <>
      {shown.map(render)}
      <UnknownFields
        names={unknown}
        readOnly={readOnly}
        onRemove={(name) => onChange(setField(value, name, undefined))}
      />
      {more.length > 0 && (
        <details open={more.some(isInUse) || undefined} className="group min-w-0">
          <summary className="cursor-pointer rounded-md py-1 text-sm font-medium text-accent">
            More fields <span className="font-normal text-muted">({more.length})</span>
          </summary>
          <div className="mt-3 grid min-w-0 gap-4 border-l border-line pl-3">{more.map(render)}</div>
        </details>
      )}
    </>
  );
}
