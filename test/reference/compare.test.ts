import { describe, expect, it } from "vitest";
import { compare, findSurplus, type SeenNode, type SeenRun } from "./compare.ts";
import type { Flow, FlowNode, Work } from "./flow.ts";
import { interpret, type Outcome } from "./interpreter.ts";
import type { Heard } from "./outside.ts";

const node = (id: string, work: Work, ...sources: string[]): FlowNode => ({
  id,
  work,
  from: sources.map((source) => ({ source, way: "out" })),
  settings: { retries: 1, retryDelay: 0, continueOnError: false, continueWhenEmpty: false, disabled: false },
});
const ask: Work = { type: "ask", per: "list", plan: "fails-1" };
const parent: Flow = [
  node("ask", ask),
  node("rest", { type: "wait", milliseconds: 500, isPast: false }, "ask"),
  node("call", { type: "call_workflow", flow: 1, payload: "default" }, "rest"),
];
const child: Flow = [node("ask", ask), node("again", ask, "ask")];
const expected = interpret([parent, child], 0, { prompt: "p", payload: null });

/** Each node takes a second. */
const second = (count: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString();

/** A run that is what it has to be. */
function see({ flow, nodes, prompt, status, result }: Outcome, begin = 0): SeenRun {
  const seen = flow.map(({ id }, index): SeenNode => {
    const { status: own = "", attempts = 0, ways = new Map() } = nodes.get(id) ?? {};
    const outputs = [...ways.values()].flat();
    const times = { startedAt: second(begin + index), completedAt: second(begin + index + 1) };
    return { id, status: own, attempts, outputs, ways: { out: outputs.length }, error: null, ...times };
  });
  const called = flow.flatMap(({ id }, index) => {
    const run = nodes.get(id)?.called;
    return run ? [see(run, begin + index)] : [];
  });
  const times = { createdAt: second(begin), completedAt: second(begin + 1) };
  return { status, result, error: null, nodes: seen, trigger: { prompt }, ...times, called };
}

const titles = [
  "p/ask/once",
  "p/ask/once",
  "p/call/ask/once",
  "p/call/ask/once",
  "p/call/again/once",
  "p/call/again/once",
];
const hear = (said: string[]): Heard[] => said.map((title, at) => ({ title, at }));

/** What is noticed when something is otherwise. */
function noticed(change: (run: SeenRun) => void, said = titles): string {
  const run = see(expected);
  change(run);
  return compare(expected, run, hear(said)).join("\n");
}
const first = (run: SeenRun): SeenNode => run.nodes[0] as SeenNode;
const same = () => {};

describe("the comparison", () => {
  it("finds nothing where everything is as it has to be", () => {
    expect(noticed(same)).toBe("");
    expect(findSurplus(expected, hear(titles.slice(0, 3)))).toEqual([]);
  });

  it.each<[string, (run: SeenRun) => void, string]>([
    ["the end of a run", (run) => Object.assign(run, { status: "failed" }), 'p: is "failed"'],
    ["its result", (run) => Object.assign(run, { result: [] }), "has the result"],
    [
      "an error",
      (run) => Object.assign(run, { error: { code: "provider_error", message: "", nodeId: "ask" } }),
      "has the error",
    ],
    ["the end of a node", (run) => Object.assign(first(run), { status: "skipped" }), 'is "skipped"'],
    ["what came out", (run) => Object.assign(first(run), { outputs: [] }), "gave []"],
    ["the way it took", (run) => Object.assign(first(run), { ways: { other: 1 } }), "has the ways"],
    ["attempts", (run) => Object.assign(first(run), { attempts: 1 }), "took attempts 1"],
    ["a node that is gone", (run) => void run.nodes.shift(), "is missing"],
    ["a beginning too early", (run) => Object.assign(first(run), { completedAt: second(2) }), "before ask ended"],
    [
      "a wait that was none",
      ({ nodes }) => Object.assign(nodes[1] as SeenNode, { completedAt: second(1) }),
      "took 0 ms",
    ],
    ["a run that was not called", (run) => Object.assign(run, { called: [] }), "called 0 runs"],
    ["a run that was called twice", (run) => void run.called.push(run.called[0] as SeenRun), "called 2 runs"],
    [
      "a called run that ended later",
      ({ called }) => Object.assign(called[0] as SeenRun, { completedAt: second(9) }),
      "before the run",
    ],
    ["what is wrong in a called run", ({ called }) => void called[0]?.nodes.pop(), "p/call/again is missing"],
  ])("notices %s", (_what, change, words) => expect(noticed(change)).toContain(words));

  it("notices requests that are repeated, missing, or of another order", () => {
    expect(noticed(same, [...titles, "p/ask/once"])).toContain("p/ask (ask): was asked");
    expect(noticed(same, titles.slice(1))).toContain("p/ask (ask): was asked");
    expect(noticed(same, titles.toReversed())).toContain("p/call asked the provider before ask had asked");
    expect(findSurplus(expected, hear([...titles, "p/ask/once"]))).toEqual([
      "p/ask/once was asked at the provider too often",
    ]);
  });
});
