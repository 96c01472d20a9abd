import { expect, it } from "vitest";
import { listSchemaRows } from "./schema-rows.ts";

it("lists nested fields with their way from the top, in words", () => {
  const rows = listSchemaRows({
    type: "object",
    required: ["to"],
    properties: {
      to: {
        type: "array",
        maxItems: 5,
        items: { type: "object", properties: { email: { type: "string", format: "email" } } },
      },
      limit: { type: "integer", minimum: 1, maximum: 1000, default: 10, description: "How many." },
      mode: { enum: ["a", "b"] },
      since: { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] },
    },
  });
  expect(rows).toEqual([
    { path: "to", type: "list of object", isRequired: true, description: "", details: ["at most 5 entries"] },
    { path: "to[].email", type: "email address", isRequired: false, description: "", details: [] },
    {
      path: "limit",
      type: "whole number",
      isRequired: false,
      description: "How many.",
      details: ["at least 1", "at most 1,000", "default 10"],
    },
    { path: "mode", type: "one of", isRequired: false, description: "", details: ['"a", "b"'] },
    { path: "since", type: "date and time or null", isRequired: false, description: "", details: [] },
  ]);
});

it("ends where a schema has no fields", () => {
  expect(listSchemaRows({ type: "object" })).toEqual([]);
});
