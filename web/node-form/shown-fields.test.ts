import { expect, it } from "vitest";
import { fieldsOf } from "./field-shape.ts";
import { shownFields } from "./shown-fields.ts";

const fields = fieldsOf({
  properties: {
    method: { type: "string", default: "GET" },
    body: { shownWith: { method: ["POST"] } },
  },
});
const namesFor = (value: Record<string, unknown>) => shownFields(fields, value).map(({ name }) => name);

it("shows a field for the chosen value, the default, or one that only a run knows", () => {
  expect(namesFor({})).toEqual(["method"]);
  expect(namesFor({ method: "POST" })).toEqual(["method", "body"]);
  expect(namesFor({ method: "{{ $input.method }}" })).toEqual(["method", "body"]);
});
