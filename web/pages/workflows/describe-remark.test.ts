import { describe, expect, it } from "vitest";
import { describeRemark } from "./describe-remark.ts";

const canvas = { nodes: [{ id: "a", nodeId: "stop" }, { id: "b", name: "Tell the team" }, null] };

describe("a remark about a canvas", () => {
  it.each([
    ["/canvas/nodes/1/parameters/to/0", "is required", "Tell the team: to → 0 is required."],
    ["/canvas/nodes/1/credentials/slack", "is left empty", "Tell the team: the slack account is left empty."],
    ["/canvas/nodes/0/settings/retries", "is too large", "a: retries is too large."],
    ["/canvas/nodes/2", "is no node", "A node: is no node."],
    ["/canvas/nodes/7/parameters/x", "is unknown", "x is unknown."],
    ["/canvas/edges/3", "closes a circle: a → b → a", "canvas → edges → 3 closes a circle: a → b → a."],
    ["/name", "is required", "name is required."],
  ])("names the node of %s", (pointer, detail, words) =>
    expect(describeRemark(canvas, { pointer, detail })).toBe(words),
  );

  it("stands on its own without a canvas", () =>
    expect(describeRemark("no canvas", { pointer: "/canvas/nodes/0/id", detail: "is used twice" })).toBe(
      "id is used twice.",
    ));
});
