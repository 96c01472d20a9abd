import { expect, it } from "vitest";
import { z } from "zod";
import { toJsonSchema } from "./json-schema.ts";

const schema = z.strictObject({ list: z.array(z.string()).default([]) });

it("is made once for each direction, so that a start does not pay for it again", () => {
  expect(toJsonSchema(schema, "input")).toBe(toJsonSchema(schema, "input"));
  expect(toJsonSchema(schema, "output")).toBe(toJsonSchema(schema, "output"));
  expect([toJsonSchema(schema, "input").required, toJsonSchema(schema, "output").required]).toEqual([
    undefined,
    ["list"],
  ]);
});

it("cannot be changed by one of those who share it, at any depth", () => {
  const made = toJsonSchema(schema, "output") as { required: string[]; properties: { list: { type: string } } };
  expect(() => made.required.push("other")).toThrow(TypeError);
  expect(() => Object.assign(made.properties.list, { type: "number" })).toThrow(TypeError);
  expect(() => Object.assign(made, { title: "Mine" })).toThrow(TypeError);
});
