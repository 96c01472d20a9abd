import { useMemo } from "react";
import { PickButton } from "./pick-button.tsx";
import { stepInto } from "./reference-path.ts";
import { type SeenField, schemaOf } from "./schema-of.ts";

type SchemaTreeProps = { value: unknown; label: string; path: string };

/** Which fields there are, of what type, with an example of each. */
export function SchemaTree({ value, label, path }: SchemaTreeProps) {
  const schema = useMemo(() => schemaOf(value), [value]);
  return (
    <div className="p-2.5 text-sm leading-6">
      {schema.fields.length === 0 ? (
        <Facts field={schema} />
      ) : (
        <Fields fields={schema.fields} path={path} label={label} />
      )}
    </div>
  );
}

function Fields({ fields, path, label }: { fields: SeenField[]; path: string; label?: string }) {
  return (
    <ul aria-label={label} className={label ? "" : "ml-1 border-l border-line pl-3"}>
      {fields.map((field) => {
        const inside = field.name === "[]" ? stepInto(path, 0) : stepInto(path, field.name);
        return (
          <li key={field.name}>
            <PickButton path={inside} className="font-mono text-xs font-medium">
              {field.name === "[]" ? "each entry" : field.name}
            </PickButton>{" "}
            <Facts field={field} />
            {field.fields.length > 0 && <Fields fields={field.fields} path={inside} />}
          </li>
        );
      })}
    </ul>
  );
}

function Facts({ field: { types, example, isSometimesMissing } }: { field: SeenField }) {
  return (
    <span className="text-xs text-muted">
      {types.join(" or ")}
      {isSometimesMissing && ", sometimes missing"}
      {example && <span className="ml-2 font-mono wrap-anywhere">{example}</span>}
    </span>
  );
}
