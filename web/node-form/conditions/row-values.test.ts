import { expect, it } from "vitest";
import { arrangeOperators, describeRow, readRowValue, writeRowValue } from "./row-values.ts";

it("reads what was typed as the kind of the data, or as what it looks like", () => {
  expect(readRowValue("100", "is", 5)).toBe(100);
  expect(readRowValue("100", "is", "5")).toBe("100");
  expect(readRowValue("100", "is", undefined)).toBe(100);
  expect(readRowValue("true", "is", undefined)).toBe(true);
  expect(readRowValue("007", "is", undefined)).toBe("007");
  expect(readRowValue("abc", "is_more_than", 5)).toBe("abc");
  expect(readRowValue("a, b,", "is_one_of", "a")).toEqual(["a", "b"]);
  expect(readRowValue("1, 2", "is_one_of", 5)).toEqual([1, 2]);
  expect(readRowValue("2", "has", [1, 2])).toBe(2);
  expect(readRowValue("{{ $input.a }}", "is_more_than", 5)).toBe("{{ $input.a }}");
  expect(readRowValue(" ", "is", 5)).toBeUndefined();
});

it("shows a list with commas", () => {
  expect(writeRowValue(["a", 1])).toBe("a, 1");
});

it("offers first what fits the data", () => {
  expect(arrangeOperators(5).fitting.slice(0, 3)).toEqual(["is", "is_not", "is_one_of"]);
  expect(arrangeOperators(5).others).toContain("contains");
  expect(arrangeOperators([1]).fitting[0]).toBe("has");
  expect(arrangeOperators(undefined).others).toEqual([]);
});

it("says in words what a row gives", () => {
  expect(describeRow({ field: "", operator: "is_more_than", value: 100 }, { field: 480 })).toEqual({
    sentence: "480 is more than 100",
    isTrue: true,
  });
  expect(describeRow({ field: "", operator: "is_one_of", value: ["a", "b"] }, { field: null })).toEqual({
    sentence: "Nothing is one of “a”, “b”",
    isTrue: false,
  });
});
