import { z } from "zod";

export type JsonSchema = { [key: string]: unknown };

type Direction = "input" | "output";

const known = { input: new WeakMap<z.ZodType, JsonSchema>(), output: new WeakMap<z.ZodType, JsonSchema>() };

/**
 * JSON Schema 2020-12 of a descriptor, without what only zod says: the same text every time. It is made once, because a start asks for the
 * same ones several times, and frozen, because all who ask share it.
 */
export function toJsonSchema(schema: z.ZodType, io: Direction): JsonSchema {
  const made = known[io].get(schema) ?? make(schema, io);
  known[io].set(schema, made);
  return made;
}

function make(schema: z.ZodType, io: Direction): JsonSchema {
  const made = z.toJSONSchema(schema, { target: "draft-2020-12", io, unrepresentable: "throw" }) as JsonSchema;
  const { $schema: _, ...rest } = clean(made) as JsonSchema;
  return Object.freeze(rest);
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(clean));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, entry]) => !isNoise(key, entry));
  const kept = entries.map(([key, entry]) => (isSecretMark(key, entry) ? ["writeOnly", true] : [key, clean(entry)]));
  return Object.freeze(Object.fromEntries(kept));
}

const isSecretMark = (key: string, entry: unknown): boolean => key === "secret" && entry === true;

// zod writes the limits of safe integers and the obvious type of keys into every schema.
function isNoise(key: string, entry: unknown): boolean {
  if (key === "minimum" || key === "maximum") return Math.abs(Number(entry)) === Number.MAX_SAFE_INTEGER;
  return key === "propertyNames";
}
