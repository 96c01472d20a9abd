import { describe, expect, it } from "vitest";
import { shortestTime } from "../../test/support/shortest-time.ts";
import { interpret } from "./interpret.ts";

const order = {
  name: "Ann",
  lines: [
    { price: 2, tags: ["a"] },
    { price: 3, tags: [] },
  ],
  empty: [],
};
const evaluate = (text: string, bindings: Record<string, unknown> = { input: order }) =>
  interpret("an-organization", text, { input: undefined, bindings });

describe("interpret", () => {
  it.each([
    ["$sum($input.lines.price)", 5],
    ["$input.lines[price > 2].price", 3],
    ["$input.lines[-1].price * 2", 6],
    ['"Dear " & $uppercase($input.name) & ", " & $count($input.lines) & " lines"', "Dear ANN, 2 lines"],
    ['$input.total > 2 or "a" in $input.lines.tags', true],
    ['{"all": [$input.lines.price], "one": $input.name}', { all: [2, 3], one: "Ann" }],
    ["$exists($input.nothing) ? 1 : 2", 2],
    ["$input.nothing", undefined],
    ["$input.lines.price ~> $sum()", 5],
  ])("knows %s", (text, value) => {
    expect(evaluate(text)).toEqual({ value });
  });

  it.each([
    ["what it does not know", "$map($input.lines, function($line) { $line.price })"],
    ["a variable that is none", "$sum"],
    ["a name for something", "($x := 1; $x)"],
    ["what fails", "$input.name + 1"],
    ["what cannot be written as JSON", "1e300 * 1e300"],
    ["half a character", '$split("😀", "")'],
    ["what cannot be read", "$input.("],
    ["what the parser would copy", "$input.a ?? 1"],
    ["a long text", `"${"x".repeat(500)}"`],
    ["a group", "$input.lines{name: price}"],
    ["a list that is kept as one", "$input.lines[]"],
    ["keys that are not data's", '{"__proto__": 1}'],
  ])("leaves %s to JSONata", (_, text) => {
    expect(evaluate(text)).toBeUndefined();
  });

  it.each([
    ["a date", new Date()],
    ["a function", () => 1],
    ["a number that is none", Number.NaN],
    ["an object that says how it is written", { toJSON: () => 1 }],
    ["data that says it is a function", { _jsonata_function: true }],
    ["an instance", new Map()],
    ["a list with a hole", [1, undefined]],
  ])("leaves %s among the data to JSONata", (_, value) => {
    expect(evaluate("[$input.value]", { input: { value } })).toBeUndefined();
  });

  it("ends after so many steps, however large the data", () => {
    const rows = Array.from({ length: 1_000 }, (_, number) => ({ number }));
    expect(evaluate("$sum($input.number)", { input: rows })).toEqual({ value: 499_500 });
    const evaluateLong = () =>
      expect(evaluate("$input[$count($input[number > 1]) > number]", { input: rows })).toBeUndefined();
    expect(shortestTime(evaluateLong)).toBeLessThan(500);
  });

  it("gives a name of the caller precedence over a function", () => {
    expect(evaluate("$sum([1])", { sum: 1 })).toBeUndefined();
  });
});
