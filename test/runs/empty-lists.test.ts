import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edges, node, type RunAnswer, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;

beforeAll(async () => {
  ann = await startWorkflowApp();
});
afterAll(() => ann?.stop());

const always = { settings: { continueWhenEmpty: true } };
const none = node("none", "loop", { list: "[]" }, always);
const count = node("count", "transform", { expression: '{ "count": $count($input) }', over: "list" });
const statuses = (run: RunAnswer) => Object.fromEntries(run.nodes.map(({ id, status }) => [id, status]));

describe("a node that always continues", () => {
  it("lets what follows be executed with an empty list where it gives no items", async () => {
    const once = node("once", "system_transform_json", { data: { value: 7 }, expression: "value" });
    const run = await ann.run(await ann.save([none, count, once], edges("none>count", "none>once")));
    expect(run.result?.[0]).toEqual({ count: 0 });
    expect(statuses(run)).toEqual({ none: "succeeded", count: "succeeded", once: "succeeded" });
  });

  it("leaves it to the next node whether it goes on after that", async () => {
    const each = (others: object = {}) => node("each", "set_fields", { fields: { a: 1 } }, others);
    const stops = await ann.run(await ann.save([none, each(), count], edges("none>each", "each>count")));
    expect(statuses(stops)).toEqual({ none: "succeeded", each: "succeeded", count: "skipped" });
    const goes = await ann.run(await ann.save([none, each(always), count], edges("none>each", "each>count")));
    expect([goes.result, goes.nodes.map(({ outputs }) => outputs)]).toEqual([[{ count: 0 }], [[], [], [{ count: 0 }]]]);
  });

  it("does not when it was not executed itself", async () => {
    const silent = node("silent", "loop", { list: "[]" });
    const run = await ann.run(
      await ann.save([silent, node("next", "start", {}, always), count], edges("silent>next", "next>count")),
    );
    expect(statuses(run)).toEqual({ silent: "succeeded", next: "skipped", count: "skipped" });
  });

  it("continues through a disabled node, on its first way only", async () => {
    const off = node(
      "off",
      "condition",
      { condition: "true" },
      { settings: { disabled: true, continueWhenEmpty: true } },
    );
    const run = await ann.run(
      await ann.save(
        [none, off, count, node("other", "start")],
        edges("none>off", "off.true>count", "off.false>other"),
      ),
    );
    expect(run.result).toEqual([{ count: 0 }]);
    expect(statuses(run)).toMatchObject({ off: "skipped", other: "skipped" });
  });

  it("continues on every way that no item takes", async () => {
    const sort = node("sort", "condition", { condition: "$input.value > 1" }, always);
    const id = await ann.save(
      [node("list", "loop", { list: "[1]" }), sort, count, node("all", "start")],
      edges("list>sort", "sort.true>count", "sort.false>all"),
    );
    expect((await ann.run(id)).result).toEqual([{ count: 0 }, { value: 1 }]);
  });
});

/** The table of docs/workflow-nodes.md, with the item {"name": "Ann"}. */
describe("an expression field that finds nothing", () => {
  const person = node("person", "set_fields", { fields: { name: "Ann" } });
  const ways = (...names: string[]) => names.map((name) => node(name, "start"));

  it.each(["$input.vip", "$input.orders.total > 100"])(
    "lets the item leave a condition through false: %s",
    async (condition) => {
      const nodes = [person, node("if", "condition", { condition }), ...ways("yes", "no")];
      const run = await ann.run(await ann.save(nodes, edges("person>if", "if.true>yes", "if.false>no")));
      expect([statuses(run), run.result]).toEqual([
        expect.objectContaining({ yes: "skipped", no: "succeeded" }),
        [{ name: "Ann" }],
      ]);
    },
  );

  it("lets a switch try the next rule, then otherwise", async () => {
    const rules = [
      { way: "first", condition: "$input.vip" },
      { way: "second", condition: "$input.orders[0].isPaid" },
    ];
    const nodes = [person, node("sort", "switch", { rules }), ...ways("a", "b", "c")];
    const run = await ann.run(
      await ann.save(nodes, edges("person>sort", "sort.first>a", "sort.second>b", "sort.otherwise>c")),
    );
    expect(statuses(run)).toMatchObject({ a: "skipped", b: "skipped", c: "succeeded" });
  });

  it.each([
    ["loop", { list: "$nodes.person.first.orders" }],
    ["transform", { expression: "$input.orders" }],
  ])("makes a %s give no items, and what follows is skipped", async (kind, parameters) => {
    const nodes = [person, node("made", kind, parameters), ...ways("next")];
    const run = await ann.run(await ann.save(nodes, edges("person>made", "made>next")));
    expect(statuses(run)).toEqual({ person: "succeeded", made: "succeeded", next: "skipped" });
  });

  it("is left out where it is empty: a loop then takes the incoming items", async () => {
    const run = await ann.run(await ann.save([person, node("made", "loop", { list: "" })], edges("person>made")));
    expect(run.result).toEqual([{ name: "Ann" }]);
  });

  it("is another thing than a reference in any other field, which fails its node", async () => {
    const run = await ann.run(
      await ann.save([person, node("set", "set_fields", { fields: { vip: "{{ $input.vip }}" } })], edges("person>set")),
    );
    expect([run.status, run.error?.code]).toEqual(["failed", "reference_unresolved"]);
  });
});
