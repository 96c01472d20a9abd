import { describe, expect, it } from "vitest";
import type { Flow, FlowNode, Settings, Work } from "./flow.ts";
import { interpret } from "./interpreter.ts";

const node = (id: string, work: Work, from: string[] = [], settings: Partial<Settings> = {}): FlowNode => ({
  id,
  work,
  from: from.map((text) => ({ source: text.split(".")[0] ?? "", way: text.split(".")[1] ?? "out" })),
  settings: {
    retries: 0,
    retryDelay: 0,
    continueOnError: false,
    continueWhenEmpty: false,
    disabled: false,
    ...settings,
  },
});

const objects = (...values: (number | null)[]): Work => ({ type: "loop", list: { is: "objects", values } });
const ask = (plan: string, per: "item" | "list" = "item"): Work => ({ type: "ask", per, plan });
const odd: Work = { type: "condition", test: { is: "odd" } };
const append: Work = { type: "merge", mode: "append" };

const run = (...flows: Flow[]) => interpret(flows, 0, { prompt: "p", payload: { number: 1 } });
const statuses = (flow: Flow) => [...run(flow).nodes.values()].map(({ status }) => status);

// Each says what docs/workflows.md and docs/workflow-nodes.md say, or what test/runs*.test.ts pins where they are silent.
describe("the reference", () => {
  it("sends items their ways, skips what gets none and gives what came out at the ends", () => {
    const flow = [
      node("list", objects(1, 2, 3)),
      node("sort", odd, ["list"]),
      node("odd", { type: "start" }, ["sort.true"]),
      node("none", { type: "transform", over: "list", shape: { is: "above", than: 9 } }, ["sort.false"]),
      node("never", append, ["none"]),
    ];
    expect(run(flow).result).toEqual([{ number: 1 }, { number: 3 }]);
    expect(statuses(flow)).toEqual(["succeeded", "succeeded", "succeeded", "succeeded", "skipped"]);
  });

  it("merges one after the other, by position and by key", () => {
    const merged = (work: Work) => [
      node("left", objects(1, 2, null)),
      node("right", { type: "set_fields", fields: { key: { is: "parity" } }, keepOthers: true }),
      node("all", work, ["left", "right"]),
    ];
    const right = { number: 1, key: 1 };
    expect(run(merged(append)).result).toEqual([{ number: 1 }, { number: 2 }, { nothing: true }, right]);
    expect(run(merged({ type: "merge", mode: "position" })).result).toEqual([right, { number: 2 }, { nothing: true }]);
    expect(run(merged({ type: "merge", mode: "key", key: "number" })).result).toEqual([
      right,
      { number: 2 },
      { nothing: true },
    ]);
    const byNumber = { type: "merge", mode: "key", key: "number" } as const;
    expect(run(merged({ ...byNumber, join: "left" })).result).toEqual([right, { number: 2 }, { nothing: true }]);
    expect(run(merged({ ...byNumber, join: "inner" })).result).toEqual([right]);
    expect(run(merged({ type: "merge", mode: "key" })).nodes.get("all")?.code).toBe("validation_failed");
  });

  it("fails with a node that fails, and reaches nothing after it", () => {
    const flow = [node("ask", ask("fails-2"), [], { retries: 1 }), node("next", append, ["ask"])];
    expect(run(flow)).toMatchObject({ status: "failed", result: null });
    expect(statuses(flow)).toEqual(["failed", "unreached"]);
    expect(run(flow).nodes.get("ask")).toMatchObject({
      attempts: 2,
      code: "provider_error",
      requests: ["p/ask/1", "p/ask/1"],
    });
  });

  it("goes on after a failure where the node says so, with the error as item, on the last way", () => {
    const settings = { continueOnError: true, retries: 1 };
    const flow = [
      node("list", objects(null, 2)),
      node("ask", ask("fails-1"), ["list"], settings),
      node("sort", { type: "condition", test: { is: "above", than: 0 } }, ["ask"], settings),
      node("bad", { type: "start" }, ["sort.false"]),
    ];
    const { status, nodes, result } = run(flow);
    expect([status, result]).toEqual([
      "succeeded",
      [{ error: { code: "reference_unresolved" }, item: { nothing: true } }],
    ]);
    expect(nodes.get("ask")).toMatchObject({
      status: "failed",
      code: "reference_unresolved",
      attempts: 2,
      requests: ["p/ask/2", "p/ask/2"],
    });
    expect(nodes.get("ask")?.ways.get("out")).toEqual([
      { error: { code: "reference_unresolved" }, item: { nothing: true } },
      { number: 3, title: "p/ask/2" },
    ]);
  });

  it("lets everything pass a disabled node on its first way, also at the end", () => {
    const flow = [
      node("off", odd, [], { disabled: true }),
      node("yes", append, ["off.true"]),
      node("no", append, ["off.false"]),
    ];
    expect(statuses(flow)).toEqual(["skipped", "succeeded", "skipped"]);
    expect(run(flow).result).toEqual([{ number: 1 }]);
    expect(run([node("off", { type: "stop", message: "Never." }, [], { disabled: true })]).result).toEqual([
      { number: 1 },
    ]);
  });

  it("goes on with an empty list where the node says so, also through a disabled one", () => {
    const sum: Work = { type: "transform", over: "list", shape: { is: "sum" } };
    const flow = [
      node("none", objects(), [], { continueWhenEmpty: true }),
      node("each", ask("fine"), ["none"]),
      node("never", sum, ["each"]),
    ];
    expect(statuses(flow)).toEqual(["succeeded", "succeeded", "skipped"]);
    const through = [
      node("none", objects(), [], { continueWhenEmpty: true }),
      node("off", odd, ["none"], { disabled: true }),
    ];
    const ends = [node("yes", sum, ["off.true"]), node("no", sum, ["off.false"])];
    expect(statuses([...through, ...ends])).toEqual(["succeeded", "skipped", "succeeded", "skipped"]);
    expect(run([...through, ...ends]).result).toEqual([{}]);
  });

  it("calls another workflow with what came in, and passes its last items on or fails with it", () => {
    const call = (settings: Partial<Settings> = {}) => [
      node("call", { type: "call_workflow", flow: 1, payload: "default" }, [], settings),
    ];
    const below = [node("list", { type: "loop", list: { is: "payload" } }), node("ask", ask("fine"), ["list"])];
    expect(run(call(), below).result).toEqual([{ number: 2, title: "p/call/ask/1" }]);
    const stop = [node("halt", { type: "stop", message: "Enough." })];
    expect(run(call(), stop).nodes.get("call")).toMatchObject({ status: "failed", code: "workflow_failed" });
    expect(run(call({ continueOnError: true }), stop).result).toEqual([{ error: { code: "workflow_failed" } }]);
  });
});
