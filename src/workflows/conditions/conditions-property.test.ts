import fc from "fast-check";
import { expect, it } from "vitest";
import { roundsLimitMs, roundsOf, seed } from "../../../test/support/rounds.ts";
import { readInput } from "../../catalog/catalog.ts";
import type { EngineNode, Item } from "../engine-node.ts";
import { engineNodes } from "../engine-nodes/engine-nodes.ts";
import { expressionFieldsOf, nullableFieldsOf } from "../expression-fields.ts";
import { resolveParameters } from "../resolve-parameters.ts";
import { type ConditionRows, type Group, type Operator, operatorNames, operators, type Row } from "./operators.ts";
import { readExpression } from "./read-expression.ts";
import { writeExpression } from "./write-expression.ts";

const scalar = fc.oneof(
  fc.constantFrom<unknown[]>("", "a", "ab", "ä😀", "$5", "1", 'x" or true', "2026-01-31", "2026-01-31T23:30:00-01:00"),
  fc.constantFrom<unknown[]>("2026-02-31", "2026-13-01", "2026-01-31T12:00:00", "2026-02-01T00:30:00Z", "null", "[]"),
  fc.constantFrom<unknown[]>(0, 1, -1, 0.5, 1e21, true, false),
);
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: scalar },
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 2, noNullPrototype: true }),
  ),
})).value;

const item = fc.dictionary(fc.constantFrom("a", "b", "list", "odd name"), anything, {
  maxKeys: 4,
  noNullPrototype: true,
});

const path = fc.constantFrom("$input.a", "$input.b", "$input.list", "$input.a.b", "$input.list[0]", "$input.list.a");
const field = fc.oneof(
  { weight: 5, arbitrary: path },
  {
    weight: 1,
    arbitrary: fc.constantFrom("$input.`odd name`", "$count($input.list)", "$input.gone", "{{ $input.a }}"),
  },
);
const reference = fc.oneof(
  path,
  path.map((one) => `{{ ${one} }}`),
  fc.constant("{{ $count($input.list) }}"),
);
const dates = fc.constantFrom("2026-01-31", "2026-01-31T12:00:00Z", "2026-02-01T01:00:00.5+01:00");

const known: Record<(typeof operators)[Operator]["wants"], fc.Arbitrary<unknown>> = {
  anything: scalar,
  text: fc.constantFrom("", "a", "b", "ä😀", "1", "\\"),
  number: fc.constantFrom(0, 1, -1, 0.5, 1e21),
  date: dates,
  list: fc.array(fc.oneof({ weight: 4, arbitrary: scalar }, { weight: 1, arbitrary: reference }), {
    minLength: 1,
    maxLength: 3,
  }),
  nothing: fc.constant(undefined),
};

const row: fc.Arbitrary<Row> = fc.constantFrom(...operatorNames).chain((operator) => {
  const { wants } = operators[operator];
  if (wants === "nothing") return fc.record({ field, operator: fc.constant(operator) });
  const value = fc.oneof({ weight: 3, arbitrary: known[wants] }, { weight: 2, arbitrary: reference });
  return fc.record({ field, operator: fc.constant(operator), value });
});
const match = fc.constantFrom("all" as const, "any" as const);
const group: fc.Arbitrary<Group> = fc.record({ match, rows: fc.array(row, { minLength: 1, maxLength: 3 }) });
const condition: fc.Arbitrary<ConditionRows> = fc
  .record({
    match,
    rows: fc.array(row, { minLength: 1, maxLength: 3 }),
    groups: fc.array(group, { maxLength: 2 }),
  })
  .map(({ groups, ...rest }) => (groups.length === 0 ? rest : { ...rest, groups }));

const { input } = engineNodes.get("switch") as EngineNode;

/** Whether each of the conditions is true for the item, as a switch sees them. */
async function answer(conditions: unknown[], incoming: Item): Promise<boolean[]> {
  const scope = {
    trigger: { source: "manual", sender: null, prompt: "", payload: null },
    nodes: {},
    input: incoming,
    node: { id: "n", instruction: "" },
    vars: {},
  };
  const rules = conditions.map((one, index) => ({ way: `w${index}`, condition: one }));
  const resolved = await resolveParameters({ rules }, scope, {
    organizationId: "an-organization",
    expressionFields: expressionFieldsOf(input),
    nullableFields: nullableFieldsOf(input),
  });
  const read = readInput(engineNodes.get("switch") as EngineNode, resolved) as { rules: { condition: boolean }[] };
  return read.rules.map((rule) => rule.condition);
}

it(
  "says the same as rows, as the expression they are written as, and as the rows that this is read as",
  async () => {
    await fc.assert(
      fc.asyncProperty(item, fc.array(condition, { minLength: 1, maxLength: 8 }), async (incoming, conditions) => {
        const texts = conditions.map((one) => writeExpression(one) ?? "");
        const again = texts.map((text) => {
          const read = readExpression(text);
          return "rows" in read ? read.rows : read.unread;
        });
        const expected = await answer(conditions, incoming);
        expect(await answer(texts, incoming), texts.join("\n")).toEqual(expected);
        expect(await answer(again, incoming)).toEqual(expected);
        expect(
          again.every((one) => typeof one === "object"),
          JSON.stringify(again),
        ).toBe(true);
      }),
      { numRuns: roundsOf(60, 2000), seed },
    );
  },
  roundsLimitMs,
);
