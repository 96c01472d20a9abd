import { expect, it } from "vitest";
import { toJsonSchema } from "../../../src/catalog/json-schema.ts";
import { action as appendRows } from "../../../src/providers/google_sheets/append_rows.ts";
import { action as readRange } from "../../../src/providers/google_sheets/read_range.ts";
import { action as updateRange } from "../../../src/providers/google_sheets/update_range.ts";
import { startParameters } from "./start-parameters.ts";

it.each([appendRows, updateRange])(
  "a new node of $id starts with values as if they were typed, and a call that says nothing keeps RAW",
  ({ input }) => {
    const inputSchema = toJsonSchema(input, "input");
    expect(startParameters({ inputSchema })).toEqual({ parameters: { valueInput: "USER_ENTERED" } });
    expect(inputSchema).toMatchObject({ properties: { valueInput: { default: "RAW" } } });
  },
);

it("a node whose fields say nothing starts without parameters", () => {
  expect(startParameters({ inputSchema: toJsonSchema(readRange.input, "input") })).toEqual({});
});
