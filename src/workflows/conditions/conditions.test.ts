import { describe, expect, it } from "vitest";
import { rowHolds } from "./holds.ts";
import { type ConditionRows, type Operator, operatorNames } from "./operators.ts";
import { readExpression } from "./read-expression.ts";
import { writeExpression } from "./write-expression.ts";

const rows = (...list: ConditionRows["rows"]): ConditionRows => ({ match: "all", rows: list });

describe("a row", () => {
  it.each<[unknown, Operator, unknown, boolean]>([
    [480, "is_more_than", 100, true],
    [100, "is_at_least", 100, true],
    ["480", "is_more_than", 100, false],
    [1, "is", "1", false],
    [{ a: 1, b: 2 }, "is", { b: 2, a: 1 }, true],
    ["Wrong size", "contains", "size", true],
    ["Wrong size", "contains", "Size", false],
    [5, "does_not_contain", "5", true],
    ["report.pdf", "ends_with", ".pdf", true],
    ["delivered", "is_one_of", ["delivered", "returned"], true],
    [["delivered"], "is_one_of", ["delivered"], false],
    [["a", "b"], "has", "b", true],
    ["b", "has", "b", true],
    ["2026-01-31", "is_before", "2026-01-31T00:00:01Z", true],
    ["2026-01-31T01:00:00+02:00", "is_before", "2026-01-31", true],
    ["31.1.2026", "is_before", "2027-01-01", false],
    [false, "is_false", undefined, true],
    [0, "is_false", undefined, false],
    ["", "is_empty", undefined, true],
    [0, "is_empty", undefined, false],
    [[], "is_not_empty", undefined, false],
    ["", "exists", undefined, true],
  ])("%j %s %j: %s", (field, operator, value, expected) => {
    expect(rowHolds({ field, operator, value })).toBe(expected);
  });

  it.each([undefined, null])("about %s does not hold, and its opposite does", (field) => {
    const holding = operatorNames.filter((operator) => rowHolds({ field, operator, value: "x" }));
    expect(holding).toEqual([
      "is_not",
      "does_not_contain",
      "is_none_of",
      "does_not_have",
      "is_empty",
      "does_not_exist",
    ]);
  });
});

describe("writing as an expression", () => {
  it("joins rows and groups", () => {
    const text = writeExpression({
      match: "all",
      rows: [{ field: "$input.total", operator: "is", value: 100 }],
      groups: [
        {
          match: "any",
          rows: [
            { field: "$input.vip", operator: "is_true" },
            { field: "$input.status", operator: "is_one_of", value: ["new", "paid"] },
          ],
        },
      ],
    });
    expect(text).toBe(
      '$input.total = 100 and ($input.vip = true or $input.status in ["new", "paid"])'.replace(", ", ","),
    );
  });

  it("quotes texts and keeps hyphens of names out of the arithmetic", () => {
    expect(writeExpression(rows({ field: "$input.a - 1", operator: "is", value: 'say "hi" and $&' }))).toBe(
      String.raw`($input.a - 1) = "say \"hi\" and $&"`,
    );
    expect(writeExpression(rows({ field: "$input.a", operator: "is", value: "$nodes.my-node.first.first-name" }))).toBe(
      "($input.a != null and $input.a = $nodes.my-node.first.`first-name`)",
    );
  });

  it("has no form for a text with references in it", () => {
    expect(writeExpression(rows({ field: "$input.a", operator: "is", value: "Dear {{ $input.b }}" }))).toBeUndefined();
  });
});

describe("reading an expression", () => {
  it("reads what people write by hand", () => {
    expect(readExpression('$input.total > 100 and $contains($input.subject, "refund")')).toEqual({
      rows: rows(
        { field: "$input.total", operator: "is_more_than", value: 100 },
        { field: "$input.subject", operator: "contains", value: "refund" },
      ),
    });
    expect(readExpression("{{ $input.vip or ($input.a = 1 and $input.b = 2) }}")).toEqual({
      rows: {
        match: "any",
        rows: [{ field: "$input.vip", operator: "is_true" }],
        groups: [
          {
            match: "all",
            rows: [
              { field: "$input.a", operator: "is", value: 1 },
              { field: "$input.b", operator: "is", value: 2 },
            ],
          },
        ],
      },
    });
  });

  it.each([
    ['$input.a != "x"', '$input.a != "x"'],
    ["$input.a = 1 and $exists($input.b)", "$exists($input.b)"],
    ["$input.a > $input.b", "$input.a > $input.b"],
    ['$input.a > "b"', '$input.a > "b"'],
    ["$count($input.a) > 3", "$count($input.a) > 3"],
    ['$input.a = "$input.b"', '$input.a = "$input.b"'],
    ["$input.a = 1 and (($input.b = 1 or $input.c = 1) or ($input.d = 1 and $input.e = 1))", undefined],
    ["1 + 1", "1 + 1"],
    ["", ""],
  ])("names what rows cannot say the same: %s", (text, unread) => {
    expect(readExpression(text)).toEqual({ unread: unread ?? expect.any(String) });
  });
});
