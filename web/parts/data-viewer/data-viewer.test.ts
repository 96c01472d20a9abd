import { describe, expect, it } from "vitest";
import { columnsOf, isTable, kindOf, writeCompact } from "./describe-data.ts";
import { stepInto } from "./reference-path.ts";
import { schemaOf } from "./schema-of.ts";

describe("a value in short", () => {
  it("is written on one line and never longer than asked, however large it is", () => {
    expect(writeCompact({ a: [1, "x"], b: null }, 100)).toBe('{a: [1, "x"], b: null}');
    const large: unknown[] = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    Object.defineProperty(large, 20, { get: () => expect.unreachable("what is not shown must not be read") });
    expect(writeCompact(large, 50)).toHaveLength(51);
  });

  it("is named by its kind", () => {
    expect([null, [1], {}, "a", true, 1].map(kindOf)).toEqual([
      "null",
      "1 entry",
      "0 fields",
      "text",
      "true or false",
      "number",
    ]);
  });
});

describe("a table", () => {
  it("is for objects and lists of them", () => {
    expect([{ a: 1 }, [{ a: 1 }], [], {}, [1], "a", null].map(isTable)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("has the fields of all its rows as columns", () => {
    expect(columnsOf([{ a: 1 }, "text", { b: 1, a: 2 }])).toEqual(["a", "b"]);
  });
});

describe("the schema of data", () => {
  it("tells the types, an example and what is sometimes missing", () => {
    const { types, fields } = schemaOf([{ a: 1, b: "x" }, { a: null }]);
    expect(types).toEqual(["list"]);
    expect(fields[0]?.fields).toMatchObject([
      { name: "a", types: ["number", "null"], example: "1", isSometimesMissing: false },
      { name: "b", types: ["text"], example: '"x"', isSometimesMissing: true },
    ]);
  });
});

describe("a reference", () => {
  it("quotes names that the server would not read as one", () => {
    expect(stepInto(stepInto(stepInto("$input", "a"), 0), "first-name")).toBe("$input.a[0].`first-name`");
    expect(["and", "1st", "ä"].map((name) => stepInto("$input", name))).toEqual([
      "$input.`and`",
      "$input.`1st`",
      "$input.`ä`",
    ]);
  });
});
