import { describe, expect, it } from "vitest";
import { executeEngineNode as execute, now } from "../../../test/support/runs/execute-engine-node.ts";
import type { Item } from "../engine-node.ts";
import { engineNodes } from "./engine-nodes.ts";

const faultsOf = (id: string, parameters: Record<string, unknown>) => engineNodes.get(id)?.findFaults(parameters, now);
const orders = [
  { id: 1, city: "Oslo", total: 30, customer: { name: "Ann" } },
  { id: 2, city: "Bergen", total: 10, customer: { name: "Ben" } },
  { id: 3, city: "Oslo", total: null, customer: { name: "ann" } },
  { id: 4, total: 20 },
];
const idsOf = (outcomes: Awaited<ReturnType<typeof execute>>) =>
  outcomes.flatMap((one) => ("outputs" in one ? Object.values(one.outputs).flat() : [])).map(({ id }) => id);
const itemsOf = (outcomes: Awaited<ReturnType<typeof execute>>): Item[] =>
  outcomes.flatMap((one) => ("outputs" in one ? (one.outputs.out ?? []) : []));

describe("rows as a condition", () => {
  const rows = (...list: unknown[]) => ({ match: "all", rows: list });

  it("send an item its way, as the expression does", async () => {
    const condition = rows({ field: "$input.total", operator: "is_more_than", value: 15 });
    expect(await execute("condition", { condition }, { items: orders.slice(0, 2) })).toEqual([
      { outputs: { true: [orders[0]] } },
      { outputs: { false: [orders[1]] } },
    ]);
  });

  it("choose a way of a switch and compare with other nodes", async () => {
    const rules = [
      { way: "same", condition: rows({ field: "$input.city", operator: "is", value: "$nodes.shop.first.city" }) },
      { way: "none", condition: { match: "any", rows: [{ field: "$input.city", operator: "does_not_exist" }] } },
    ];
    const nodes = { shop: { items: [{ city: "Oslo" }], first: { city: "Oslo" } } };
    expect(await execute("switch", { rules }, { items: orders, nodes })).toEqual([
      { outputs: { same: [orders[0]] } },
      { outputs: { otherwise: [orders[1]] } },
      { outputs: { same: [orders[2]] } },
      { outputs: { none: [orders[3]] } },
    ]);
  });

  it.each(["$nodes.shop.first.gone", "{{ $input.gone.deeper }}", "no {{ $input.gone }} here", ["{{ $input.gone }}"]])(
    "do not fail where a value is not there: %j",
    async (value) => {
      const operator = Array.isArray(value) ? "is_one_of" : "is";
      const condition = rows({ field: "$input.gone.too", operator, value });
      const nodes = { shop: { items: [{}], first: {} } };
      expect(await execute("condition", { condition }, { items: [{ id: 1 }], nodes })).toEqual([
        { outputs: { false: [{ id: 1 }] } },
      ]);
    },
  );

  it("are refused with the place that is wrong", async () => {
    const condition = rows({ field: "$input.a", operator: "is_like", value: 1 });
    await expect(execute("condition", { condition })).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "/condition/rows/0/operator", detail: expect.stringContaining("must be one of is, is_not") }],
    });
    await expect(execute("filter", { condition: { rows: [] } })).rejects.toMatchObject({
      errors: [{ pointer: "/condition/rows", detail: "must have at least one row" }],
    });
  });

  it("have faults that are known before a run", () => {
    const condition = {
      match: "all",
      rows: [
        { field: "", operator: "is", value: 1 },
        { field: "$input.a", operator: "is_more_than", value: "abc" },
        { field: "$input.a", operator: "is_more_than", value: "{{ $input.b }}" },
        { field: "$input.a", operator: "contains" },
        { field: "$input.a", operator: "is_empty" },
      ],
      groups: [{ match: "any", rows: [{ field: "$input.a", operator: "is_after", value: "tomorrow" }] }],
    };
    const expected = [
      ["/rows/0/field", "is required"],
      ["/rows/1/value", 'must be a number for "is more than"'],
      ["/rows/3/value", "is required"],
      ["/groups/0/rows/0/value", 'must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z for "is after"'],
    ];
    const at = (pointer: string) => expected.map(([place, detail]) => ({ pointer: `${pointer}${place}`, detail }));
    expect(faultsOf("condition", { condition })).toEqual(at("/condition"));
    expect(faultsOf("filter", { condition })).toEqual(at("/condition"));
    expect(faultsOf("switch", { rules: [{ way: "a", condition }] })).toEqual(at("/rules/0/condition"));
  });
});

describe("filter", () => {
  it("passes on the items for which the condition is true", async () => {
    const kept = await execute(
      "filter",
      { condition: "$input.total > 15" },
      { items: orders.filter(({ total }) => total) },
    );
    expect(idsOf(kept)).toEqual([1, 4]);
    const condition = { rows: [{ field: "$input.city", operator: "is_not_empty" }] };
    expect(idsOf(await execute("filter", { condition }, { items: orders }))).toEqual([1, 2, 3]);
  });
});

describe("sort_and_limit", () => {
  it.each([
    [{ by: [{ field: "total" }] }, [2, 4, 1, 3]],
    [{ by: [{ field: "total", order: "descending" }] }, [1, 4, 2, 3]],
    [{ by: [{ field: "city" }, { field: "total", order: "descending" }] }, [2, 1, 3, 4]],
    [{ by: [{ field: "customer.name" }] }, [3, 1, 2, 4]],
    [{ by: [{ field: "id", order: "descending" }], skip: 1, limit: 2 }, [3, 2]],
    [{ limit: 0 }, []],
    [{}, [1, 2, 3, 4]],
  ])("%j", async (parameters, ids) => {
    const outcomes = await execute("sort_and_limit", parameters, { items: orders });
    expect(idsOf(outcomes)).toEqual(ids);
    expect(outcomes[0]).toHaveProperty(
      "origins.out",
      ids.map((id) => id - 1),
    );
  });

  it("orders numbers before texts, and leaves the same in their order", async () => {
    const items = ["b", 10, true, "B", 9, "a", false].map((v, id) => ({ id, v }));
    const sorted = await execute("sort_and_limit", { by: [{ field: "v" }] }, { items });
    expect(itemsOf(sorted).map(({ v }) => v)).toEqual([9, 10, "a", "b", "B", false, true]);
  });

  it("wants names of fields, not references", () => {
    expect(faultsOf("sort_and_limit", { by: [{ field: "{{ $input.total }}" }] })).toEqual([
      { pointer: "/by/0/field", detail: "is the name of a field in each item, such as total, and no reference" },
    ]);
  });
});

describe("aggregate", () => {
  it("makes one item of all", async () => {
    const values = [
      { name: "orders", operation: "count" },
      { name: "paid", operation: "count", field: "total" },
      { name: "sum", operation: "sum", field: "total" },
      { name: "mean", operation: "average", field: "total" },
      { name: "least", operation: "min", field: "total" },
      { name: "last", operation: "max", field: "city" },
      { name: "names", operation: "collect", field: "customer.name" },
      { name: "none", operation: "average", field: "gone" },
    ];
    expect(itemsOf(await execute("aggregate", { values }, { items: orders }))).toEqual([
      { orders: 4, paid: 3, sum: 60, mean: 20, least: 10, last: "Oslo", names: ["Ann", "Ben", "ann"], none: null },
    ]);
  });

  it("makes one item for each group, in the order in which they come", async () => {
    const values = [{ name: "all", operation: "collect" }];
    const outcomes = await execute("aggregate", { groupBy: ["city"], values }, { items: orders });
    expect(itemsOf(outcomes)).toEqual([
      { city: "Oslo", all: [orders[0], orders[2]] },
      { city: "Bergen", all: [orders[1]] },
      { city: null, all: [orders[3]] },
    ]);
    expect(outcomes[0]).toHaveProperty("origins.out", [[0, 2], [1], [3]]);
  });

  it.each(["sum", "average", "min"])("refuses a %s of what is no number", async (operation) => {
    const items = [{ a: 1 }, { a: "2" }];
    await expect(
      execute("aggregate", { values: [{ name: "x", operation, field: "a" }] }, { items }),
    ).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/values/0/field" }] });
  });

  it("refuses two fields of the same name, and a sum of nothing", async () => {
    const twice = { groupBy: ["a", "b.a"], values: [{ name: "a", operation: "count" }] };
    expect(faultsOf("aggregate", twice)?.map(({ pointer }) => pointer)).toEqual(["/groupBy/1", "/values/0/name"]);
    await expect(execute("aggregate", { values: [{ name: "x", operation: "sum" }] })).rejects.toMatchObject({
      errors: [{ pointer: "/values/0/field", detail: "is required, except for count and collect" }],
    });
  });
});

describe("dedupe", () => {
  it.each([
    [{ by: ["city"] }, [1, 2, 4]],
    [{ by: ["city"], keep: "last" }, [2, 3, 4]],
    [{ by: ["city", "total"] }, [1, 2, 3, 4]],
    [{ by: ["gone"] }, [1, 2, 3, 4]],
  ])("%j", async (parameters, ids) => {
    expect(idsOf(await execute("dedupe", parameters, { items: orders }))).toEqual(ids);
  });

  it("compares whole items whatever the order of their fields, and says how many it left out", async () => {
    const items = [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
      { a: "1", b: { c: 2, d: 3 } },
    ];
    expect(await execute("dedupe", {}, { items })).toEqual([
      {
        outputs: { out: [items[0], items[2]] },
        origins: { out: [0, 2] },
        note: "1 of 3 items were left out as duplicates.",
      },
    ]);
  });
});
