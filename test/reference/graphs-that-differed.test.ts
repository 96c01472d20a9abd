import { afterAll, beforeAll, expect, it } from "vitest";
import type { Case, FlowNode, Settings, Work } from "./flow.ts";
import { findDifferences } from "./run-cases.ts";
import { startTestBed, type TestBed } from "./test-bed.ts";

let testBed: TestBed;

beforeAll(async () => {
  testBed = await startTestBed();
});
afterAll(() => testBed?.stop());

const node = (id: string, work: Work, sources: string[] = [], settings: Partial<Settings> = {}): FlowNode => ({
  id,
  work,
  from: sources.map((source) => ({ source, way: "out" })),
  settings: {
    retries: 0,
    retryDelay: 0,
    continueOnError: false,
    continueWhenEmpty: false,
    disabled: false,
    ...settings,
  },
});
const ask = (plan: string, per: "item" | "list"): Work => ({ type: "ask", per, plan });
const objects = (...values: (number | null)[]): Work => ({ type: "loop", list: { is: "objects", values } });
const wait: Work = { type: "wait", milliseconds: 30, isPast: false };
const start = (...nodes: FlowNode[]): Case => ({ payload: null, flows: [nodes] });

// The smallest ones of random graphs in which the engine once did something else than the reference.
it.each<[string, Case]>([
  [
    "a wait that is over beside a branch that works",
    start(node("ask", ask("fine", "list")), node("rest", wait), node("next", ask("fine", "item"), ["ask"])),
  ],
  [
    "a wait that goes on where it began, because something else takes longer",
    start(node("rest", wait), node("slow", ask("hangs", "list"), [], { continueOnError: true })),
  ],
  [
    "the same item on two branches, merged by a key it does not have",
    start(
      node("list", objects(1)),
      node("same", { type: "start" }, ["list"]),
      node("all", { type: "merge", mode: "key", key: "title" }, ["list", "same"]),
    ),
  ],
  [
    "an item that fails for good before one that is tried again",
    start(
      node("list", objects(null, 2)),
      node("ask", ask("fails-1", "item"), ["list"], { continueOnError: true, retries: 1, retryDelay: 5 }),
    ),
  ],
])("%s", async (_what, one) => {
  for (const name of ["first", "second", "third"])
    expect(await findDifferences(one, `${name}-${Math.random()}`, { ...testBed, limitMs: 15_000 })).toEqual([]);
});
