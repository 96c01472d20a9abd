import { expect, it } from "vitest";
import { evaluateExpression } from "./evaluate-expressions.ts";
import { writeData } from "./share-data.ts";

const long = "x".repeat(600_000);
const item = JSON.parse(`{"text":"${long}","__proto__":{"a":1},"list":[1,{"b":null}]}`) as object;
const other = { n: 1 };
const items = [other, item, other];
const bindings = {
  input: [item, other],
  nodes: { a: { items, first: other }, b: { items: [item], first: item } },
  trigger: { payload: item },
};

it("sends each item once where the data is long, and little data as it is", () => {
  const data = writeData({ input: undefined, bindings });
  expect(data.split(long)).toHaveLength(2);
  expect(writeData({ bindings: { a: other, b: other } })).toBe('{"bindings":{"a":{"n":1},"b":{"n":1}}}');
});

it("lets expressions see it everywhere", async () => {
  // Reversed, because that is nothing that is evaluated here.
  const see = (expression: string) =>
    evaluateExpression("an-organization", `$reverse([${expression}])`, { input: undefined, bindings });
  expect(
    await see("$input.$length(text), $nodes.b.first.list[1].b, $nodes.a.first.n, $trigger.payload.list[0]"),
  ).toEqual([1, 1, null, 600_000]);
  expect(
    await see("$count($nodes.a.items), $count($nodes.a.items.text), $nodes.a.items[2].n, $nodes.b.items = [$input[0]]"),
  ).toEqual([true, 1, 1, 3]);
});
