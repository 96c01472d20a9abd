import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fieldMessage } from "./field-message.ts";

const messageOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: fieldMessage }).error?.issues[0]?.message;

describe("what people read about a wrong field", () => {
  it.each<[string, z.ZodType, unknown]>([
    ["is required", z.string(), undefined],
    ["is required", z.enum(["a", "b"]), undefined],
    ["is required", z.union([z.string(), z.number()]), undefined],
    ["must be text", z.string(), 5],
    ["must be text", z.string(), null],
    ["must be a number", z.number(), "5"],
    ["must be a whole number", z.int(), 1.5],
    ["must be true or false", z.boolean(), "yes"],
    ["must be a list", z.array(z.string()), {}],
    ["must be an object", z.object({}), []],
    ["must be an object", z.record(z.string(), z.string()), "x"],
    ["must be of another kind", z.date(), "x"],
    ["must not be empty", z.string().min(1), ""],
    ["must be at least 8 characters", z.string().min(8), "short"],
    ["must be at most 1 character", z.string().max(1), "ab"],
    ["must be at least 3", z.number().min(3), 2],
    ["must be at most 3", z.number().max(3), 4],
    ["must have at least 1 entry", z.array(z.string()).min(1), []],
    ["must have at most 2 entries", z.array(z.string()).max(2), ["a", "b", "c"]],
    ["must be one of a, b", z.enum(["a", "b"]), "c"],
    ["must be a", z.literal("a"), "c"],
    ["must be a multiple of 5", z.number().multipleOf(5), 3],
    ["is not an e-mail address", z.email(), "nobody"],
    ["is not a valid id", z.uuid(), "1"],
    ["is not a valid URL", z.url(), "x"],
    ["must be a date and time such as 2026-01-31T12:00:00Z", z.iso.datetime(), "tomorrow"],
    ["must be a date such as 2026-01-31", z.iso.date(), "tomorrow"],
    ["does not have the expected form", z.string().regex(/^a$/), "b"],
    ["has unknown fields: b", z.strictObject({}), { b: 1 }],
    [
      "has unknown fields: a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 90 more",
      z.strictObject({}),
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, 1])),
    ],
    [`has unknown fields: ${"x".repeat(100)}…`, z.strictObject({}), { ["x".repeat(5000)]: 1 }],
    ["is not valid", z.union([z.string(), z.number()]), true],
  ])("%s", (message, schema, value) => {
    expect(messageOf(schema, value)).toBe(message);
  });

  it("leaves a schema its own words", () => {
    expect(messageOf(z.string("must be a name"), 5)).toBe("must be a name");
  });
});
