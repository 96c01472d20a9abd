import { describe, expect, it } from "vitest";
import { executeEngineNode as execute } from "../../../test/support/runs/execute-engine-node.ts";
import { toJsonSchema } from "../../catalog/json-schema.ts";
import type { Item } from "../engine-node.ts";
import { engineNodes } from "./engine-nodes.ts";

const out = (...items: Item[]) => [{ outputs: { out: items } }];

describe("the built-in nodes", () => {
  it("are these, each described, with a description for every field", () => {
    const ids = [
      "start",
      "condition",
      "switch",
      "merge",
      "loop",
      "set_fields",
      "filter",
      "sort_and_limit",
      "aggregate",
      "dedupe",
      "transform",
      "wait",
      "call_workflow",
      "respond",
      "stop",
      "ai_answer",
    ];
    expect([...engineNodes.keys()]).toEqual(ids);
    for (const { title, description, input } of engineNodes.values()) {
      expect(title.length * description.length).toBeGreaterThan(0);
      const { properties = {}, additionalProperties } = toJsonSchema(input, "input") as {
        properties?: Record<string, Item>;
        additionalProperties: unknown;
      };
      expect(additionalProperties).toBe(false);
      for (const field of Object.values(properties)) expect(field.description).toEqual(expect.any(String));
    }
  });
});

describe("start", () => {
  it("passes on what started the run", async () => {
    expect(await execute("start", {}, { items: [{ a: 1 }, { a: 2 }] })).toEqual(out({ a: 1 }, { a: 2 }));
  });
});

describe("condition", () => {
  it("sends each item its way, unchanged", async () => {
    expect(await execute("condition", { condition: "$input.n > 1" }, { items: [{ n: 1 }, { n: 2 }] })).toEqual([
      { outputs: { false: [{ n: 1 }] } },
      { outputs: { true: [{ n: 2 }] } },
    ]);
    expect(engineNodes.get("condition")?.ways({})).toEqual(["true", "false"]);
  });

  it.each(["$input.gone", "$input.gone.deeper", "$input.gone > 1", "$input.gone = 1 and true", "null"])(
    "does not hold on nothing: %s",
    async (condition) => {
      expect(await execute("condition", { condition }, { items: [{ n: 1 }] })).toEqual([
        { outputs: { false: [{ n: 1 }] } },
      ]);
    },
  );

  it.each(["$input.n", "'true'", "[]"])("takes nothing but true and false: %s", async (condition) => {
    await expect(execute("condition", { condition }, { items: [{ n: 1 }] })).rejects.toMatchObject({
      code: "validation_failed",
      message: "condition must give true or false, for example $input.price > 2.",
    });
  });
});

describe("switch", () => {
  const rules = [
    { way: "cheap", condition: "$input.price < 10" },
    { way: "dear", condition: "{{ $input.price >= 10 and $input.price < 100 }}" },
    { way: "also cheap", condition: "$input.price < 11" },
  ];

  it("follows the first rule that holds, or goes otherwise", async () => {
    const items = [{ price: 5 }, { price: 10 }, { price: 1000 }];
    expect(await execute("switch", { rules }, { items })).toEqual([
      { outputs: { cheap: [{ price: 5 }] } },
      { outputs: { dear: [{ price: 10 }] } },
      { outputs: { otherwise: [{ price: 1000 }] } },
    ]);
  });

  it("goes on to the next rule where one asks for what is not there", async () => {
    const optional = [
      { way: "vip", condition: "$input.vip" },
      { way: "late", condition: "$input.due.days > 3" },
      { way: "here", condition: "$input.n = 1" },
    ];
    expect(await execute("switch", { rules: optional }, { items: [{ n: 1 }, { vip: true }, {}] })).toEqual([
      { outputs: { here: [{ n: 1 }] } },
      { outputs: { vip: [{ vip: true }] } },
      { outputs: { otherwise: [{}] } },
    ]);
  });

  it("has a way for each rule, also while they are being written", () => {
    const ways = engineNodes.get("switch")?.ways;
    expect(ways?.({ rules })).toEqual(["cheap", "dear", "also cheap", "otherwise"]);
    expect(ways?.({ rules: [{ way: "a" }, {}, null, { way: 5 }] })).toEqual(["a", "otherwise"]);
    expect(ways?.({ rules: "nonsense" })).toEqual(["otherwise"]);
  });

  it.each([
    [
      [
        { way: "a", condition: false },
        { way: "a", condition: true },
      ],
      "/rules/1/way",
    ],
    [[{ way: "otherwise", condition: true }], "/rules/0/way"],
    [[{ way: "a", condition: "1" }], "/rules/0/condition"],
    [[], "/rules"],
  ])("refuses rules that mean nothing: %j", async (wrong, pointer) => {
    await expect(execute("switch", { rules: wrong })).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ pointer }],
    });
  });
});

describe("merge", () => {
  const branches = {
    left: [{ id: 1, a: 1 }, { id: 2, a: 2 }, { a: 3 }],
    right: [
      { id: 2, b: 2 },
      { id: 1, b: 1 },
    ],
  };
  const context = { items: Object.values(branches).flat(), branches };

  it("appends unless told otherwise", async () => {
    expect(await execute("merge", {}, context)).toEqual(out(...context.items));
  });

  it("combines by position", async () => {
    const [outcome] = out({ id: 2, a: 1, b: 2 }, { id: 1, a: 2, b: 1 }, { a: 3 });
    expect(await execute("merge", { mode: "position" }, context)).toEqual([
      { ...outcome, origins: { out: [[0, 3], [1, 4], [2]] } },
    ]);
  });

  it("combines by a key and leaves items without it alone", async () => {
    expect(await execute("merge", { mode: "key", key: "id" }, context)).toMatchObject(
      out({ id: 1, a: 1, b: 1 }, { id: 2, a: 2, b: 2 }, { a: 3 }),
    );
    await expect(execute("merge", { mode: "key" }, context)).rejects.toMatchObject({ errors: [{ pointer: "/key" }] });
  });

  it("is not disturbed by poisonous keys", async () => {
    const poisoned = JSON.parse('{"__proto__": {"stain": 1}, "id": 1}') as Item;
    const [outcome] = await execute(
      "merge",
      { mode: "key", key: "__proto__" },
      { items: [poisoned], branches: { one: [poisoned, { a: 1 }, { b: 1 }] } },
    );
    expect(outcome).toHaveProperty("outputs.out.length", 3);
    expect(({} as Item).stain).toBeUndefined();
    const [pairs] = await execute("merge", { mode: "position" }, { branches: { one: [poisoned], two: [{ b: 1 }] } });
    expect(JSON.stringify(pairs)).toBe(
      '{"outputs":{"out":[{"__proto__":{"stain":1},"id":1,"b":1}]},"origins":{"out":[[0,1]]}}',
    );
  });
});

describe("loop", () => {
  it("makes an item of each element", async () => {
    expect(await execute("loop", { list: "$input.rows" }, { items: [{ rows: [{ a: 1 }, 2, [3], null] }] })).toEqual(
      out({ a: 1 }, { value: 2 }, { value: [3] }, { value: null }),
    );
    expect(await execute("loop", { list: "[1..3]", limit: 2 })).toEqual(out({ value: 1 }, { value: 2 }));
  });

  it("goes over the incoming items without a list, over one where JSONata finds one, over none where it finds none", async () => {
    const items = [{ n: 1 }, { n: 2 }];
    expect(await execute("loop", {}, { items })).toEqual(out(...items));
    expect(await execute("loop", { list: "$input[n > 1]" }, { items })).toEqual(out({ n: 2 }));
    expect(await execute("loop", { list: "$input[n > 2]" }, { items })).toEqual(out());
    expect(await execute("loop", { list: "$trigger.payload.rows" }, { items })).toEqual(out());
  });

  it("is bounded", async () => {
    await expect(execute("loop", { list: "[1..1001]" })).rejects.toThrow("list has more than 1000 elements.");
    await expect(execute("loop", { list: "[1..5]", limit: 1001 })).rejects.toMatchObject({
      errors: [{ pointer: "/limit" }],
    });
    expect(await execute("loop", { list: "[1..1000]" })).toHaveProperty("[0].outputs.out.length", 1000);
  });
});

describe("set_fields", () => {
  it("adds and replaces fields of each item, and drops the others when told to", async () => {
    const items = [
      { a: 1, b: 1 },
      { a: 2, b: 2 },
    ];
    const fields = { b: "$input.a", c: "{{ $input.a * 10 }}", d: { deep: ["x{{ $input.a }}"] } };
    expect(await execute("set_fields", { fields }, { items })).toEqual([
      { outputs: { out: [{ a: 1, b: 1, c: 10, d: { deep: ["x1"] } }] } },
      { outputs: { out: [{ a: 2, b: 2, c: 20, d: { deep: ["x2"] } }] } },
    ]);
    expect(await execute("set_fields", { fields: { c: 1 }, keepOthers: false }, { items: [{ a: 1 }] })).toEqual(
      out({ c: 1 }),
    );
  });
});

describe("transform", () => {
  const items = [{ n: 1 }, { n: 2 }];

  it("makes new items of each item", async () => {
    expect(await execute("transform", { expression: "{'double': $input.n * 2}" }, { items })).toEqual([
      ...out({ double: 2 }),
      ...out({ double: 4 }),
    ]);
    expect(await execute("transform", { expression: "$input[n > 1]" }, { items })).toEqual([
      ...out(),
      ...out({ n: 2 }),
    ]);
    expect(await execute("transform", { expression: "$input.gone" }, { items })).toEqual([...out(), ...out()]);
  });

  it("makes new items of the whole list", async () => {
    expect(await execute("transform", { over: "list", expression: "$sum($input.n)" }, { items })).toEqual(
      out({ value: 3 }),
    );
    expect(await execute("transform", { over: "list", expression: "$input.{'m': n}" }, { items })).toEqual(
      out({ m: 1 }, { m: 2 }),
    );
  });

  it("needs an expression", async () => {
    await expect(execute("transform", {})).rejects.toThrow("expression is required.");
    await expect(execute("transform", { expression: " " })).rejects.toThrow("expression is required.");
  });
});

describe("wait", () => {
  it.each([
    [{ milliseconds: 90_000 }, "2026-03-01T12:01:30.000Z"],
    [{ milliseconds: "{{ 60 * 1000 }}" }, "2026-03-01T12:01:00.000Z"],
    [{ until: "2026-03-02T00:00:00+01:00" }, "2026-03-01T23:00:00.000Z"],
    [{ until: "2020-01-01T00:00:00Z" }, "2026-03-01T12:00:00.000Z"],
    [{ milliseconds: 31_536_000_000 }, "2027-03-01T12:00:00.000Z"],
  ])("waits %j", async (parameters, until) => {
    expect(await execute("wait", parameters)).toEqual([{ waitUntil: new Date(until) }]);
  });

  it.each([
    [{}, "/milliseconds"],
    [{ milliseconds: 1, until: "2026-03-02T00:00:00Z" }, "/milliseconds"],
    [{ milliseconds: -1 }, "/milliseconds"],
    [{ milliseconds: 31_536_000_001 }, "/milliseconds"],
    [{ until: "2027-03-01T12:00:01Z" }, "/until"],
    [{ until: "tomorrow" }, "/until"],
  ])("refuses %j", async (parameters, pointer) => {
    await expect(execute("wait", parameters)).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ pointer }],
    });
  });
});

describe("call_workflow", () => {
  const workflowId = "01a1dd74-dcd0-7482-9824-7dd92ead8c71";

  it("asks for a run with a prompt and a payload, by default of the incoming items", async () => {
    const items = [{ n: 1 }];
    expect(await execute("call_workflow", { workflowId }, { items })).toEqual([
      { startRun: { workflowId, prompt: "", payload: { items } } },
    ]);
    expect(
      await execute(
        "call_workflow",
        { workflowId, prompt: "$trigger.prompt", payload: { n: "$input[0].n" } },
        { items },
      ),
    ).toEqual([{ startRun: { workflowId, prompt: "Hi", payload: { n: 1 } } }]);
  });

  it("refuses what is no workflow id", async () => {
    await expect(execute("call_workflow", { workflowId: "x" })).rejects.toMatchObject({
      errors: [{ pointer: "/workflowId" }],
    });
  });
});

describe("stop", () => {
  it("fails with the author's words", async () => {
    const stopped = execute("stop", { message: "No stock for {{ $input.sku }}" }, { items: [{ sku: "A1" }] });
    await expect(stopped).rejects.toMatchObject({ code: "stopped_by_workflow", message: "No stock for A1" });
    expect(engineNodes.get("stop")?.ways({})).toEqual([]);
  });
});

describe("ai_answer", () => {
  const answer = async ({ system, prompt }: { system: string; prompt: string }) => `${system}|${prompt}`;
  const items = [{ n: 1 }, { n: 2 }];

  it("passes on what the model says, once, or for each item it is asked about", async () => {
    expect(await execute("ai_answer", { prompt: "$trigger.prompt" }, { items, answer })).toEqual(out({ text: "|Hi" }));
    expect(await execute("ai_answer", { system: "S", prompt: "About {{ $input.n }}" }, { items, answer })).toEqual([
      ...out({ text: "S|About 1" }),
      ...out({ text: "S|About 2" }),
    ]);
  });

  it("says that there is no model", async () => {
    await expect(execute("ai_answer", { prompt: "x" })).rejects.toMatchObject({ code: "model_not_configured" });
  });
});
