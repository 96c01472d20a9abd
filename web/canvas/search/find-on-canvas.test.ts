import { expect, it } from "vitest";
import type { Canvas } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { findOnCanvas } from "./find-on-canvas.ts";

const canvas: Canvas = {
  nodes: [
    {
      id: "tell",
      nodeId: "slack_send_message",
      name: "Tell Ben",
      parameters: { channel: "C1", blocks: [{ text: "Order {{ $nodes.fetch.first.id }}" }] },
      position: { x: 300, y: 0 },
    },
    { id: "fetch", nodeId: "http_request", note: "Asks the shop", position: { x: 0, y: 0 } },
  ],
  edges: [],
  notes: [{ id: "n", text: "Refunds\nAbove 50 ask Ben", x: 600, y: 0, width: 240, height: 120 }],
};
const kinds = new Map([
  ["slack_send_message", { title: "Send message", provider: { id: "slack", title: "Slack" } }],
  ["http_request", { title: "HTTP request", provider: null }],
]) as unknown as Map<string, NodeKind>;
const found = (text: string) => findOnCanvas(canvas, kinds, text).map(({ boxId, where }) => [boxId, where]);

it("finds nodes by name, kind, note and texts of their parameters, from left to right, and notes", () => {
  expect(found("ben")).toEqual([
    ["tell", "name"],
    ["note:n", "note"],
  ]);
  expect(found("slack")).toEqual([["tell", "kind"]]);
  expect(found("SHOP")).toEqual([["fetch", "note"]]);
  expect(found("order first")).toEqual([["tell", "text"]]);
  expect(found("fetch")).toEqual([
    ["fetch", "name"],
    ["tell", "text"],
  ]);
});

it("needs every word, and finds nothing for none", () => {
  expect(found("ben nobody")).toEqual([]);
  expect(found("  ")).toEqual([]);
});
