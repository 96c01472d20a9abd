import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateExpressions } from "../expressions/evaluate-expressions.ts";
import type { Scope } from "./engine-node.ts";
import { type PlainPath, writePath } from "./parse-references.ts";
import { findReferences } from "./references.ts";
import { resolveParameters } from "./resolve-parameters.ts";
import { walkPath } from "./walk-path.ts";

const organizationId = "an-organization";
const names = ["a", "b", "first-name", "and", "length", "constructor", "prototype", "toString", "ü", "1"];
const name = fc.constantFrom(...names);
const data = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom(null, true, false, 0, "", "text"), fc.integer(), fc.string({ unit: "grapheme" })),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));
const path: fc.Arbitrary<PlainPath> = fc.record({
  root: fc.constant("input" as const),
  steps: fc.array(fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: fc.integer({ min: -3, max: 3 }) }), {
    maxLength: 4,
  }),
});

const asJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
const scopeOf = (input: unknown): Scope => ({
  trigger: { source: "api", sender: "", prompt: "", payload: "" },
  nodes: {},
  input,
  node: { id: "n", instruction: "" },
  vars: {},
});

describe("a plain path", () => {
  it("means the same here and in JSONata, wherever it is followed here", async () => {
    let followed = 0;
    await fc.assert(
      fc.asyncProperty(data.value, fc.array(path, { minLength: 1, maxLength: 20 }), async (input, paths) => {
        const seen = { ...scopeOf(input), input };
        const theirs = await evaluateExpressions(organizationId, paths.map(writePath), {
          input: undefined,
          bindings: { input },
        });
        for (const [index, one] of paths.entries()) {
          const ours = walkPath(one, seen);
          if (!ours) continue;
          followed++;
          expect({ path: writePath(one), value: "value" in ours ? asJson(ours.value) : undefined }).toEqual({
            path: writePath(one),
            value: (theirs[index] as { value: unknown }).value,
          });
        }
      }),
      { numRuns: 150 },
    );
    expect(followed).toBeGreaterThan(500);
  });
});

describe("an expression made of anything", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "$input",
      "$nodes",
      "$trigger",
      "$",
      "$$",
      "$process",
      "$require",
      "$globalThis",
      "$eval",
      "$sum",
      "$merge",
      "$lookup",
    ),
    fc.constantFrom(
      "constructor",
      "__proto__",
      "prototype",
      "implementation",
      "_jsonata_function",
      "process",
      "env",
      "mainModule",
    ),
    fc.constantFrom(
      ".",
      "[0]",
      "()",
      "(",
      ")",
      "{",
      "}",
      "[",
      "]",
      ":=",
      "~>",
      "|",
      "&",
      "-",
      "/",
      "'",
      '"',
      "`",
      "{{",
      "}}",
      ";",
      ",",
      "function($x){$x}",
    ),
    fc.constantFrom(
      "'constructor'",
      '"__proto__"',
      "{'__proto__': {'stain': 1}}",
      "'return process'",
      "$input.constructor",
      "/(a+)+$/",
    ),
  );
  const expression = fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => pieces.join(""));
  const glued = fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => pieces.join(" "));

  it("gives data or a refusal, reaches nothing but data and changes nothing", async () => {
    const secret = "marker-of-the-environment";
    process.env.PROPERTY_TEST_MARKER = secret;
    const input = { a: [1, { b: "text" }] };
    const before = JSON.stringify(input);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(expression, glued), { minLength: 5, maxLength: 20 }), async (expressions) => {
        const outcomes = await Promise.all(
          expressions.flatMap((text) => [
            resolveParameters({ value: `{{ ${text} }}` }, scopeOf(input), { organizationId }).catch(
              (error: unknown) => error,
            ),
            resolveParameters({ value: text }, scopeOf(input), { organizationId, expressionFields: ["/value"] }).catch(
              (error: unknown) => error,
            ),
          ]),
        );
        for (const outcome of outcomes) {
          if (outcome instanceof Error)
            expect(["validation_failed", "reference_unresolved"]).toContain((outcome as { code?: string }).code);
          else expect(JSON.stringify(outcome)).not.toMatch(/marker-of|native code|\/bin\/node/);
        }
        expect(JSON.stringify(input)).toBe(before);
        expect(({} as { stain?: unknown }).stain).toBeUndefined();
        for (const text of expressions)
          expect(() => [...findReferences({ text, template: `x {{ ${text} }}` }, ["/text"])]).not.toThrow();
      }),
      { numRuns: 40 },
    );
    delete process.env.PROPERTY_TEST_MARKER;
  }, 60_000);
});
