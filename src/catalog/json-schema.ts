import { z } from "zod";

export type JsonSchema = { [key: string]: unknown };

/** JSON Schema 2020-12 of a descriptor, without what only zod says: the same text every time. */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const made = z.toJSONSchema(schema, { target: "draft-2020-12", io, unrepresentable: "throw" }) as JsonSchema;
  const { $schema: _, ...rest } = clean(made) as JsonSchema;
  return rest;
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, entry]) => !isNoise(key, entry));
  return Object.fromEntries(entries.map(([key, entry]) => (isSecretMark(key, entry) ? ["writeOnly", true] : [key, clean(entry)])));
}

const isSecretMark = (key: string, entry: unknown): boolean => key === "secret" && entry === true;

// zod writes the limits of safe integers and the obvious type of keys into every schema.
function isNoise(key: string, entry: unknown): boolean {
  if (key === "minimum" || key === "maximum") return Math.abs(Number(entry)) === Number.MAX_SAFE_INTEGER;
  return key === "propertyNames";
}
