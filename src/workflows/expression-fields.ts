import type { z } from "zod";
import { type JsonSchema, toJsonSchema } from "../catalog/json-schema.ts";

type Mark = "expression" | "mayFindNothing";
const known = {
  expression: new WeakMap<z.ZodObject, string[]>(),
  mayFindNothing: new WeakMap<z.ZodObject, string[]>(),
};

/** The fields marked `.meta({ expression: true })` as JSON Pointers; `*` stands for every place of a list or key of a map. */
export const expressionFieldsOf = (input: z.ZodObject): string[] => fieldsMarked(input, "expression");

/** In the same way those marked `.meta({ mayFindNothing: true })`: a reference in them that finds nothing is null. */
export const nullableFieldsOf = (input: z.ZodObject): string[] => fieldsMarked(input, "mayFindNothing");

function fieldsMarked(input: z.ZodObject, mark: Mark): string[] {
  const fields = known[mark].get(input) ?? collect(toJsonSchema(input, "input"), "", mark);
  known[mark].set(input, fields);
  return fields;
}

export const isExpressionField = (pointer: string, fields: readonly string[]): boolean =>
  fields.length > 0 && isAmong(pointer.split("/"), fields);

/** Whether it is one of the fields, or in one of them. */
export function isInField(pointer: string, fields: readonly string[]): boolean {
  if (fields.length === 0) return false;
  const parts = pointer.split("/");
  return fields.some((field) => isAmong(parts.slice(0, field.split("/").length), [field]));
}

function isAmong(parts: string[], fields: readonly string[]): boolean {
  return fields.some((field) => {
    const wanted = field.split("/");
    return wanted.length === parts.length && wanted.every((part, index) => part === "*" || part === parts[index]);
  });
}

function collect(schema: JsonSchema, pointer: string, mark: Mark): string[] {
  const { properties = {}, items, additionalProperties, rows } = schema as Record<string, JsonSchema | undefined>;
  const places: [string, unknown][] = [
    ...Object.entries(properties).map(([key, entry]): [string, unknown] => [`/${key}`, entry]),
    ["/*", items],
    ["/*", additionalProperties],
    // A condition may be rows instead of an expression.
    ["", rows],
  ];
  const inside = places.flatMap(([step, entry]) =>
    typeof entry === "object" && entry !== null ? collect(entry as JsonSchema, pointer + step, mark) : [],
  );
  return schema[mark] === true ? [pointer, ...inside] : inside;
}
