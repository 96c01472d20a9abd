import { expect, it } from "vitest";
import type { Comparison } from "../../../src/workflows/wire.ts";
import { describeComparison } from "./describe-comparison.ts";

const canvas = { nodes: [{ id: "tell", nodeId: "slack_send_message", name: "Tell them" }], edges: [] };
const nothing: Comparison = {
  from: 1,
  to: 2,
  nodes: { added: [], removed: [], changed: [] },
  edges: { added: [], removed: [] },
};
const described = (comparison: Partial<Comparison>) =>
  describeComparison({ ...nothing, ...comparison }, { canvas, kinds: new Map() });

it("says what was added, removed, changed, connected and moved, with the names of the nodes", () => {
  const lines = described({
    nodes: {
      added: [{ id: "wait", nodeId: "wait" }],
      removed: [{ id: "old", nodeId: "start", name: "Begin" }],
      changed: [
        {
          id: "tell",
          fields: [
            { pointer: "/parameters/text", before: "a", after: "b" },
            { pointer: "/settings/retries", after: 2 },
          ],
        },
        { id: "wait", fields: [{ pointer: "/position/x", before: 1, after: 2 }] },
      ],
    },
    edges: {
      added: [{ id: "e", source: "wait", target: "tell" }],
      removed: [{ id: "f", source: "old", target: "tell" }],
    },
  });
  expect(lines).toEqual([
    "Added wait.",
    "Removed Begin.",
    "Changed Tell them: text, retries added.",
    "Connected wait to Tell them.",
    "Disconnected Begin to Tell them.",
    "Moved 1 node.",
  ]);
});

it("says so when nothing is different", () => {
  expect(described({})).toEqual(["Nothing is different."]);
});
