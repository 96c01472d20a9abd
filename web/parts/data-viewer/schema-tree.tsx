import { useMemo } from "react";
import { PickButton } from "./pick-button.tsx";
import { stepInto } from "./reference-path.ts";
import { type SeenField, schemaOf } from "./schema-of.ts";
import { useShowMore } from "./show-more.tsx";

type SchemaTreeProps = { value: unknown; label: string; path: string; isEach?: boolean };

/** Which fields there are, of what type, with an example of each. */
export function SchemaTree({ value, label, path, isEach = false }: SchemaTreeProps) {
  const schema = useMemo(() => schemaOf(value), [value]);
  const item = isEach ? (schema.fields.find(({ name }) => name === "[]") ?? schema) : schema;
  return item.fields.length === 0 ? (
    <p className="p-2.5 text-xs">
      <Facts field={item} />
    </p>
  ) : (
    <FieldTree fields={item.fields} path={path} label={label} />
  );
}

type FieldTreeProps = { fields: readonly SeenField[]; path: string; label: string };

/** Fields below each other, with a sign for the type of each. */
export function FieldTree({ fields, path, label }: FieldTreeProps) {
  return (
    <div className="p-1.5 text-xs">
      <Fields fields={fields} path={path} label={label} />
    </div>
  );
}

function Fields({ fields, path, label }: { fields: readonly SeenField[]; path: string; label?: string }) {
  const more = useShowMore(fields.length, 100);
  return (
    <ul aria-label={label} className={label ? "" : "pl-4"}>
      {fields.slice(0, more.shown).map((field) => {
        const inside = field.name === "[]" ? stepInto(path, 0) : stepInto(path, field.name);
        return (
          <li key={field.name}>
            <div className="relative flex min-h-6 min-w-0 items-center gap-1.5 rounded px-1.5 has-[button]:hover:bg-accent-soft has-[button]:hover:text-accent-strong">
              <span
                aria-hidden="true"
                title={field.types.join(" or ")}
                className="w-4 shrink-0 text-center font-mono text-muted"
              >
                {signOf(field)}
              </span>
              <PickButton path={inside} className="shrink-0 font-medium whitespace-nowrap after:absolute after:inset-0">
                {field.name === "[]" ? "each entry" : field.name}
              </PickButton>
              <Facts field={field} />
            </div>
            {field.fields.length > 0 && <Fields fields={field.fields} path={inside} />}
          </li>
        );
      })}
      {more.button && <li>{more.button}</li>}
    </ul>
  );
}

const signs: Record<string, string> = { text: "T", number: "#", list: "[]", object: "{}", "true or false": "✓" };

const signOf = ({ types }: SeenField): string => signs[types.find((type) => type !== "null") ?? ""] ?? "·";

function Facts({ field: { types, example, isSometimesMissing } }: { field: SeenField }) {
  return (
    <span className="min-w-0 truncate text-muted">
      <span className="sr-only">{types.join(" or ")} </span>
      {example && <span className="font-mono">{example}</span>}
      {isSometimesMissing && <span className="italic">{example && " · "}sometimes missing</span>}
    </span>
  );
}
