import type { z } from "zod";
import { type JsonSchema, toJsonSchema } from "../catalog/json-schema.ts";

const known = new WeakMap<z.ZodObject, string[]>();

/** The fields marked `.meta({ expression: true })` as JSON Pointers; `*` stands for every place of a list or key of a map. */
export function expressionFieldsOf(input: z.ZodObject): string[] {
  const fields = known.get(input) ?? collect(toJsonSchema(input, "input"), "");
  known.set(input, fields);
  return fields;
}

export function isExpressionField(pointer: string, fields: readonly string[]): boolean {
  if (fields.length === 0) return false;
  const parts = pointer.split("/");
  return fields.some((field) => {
    const wanted = field.split("/");
    return wanted.length === parts.length && wanted.every((part, index) => part === "*" || part === parts[index]);
  });
}

function collect(schema: JsonSchema, pointer: string): string[] {
  if (schema.expression === true) return [pointer];
  const { properties = {}, items, additionalProperties } = schema as Record<string, JsonSchema | undefined>;
  const inside = Object.entries(properties as Record<string, JsonSchema>).map(([key, entry]): [string, unknown] => [
    key,
    entry,
  ]);
  return [...inside, ["*", items] as const, ["*", additionalProperties] as const].flatMap(([key, entry]) =>
    typeof entry === "object" && entry !== null ? collect(entry as JsonSchema, `${pointer}/${key}`) : [],
  );
}
