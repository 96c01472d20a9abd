import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;

beforeAll(async () => {
  ann = await startWorkflowApp();
});
afterAll(() => ann?.stop());

const list = (id: string, items: unknown[]) => node(id, "loop", { list: JSON.stringify(items) });

/** What a merge makes of lists that come to it on edges of their own. */
async function merge(parameters: object, ...lists: unknown[][]) {
  const nodes = lists.map((items, index) => list(`list${index + 1}`, items));
  const id = await ann.save(
    [...nodes, node("all", "merge", parameters)],
    edges(...nodes.map((one) => `${one.id}>all`)),
  );
  const run = await ann.run(id);
  return { ...run, note: run.nodes.find((one) => one.id === "all")?.note };
}

describe("a merge by position", () => {
  it("takes each edge for itself, also two from the same node", async () => {
    const id = await ann.save(
      [
        list("all", [{ a: 1 }, { b: 1 }, { a: 2 }, { b: 2 }]),
        node("sort", "condition", { condition: "$exists($input.a)" }),
        node("pairs", "merge", { mode: "position" }),
      ],
      edges("all>sort", "sort.true>pairs", "sort.false>pairs"),
    );
    expect((await ann.run(id)).result).toEqual([
      { a: 1, b: 1 },
      { a: 2, b: 2 },
    ]);
  });
});

describe("a merge by key", () => {
  const people = [{ id: 1, name: "Ann" }, { id: 2, name: "Bob" }, { name: "Nobody" }];
  const orders = [
    { id: 1, order: "a" },
    { id: 1, order: "b" },
    { id: 3, order: "c" },
  ];
  const byId = { mode: "key", key: "id" };
  const both = [
    { id: 1, name: "Ann", order: "a" },
    { id: 1, name: "Ann", order: "b" },
  ];

  it("keeps all that find no match, unless told otherwise, and says how many", async () => {
    const { result, note } = await merge(byId, people, orders);
    expect(result).toEqual([...both, { id: 2, name: "Bob" }, { name: "Nobody" }, { id: 3, order: "c" }]);
    expect(note).toBe("Found no match and were kept: 2 items from list1, 1 item from list2.");
  });

  it("keeps those of the first branch in a left join, and says what it left out", async () => {
    const { result, note } = await merge({ ...byId, join: "left" }, people, orders);
    expect(result).toEqual([...both, { id: 2, name: "Bob" }, { name: "Nobody" }]);
    expect(note).toBe(
      "Found no match and were kept: 2 items from list1. Found no match and were left out: 1 item from list2.",
    );
  });

  it("keeps only what matches in an inner join, and says what it left out", async () => {
    const { result, note } = await merge({ ...byId, join: "inner" }, people, orders);
    expect(result).toEqual(both);
    expect(note).toBe("Found no match and were left out: 2 items from list1, 1 item from list2.");
    expect((await merge({ ...byId, join: "inner" }, [{ id: 1 }], [{ id: 1 }])).note).toBeNull();
  });

  it("makes a pair of each with each where both sides have a key several times", async () => {
    const { result } = await merge(
      byId,
      [
        { id: 1, a: 1 },
        { id: 1, a: 2 },
      ],
      orders.slice(0, 2),
    );
    expect(result).toEqual([1, 2].flatMap((a) => ["a", "b"].map((order) => ({ id: 1, a, order }))));
  });

  it("joins one branch after the other", async () => {
    const { result } = await merge(
      { ...byId, join: "inner" },
      [
        { id: 1, a: 1 },
        { id: 2, a: 2 },
      ],
      [
        { id: 1, b: 1 },
        { id: 2, b: 2 },
      ],
      [{ id: 2, c: 2 }],
    );
    expect(result).toEqual([{ id: 2, a: 2, b: 2, c: 2 }]);
  });

  it("tells a number from its text unless told otherwise, and takes null for no value", async () => {
    const [numbers, texts] = [
      [
        { id: 1, a: 1 },
        { id: null, a: 2 },
      ],
      [
        { id: "1", b: 1 },
        { id: null, b: 2 },
      ],
    ];
    expect((await merge({ ...byId, join: "inner" }, numbers, texts)).result).toEqual([]);
    const { result } = await merge({ ...byId, join: "inner", compare: "loose" }, numbers, texts);
    expect(result).toEqual([{ id: "1", a: 1, b: 1 }]);
  });

  it("refuses to make more items than anybody can take", async () => {
    const many = Array.from({ length: 400 }, () => ({ id: 1 }));
    expect(await merge(byId, many, many)).toMatchObject({
      status: "failed",
      error: { code: "outputs_too_large", nodeId: "all" },
    });
  });
});
