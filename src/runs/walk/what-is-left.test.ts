import { describe, expect, it } from "vitest";
import { compileGraph } from "./graph.ts";
import type { Settled } from "./incoming.ts";
import { standingAfter, standingOf, whatIsLeft } from "./what-is-left.ts";

/** How a node stands. One that is `open` is neither done nor busy: it can begin when all before it are done and gave something. */
type State = "open" | "runs" | "pauses" | "done" | "gave nothing" | "failed" | "failed, and the run goes on";

type Line = { first: State; second: State; third: State; failure?: boolean; isOver: boolean; because: string };

const aNodeRuns = "A node still runs, and what it does must be stored before the end of its run.";
const aNodeFailed = "A node has failed the run: nothing may begin or go on any more.";
const aNodeCanBegin = "A node has all it needs to begin.";
const aNodePauses = "A node pauses and goes on later.";
const allAreDone = "Each node is done, and none can begin.";

// `second` comes after `first`; `third` stands beside them.
const table: Line[] = [
  { first: "open", second: "open", third: "open", isOver: false, because: aNodeCanBegin },
  { first: "runs", second: "open", third: "done", isOver: false, because: aNodeRuns },
  { first: "runs", second: "open", third: "pauses", isOver: false, because: aNodeRuns },
  { first: "runs", second: "open", third: "open", isOver: false, because: aNodeRuns },
  { first: "done", second: "open", third: "done", isOver: false, because: aNodeCanBegin },
  { first: "done", second: "runs", third: "done", isOver: false, because: aNodeRuns },
  { first: "done", second: "pauses", third: "done", isOver: false, because: aNodePauses },
  { first: "pauses", second: "open", third: "done", isOver: false, because: aNodePauses },
  { first: "pauses", second: "open", third: "open", isOver: false, because: aNodeCanBegin },
  { first: "gave nothing", second: "open", third: "done", isOver: true, because: allAreDone },
  { first: "gave nothing", second: "open", third: "pauses", isOver: false, because: aNodePauses },
  { first: "failed, and the run goes on", second: "open", third: "done", isOver: false, because: aNodeCanBegin },
  { first: "done", second: "done", third: "done", isOver: true, because: allAreDone },
  { first: "failed", second: "open", third: "done", isOver: true, because: aNodeFailed },
  { first: "failed", second: "open", third: "open", isOver: true, because: aNodeFailed },
  { first: "failed", second: "open", third: "pauses", isOver: true, because: aNodeFailed },
  { first: "failed", second: "open", third: "runs", isOver: false, because: aNodeRuns },
  // A run may fail without a node: it took too long, or too many processes lost it.
  { first: "open", second: "open", third: "pauses", failure: true, isOver: true, because: aNodeFailed },
  { first: "runs", second: "open", third: "open", failure: true, isOver: false, because: aNodeRuns },
];

const graph = compileGraph({
  nodes: ["first", "second", "third"].map((id) => ({ id, nodeId: "transform", position: { x: 0, y: 0 } })),
  edges: [{ id: "edge", source: "first", target: "second" }],
});

const outcomes: Partial<Record<State, Settled>> = {
  done: { status: "succeeded", outputs: { out: [{}] } },
  "gave nothing": { status: "succeeded", outputs: { out: [] } },
  failed: { status: "failed", outputs: {} },
  "failed, and the run goes on": { status: "failed", outputs: { out: [{ error: "too late" }] } },
};

function stand(states: Record<string, State>, hasFailed = false) {
  const all = Object.entries(states);
  const those = (wanted: State) => new Map(all.filter(([, state]) => state === wanted).map(([id]) => [id, undefined]));
  const settled = new Map(all.flatMap(([id, state]) => (outcomes[state] ? [[id, outcomes[state]] as const] : [])));
  const failure = hasFailed || all.some(([, state]) => state === "failed") ? "a failure" : undefined;
  return { graph, root: {}, settled, running: those("runs"), pauses: those("pauses"), failure: () => failure };
}

describe("a run", () => {
  it.each(table)(
    "is over: $isOver when $first, then $second, beside $third",
    ({ first, second, third, failure, ...decision }) => {
      const nodes = stand({ first, second, third }, failure);
      const passed = outcomes[first] && standingAfter(nodes, "first", { outcome: outcomes[first], failure: undefined });
      expect(whatIsLeft({ ...standingOf(nodes), ...(passed && { settled: passed.settled }) })).toMatchObject(decision);
    },
  );

  const [done, failed] = [outcomes.done as Settled, outcomes.failed as Settled];

  it("ends with its last node, which still counts as running while its end is stored", () => {
    const nodes = stand({ first: "done", second: "runs", third: "done" });
    expect(whatIsLeft(standingOf(nodes))).toMatchObject({ isOver: false, because: aNodeRuns });
    const afterwards = standingAfter(nodes, "second", { outcome: done, failure: undefined });
    expect(whatIsLeft(afterwards)).toMatchObject({ isOver: true, because: allAreDone });
  });

  it("ends with a node that goes on after its pause and is done", () => {
    const nodes = stand({ first: "done", second: "pauses", third: "done" });
    const afterwards = standingAfter(nodes, "second", { outcome: done, failure: undefined });
    expect(whatIsLeft(afterwards)).toMatchObject({ isOver: true, because: allAreDone });
  });

  it("ends with the node that fails it, unless another one runs", () => {
    const end = { outcome: failed, failure: "a failure" };
    const alone = standingAfter(stand({ first: "runs", second: "open", third: "pauses" }), "first", end);
    expect(whatIsLeft(alone)).toMatchObject({ isOver: true, because: aNodeFailed });
    const beside = standingAfter(stand({ first: "runs", second: "open", third: "runs" }), "first", end);
    expect(whatIsLeft(beside)).toMatchObject({ isOver: false, because: aNodeRuns });
  });

  it("does not wait for a node that paused in a version of the workflow which had it", () => {
    const nodes = stand({ first: "done", second: "done", third: "done", gone: "pauses" });
    expect(whatIsLeft(standingOf(nodes))).toMatchObject({ isOver: true, because: allAreDone });
  });

  it("stands as it stood while the end of a node is only being stored", () => {
    const nodes = stand({ first: "runs", second: "open", third: "done" });
    const afterwards = standingAfter(nodes, "first", {
      outcome: { status: "succeeded", outputs: {} },
      failure: undefined,
    });
    expect([...afterwards.settled.keys()].sort()).toEqual(["first", "second", "third"]);
    expect([...nodes.settled.keys()]).toEqual(["third"]);
  });
});
