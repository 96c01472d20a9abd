import type { SeenField } from "../../parts/data-viewer/schema-of.ts";
import { fieldsOf, isSchema, type Schema } from "../field-shape.ts";

const deepest = 5;

/** The fields that a JSON Schema promises, as those of data are shown. */
export function seenFields(schema: Schema, depth = 0): SeenField[] {
  if (depth >= deepest) return [];
  const own = fieldsOf(schema).map(({ name, schema: field }) => toSeen(name, field, depth));
  const entry = isSchema(schema.items) ? [toSeen("[]", schema.items, depth)] : [];
  return [...own, ...entry];
}

const toSeen = (name: string, schema: Schema, depth: number): SeenField => ({
  name,
  types: typesOf(schema),
  example: "",
  isSometimesMissing: false,
  fields: seenFields(schema, depth + 1),
});

const words: Record<string, string> = {
  string: "text",
  integer: "number",
  boolean: "true or false",
  array: "list",
};

function typesOf({ type, anyOf }: Schema): string[] {
  if (Array.isArray(anyOf)) return [...new Set(anyOf.filter(isSchema).flatMap(typesOf))];
  const types = Array.isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)];
  return types.map((one) => words[one] ?? one);
}
