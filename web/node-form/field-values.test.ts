import { describe, expect, it } from "vitest";
import {
  convertFree,
  freeKindOf,
  fromExpression,
  isReference,
  readJson,
  readNumber,
  readRows,
  readText,
  repeatedKeys,
  rowsOf,
  setField,
  toExpression,
  writeJson,
} from "./field-values.ts";

describe("what is typed", () => {
  it("is left out of the value when it is empty", () => {
    expect(setField({ a: 1, b: 2 }, "a", readText(""))).toEqual({ b: 2 });
    expect(readNumber("  ")).toBeUndefined();
    expect(readJson(" ")).toEqual({});
    expect(readRows([{ key: "", value: "x" }])).toBeUndefined();
  });

  it("keeps its place among the other fields", () => {
    expect(Object.keys(setField({ a: 1, b: 2 }, "a", 3))).toEqual(["a", "b"]);
  });

  it("becomes a number where it is one, and otherwise stays for the server to judge", () => {
    expect(["1", "-2.5", "1,5", "1e3", "1."].map(readNumber)).toEqual([1, -2.5, 1.5, 1000, 1]);
    expect(readNumber("many")).toBe("many");
  });

  it("says what is no JSON", () => {
    expect(readJson('{"a": [1]}')).toEqual({ value: { a: [1] } });
    expect(readJson("{a}").fault).toContain("not valid JSON");
  });

  it("can be read again as it was written", () => {
    for (const value of [
      { a: null },
      [],
      [
        ["a", 1],
        ["b\n", null],
      ],
      [{ text: "x".repeat(100), list: [1, 2] }],
      "a",
      0,
    ])
      expect(readJson(writeJson(value)).value).toEqual(value);
    expect(
      writeJson([
        ["a", 1],
        ["b", 2],
      ]),
    ).toBe('[\n  ["a",1],\n  ["b",2]\n]');
  });

  it("becomes an object of the rows that have a name", () => {
    const rows = [...rowsOf({ a: 1 }), { key: "", value: "unnamed" }, { key: "b", value: undefined }];
    expect(readRows(rows)).toEqual({ a: 1, b: "" });
    expect(repeatedKeys([...rows, { key: "a", value: 2 }])).toEqual(["a"]);
  });

  it("is edited as what it is", () => {
    expect([undefined, "a", 1, false, null, [1], {}].map(freeKindOf)).toEqual([
      "text",
      "text",
      "number",
      "boolean",
      "json",
      "json",
      "json",
    ]);
  });

  it("changes its kind where it can be read as the other", () => {
    expect([
      convertFree("5", "number"),
      convertFree(5, "text"),
      convertFree("true", "boolean"),
      convertFree('{"a":1}', "json"),
    ]).toEqual([5, "5", true, { a: 1 }]);
    expect([
      convertFree("five", "number"),
      convertFree("five", "boolean"),
      convertFree("five", "json"),
      convertFree("", "text"),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("survives becoming an expression and back", () => {
    for (const value of [5, true, "list", [1, { a: "}}" }], { a: null }])
      expect(fromExpression(toExpression(value) ?? "")).toEqual(value);
    expect(toExpression(undefined)).toBeUndefined();
    expect(fromExpression("{{ $input.n }}")).toBeUndefined();
  });

  it.each(["$input.n", "{{ 1 + 1 }}", "a {{ $trigger.prompt }}", "$nodes.a-b.first"])(
    "is seen to be a reference: %s",
    (text) => {
      expect(isReference(text)).toBe(true);
    },
  );

  it.each(["$5", "a $input", "", 5, null])("is seen to be none: %s", (value) => {
    expect(isReference(value)).toBe(false);
  });
});
