import fc from "fast-check";
import jsonata from "jsonata";
import { expect, it } from "vitest";
import { roundsLimitMs, roundsOf, seed } from "../../test/support/rounds.ts";
import { interpret } from "./interpret.ts";

const names = ["a", "b", "c", "list", "constructor", "length", "sequence", "1"];
const name = fc.constantFrom(...names);
const plain = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, -1, 2, 0.5, 1e21, 1 / 3, "", "a", "b", "10", "x y", " ä😀 ", "2026-01-31"),
  fc.integer({ min: -3, max: 9 }),
);
const data = fc.letrec<{ value: unknown; object: object; rows: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, plain, fc.array(tie("value"), { maxLength: 3 }), tie("object"), tie("rows")),
  object: fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  // As real data mostly is: lists of alike things.
  rows: fc.array(
    fc.record({
      a: fc.integer({ min: 0, max: 9 }),
      b: fc.constantFrom("x", "y", ""),
      c: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
    }),
    {
      maxLength: 4,
    },
  ),
}));

const oneOf = (...choices: string[]) => fc.constantFrom(...choices);
const functions: [name: string, least: number, most: number][] = [
  ...[
    "sum",
    "max",
    "min",
    "average",
    "abs",
    "floor",
    "ceil",
    "number",
    "count",
    "exists",
    "boolean",
    "not",
    "type",
  ].map(unary),
  ...["string", "uppercase", "lowercase", "trim", "length", "keys", "merge"].map(unary),
  ...(["contains", "substringBefore", "substringAfter", "lookup", "append", "split"] as const).map(
    (one): [string, number, number] => [one, 2, 2],
  ),
  ["round", 1, 2],
  ["substring", 2, 3],
  ["join", 1, 2],
];
function unary(one: string): [string, number, number] {
  return [one, 1, 1];
}

const expression = fc.letrec<{ any: string; path: string; step: string; filter: string }>((tie) => ({
  step: fc.oneof(
    { weight: 6, arbitrary: name.map((one) => (/^[a-z]+$/.test(one) ? one : `\`${one}\``)) },
    { weight: 1, arbitrary: tie("any").map((one) => `(${one})`) },
  ),
  filter: fc.oneof(
    { depthSize: "small" },
    fc.integer({ min: -3, max: 3 }).map((one) => `[${one}]`),
    tie("any").map((one) => `[${one}]`),
    fc
      .tuple(tie("step"), oneOf("=", "!=", "<", ">="), oneOf("1", "2", '"x"'))
      .map(([step, sign, value]) => `[${step} ${sign} ${value}]`),
  ),
  path: fc
    .tuple(
      oneOf("$input", "$nodes.a", "$", "$$", "a", "list", "$input.list"),
      fc.array(
        fc.tuple(
          tie("step"),
          fc.oneof({ weight: 3, arbitrary: fc.constant("") }, { weight: 1, arbitrary: tie("filter") }),
        ),
        {
          maxLength: 3,
        },
      ),
    )
    .map(([root, steps]) => [root, ...steps.map(([step, filter]) => step + filter)].join(".")),
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true, depthSize: "medium" },
    oneOf("1", "0", "-2", "2.5", '"x"', '""', '"10"', "true", "false", "null", "'a b'", "1e300", "$unknown"),
    { weight: 4, arbitrary: tie("path") },
    { weight: 1, arbitrary: fc.tuple(tie("path"), tie("filter")).map(([path, filter]) => path + filter) },
    fc
      .tuple(
        tie("any"),
        oneOf("+", "-", "*", "/", "%", "=", "!=", "<", "<=", ">", ">=", "&", "and", "or", "in"),
        tie("any"),
      )
      .map(([one, sign, other]) => `(${one} ${sign} ${other})`),
    fc.tuple(tie("any"), tie("any"), tie("any")).map(([condition, yes, no]) => `(${condition} ? ${yes} : ${no})`),
    fc.tuple(tie("any"), tie("any")).map(([condition, yes]) => `(${condition} ? ${yes})`),
    tie("any").map((one) => `-(${one})`),
    fc.array(tie("any"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    fc
      .array(fc.tuple(oneOf('"k"', '"l"', '"1"', "b", '"__proto__"'), tie("any")), { maxLength: 3 })
      .map((pairs) => `{${pairs.map(([key, value]) => `${key}: ${value}`).join(", ")}}`),
    fc.array(tie("any"), { minLength: 1, maxLength: 2 }).map((parts) => `(${parts.join("; ")})`),
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...functions), fc.array(tie("any"), { minLength: 3, maxLength: 3 }), fc.nat({ max: 1 }))
        .map(
          ([[called, least, most], given, more]) =>
            `$${called}(${given.slice(0, Math.min(least + more, most)).join(", ")})`,
        ),
    },
    fc
      .tuple(tie("any"), oneOf("$sum()", "$string()", "$uppercase()", '$join(",")', "$count()"))
      .map(([one, call]) => `(${one} ~> ${call})`),
  ),
}));

const withoutFunctions = (key: string, value: unknown) =>
  key === "__proto__" ||
  (typeof value === "object" && value !== null && ("_jsonata_lambda" in value || "_jsonata_function" in value))
    ? undefined
    : value;

async function askJsonata(
  text: string,
  given: { input: unknown; bindings: Record<string, unknown> },
): Promise<string | undefined> {
  const { input, bindings } = JSON.parse(JSON.stringify(given)) as typeof given;
  const value: unknown = await jsonata(text, { stack: 500, sequence: 100_000 } as never).evaluate(input, bindings);
  return JSON.stringify(value, withoutFunctions);
}

it(
  "means what JSONata means wherever it answers, and changes nothing",
  async () => {
    const seen = { answered: 0, found: 0, asked: 0 };
    await fc.assert(
      fc.asyncProperty(expression.any, data.value, data.object, async (text, input, nodes) => {
        seen.asked++;
        const given = { input, bindings: { input, nodes } };
        const before = JSON.stringify(given);
        const ours = interpret("an-organization", text, given);
        expect(JSON.stringify(given)).toBe(before);
        if (!ours) return;
        seen.answered++;
        if (ours.value !== undefined) seen.found++;
        const theirs = await askJsonata(text, given).catch(
          (error: { message?: string }) => `refused: ${error.message}`,
        );
        expect(JSON.stringify(ours.value)).toBe(theirs);
      }),
      { numRuns: roundsOf(20_000, 200_000), seed, includeErrorInReport: true } as fc.Parameters<unknown>,
    );
    expect(seen.answered).toBeGreaterThan(seen.asked / 4);
    expect(seen.found).toBeGreaterThan(seen.asked / 20);
  },
  Math.max(roundsLimitMs, 180_000),
);
