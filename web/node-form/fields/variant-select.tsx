import { controlLook } from "../../parts/field.tsx";
import type { Schema } from "../field-shape.ts";

type VariantSelectProps = {
  id: string;
  label: string;
  options: Schema[];
  chosen: number;
  readOnly: boolean;
  onChange: (index: number) => void;
};

/** Which of several kinds of value a field holds. */
export function VariantSelect({ id, label, options, chosen, readOnly, onChange }: VariantSelectProps) {
  return (
    <select
      id={`${id}-kind`}
      aria-label={`Kind of ${label}`}
      disabled={readOnly}
      value={String(chosen)}
      onChange={(event) => onChange(Number(event.target.value))}
      className={controlLook}
    >
      {options.map((option, index) => (
        <option key={nameOf(option, index)} value={String(index)}>
          {nameOf(option, index)}
        </option>
      ))}
    </select>
  );
}

function nameOf({ title, type, const: only }: Schema, index: number): string {
  if (typeof title === "string") return title;
  return only === undefined ? `${index + 1}: ${typeNames[String(type)] ?? "Any value"}` : String(only);
}

const typeNames: Record<string, string> = {
  string: "Text",
  number: "Number",
  integer: "Whole number",
  boolean: "Yes or no",
  array: "List",
  object: "Object",
};
