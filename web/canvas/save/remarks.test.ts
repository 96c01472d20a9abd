import { expect, it } from "vitest";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { countByNode, locateRemarks } from "./remarks.ts";

const canvas: Canvas = {
  nodes: [
    { id: "start", nodeId: "start" },
    { id: "tell", nodeId: "slack_send_message", name: "Tell them" },
  ],
  edges: [{ id: "edge_1", source: "start", target: "tell" }],
};

it("leads from what the server says to the node and its field", () => {
  const remarks = locateRemarks(
    [
      { pointer: "/canvas/nodes/1/parameters/channel", detail: "is required" },
      { pointer: "/canvas/nodes/1", detail: "has something" },
      { pointer: "/canvas/edges/0/sourceHandle", detail: "must be one of out" },
      { pointer: "/canvas/nodes", detail: "must have at most 500 entries" },
    ],
    canvas,
  );
  expect(remarks.map(({ nodeId, pointer }) => [nodeId, pointer])).toEqual([
    ["tell", "/parameters/channel"],
    ["tell", ""],
    ["start", ""],
    [undefined, ""],
  ]);
  expect(remarks[0]?.words).toBe("Tell them: channel is required.");
  expect(countByNode(remarks)).toEqual(
    new Map([
      ["tell", 2],
      ["start", 1],
    ]),
  );
});
