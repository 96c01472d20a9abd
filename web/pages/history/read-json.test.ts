import { expect, it } from "vitest";
import { readJson } from "./read-json.ts";

it("reads what is JSON", () => {
  expect(readJson('{"a": [1]}', "object")).toEqual({ value: { a: [1] } });
  expect(readJson("null", "anything")).toEqual({ value: null });
});

it.each([
  ['{\n  "a": 1,\n}', "This is not JSON: something is wrong at line 3, character 1."],
  ['{"a": x}', "This is not JSON: there is a x where it does not belong."],
  ['{\n"a": 1', "This is not JSON: something is wrong at line 2, character 7."],
  [" \n", "This is empty. JSON without content is written {} or null."],
])("says where %j is wrong", (text, fault) => expect(readJson(text, "anything")).toEqual({ fault }));

it.each(["[]", "null", "3", '"text"'])("refuses %s where names and values are needed", (text) => {
  expect(readJson(text, "object")).toEqual({ fault: "This must be an object: names and values between { and }." });
});
