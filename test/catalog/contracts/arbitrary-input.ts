import fc from "fast-check";
import type { JsonSchema } from "../../../src/catalog/json-schema.ts";
import { awkwardTexts, longText } from "./awkward-texts.ts";

/** Values that mean something to the provider, by the name of the parameter. */
export type Hints = Record<string, fc.Arbitrary<unknown>>;

/** Inputs a tool's schema allows. Where there is a hint, most values come from it and the others from the schema, unless they are passed on. */
export function arbitraryInput(
  schema: JsonSchema,
  hints: Hints = {},
  passedOn: string[] = [],
): fc.Arbitrary<Record<string, unknown>> {
  const properties = schema.properties as Record<string, JsonSchema>;
  const values = Object.entries(properties).map(([name, property]) => {
    const hint = hints[name];
    const derived = arbitraryOf(property);
    const value =
      hint === undefined ? derived : passedOn.includes(name) ? hint : fc.oneof({ weight: 5, arbitrary: hint }, derived);
    return [name, value];
  });
  return fc.record(Object.fromEntries(values) as Hints, { requiredKeys: (schema.required ?? []) as string[] });
}

function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (schema.type) {
    case "string":
      return arbitraryText(schema);
    case "integer":
      return arbitraryInteger(schema);
    case "number":
      return fc.double({ min: numberOf(schema.minimum, -1e9), max: numberOf(schema.maximum, 1e9), noNaN: true });
    case "boolean":
      return fc.boolean();
    case "array": {
      const minLength = numberOf(schema.minItems, 0);
      const maxLength = numberOf(schema.maxItems, minLength + 12);
      return fc.array(arbitraryOf((schema.items ?? {}) as JsonSchema), { minLength, maxLength, size: "small" });
    }
    case "object":
      return fc.dictionary(arbitraryText({ minLength: 1 }), arbitraryJson, { maxKeys: 5 });
    default:
      return arbitraryJson;
  }
}

const arbitraryJson = fc.oneof(fc.constantFrom(...awkwardTexts), fc.jsonValue({ maxDepth: 2, stringUnit: "grapheme" }));

function arbitraryText({ minLength, maxLength, format }: JsonSchema): fc.Arbitrary<string> {
  const limits = { minLength: numberOf(minLength, 0), maxLength: numberOf(maxLength, 300) };
  const fitting = awkwardTexts.filter((text) => text.length >= limits.minLength);
  return fc
    .oneof(
      fc.constantFrom(...fitting),
      fc.string({ ...limits, unit: "grapheme" }),
      fc.string({ ...limits, unit: "binary" }),
      ...(format === "date-time" ? [fc.date({ noInvalidDate: true }).map((date) => date.toISOString())] : []),
      ...(format === "email" ? [fc.emailAddress()] : []),
      fc.constant(longText(numberOf(maxLength, 5000))),
    )
    .map((text) => text.slice(0, numberOf(maxLength, Number.POSITIVE_INFINITY)));
}

function arbitraryInteger({ minimum, maximum }: JsonSchema): fc.Arbitrary<number> {
  const min = numberOf(minimum, Number.MIN_SAFE_INTEGER);
  const max = numberOf(maximum, Number.MAX_SAFE_INTEGER);
  const small = { min: Math.max(min, -3), max: Math.min(max, Math.max(min, 0) + 300) };
  return fc.oneof(fc.integer(small), fc.constantFrom(min, max));
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);
