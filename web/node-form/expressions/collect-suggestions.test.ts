import { describe, expect, it } from "vitest";
import type { PreviewScope } from "../../../src/runs/wire.ts";
import type { Canvas } from "../../../src/workflows/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { collectSuggestions } from "./collect-suggestions.ts";

const canvas: Canvas = {
  nodes: ["a", "b", "c", "after", "aside"].map((id) => ({
    id,
    nodeId: id === "b" ? "slack_send_message" : "transform",
  })),
  edges: [
    { id: "1", source: "a", target: "b" },
    { id: "2", source: "b", target: "c" },
    { id: "3", source: "c", target: "after" },
    { id: "4", source: "a", target: "aside" },
  ],
};
const slack = {
  outputSchema: { type: "object", properties: { ts: { type: "string", description: "When it was sent." } } },
} as unknown as NodeKind;
const kinds = new Map([["slack_send_message", slack]]);
const scope: PreviewScope = {
  runId: "r",
  trigger: { source: "api", sender: null, prompt: "Hi", payload: { order: { id: 7 } } },
  truncated: {},
  nodes: { a: [{ list: [{ "first-name": "Ann" }], n: 1 }] },
  vars: { region: "eu" },
};

const texts = (id: string, seen: PreviewScope | undefined = scope) => {
  const node = canvas.nodes.find((entry) => entry.id === id);
  return node ? collectSuggestions({ canvas, node, kinds, scope: seen }).map(({ text }) => text) : [];
};

describe("what completion offers", () => {
  it("are the data of the run, of nodes that come before and of nobody else", () => {
    const offered = texts("c");
    expect(offered).toEqual(
      expect.arrayContaining([
        "$trigger.payload.order.id",
        "$nodes.a.first.n",
        "$nodes.a.first.list[0].`first-name`",
        "$nodes.a.items",
        "$vars.region",
        "$sum()",
      ]),
    );
    expect(offered.filter((text) => /\$nodes\.(c|after|aside)/.test(text))).toEqual([]);
  });

  it("are the fields of the incoming item, by what the node before says of itself where it has not run yet", () => {
    expect(texts("b")).toEqual(expect.arrayContaining(["$input", "$input.n"]));
    expect(texts("c")).toContain("$input.ts");
  });

  it("are still something before the first run", () => {
    const offered = texts("a", undefined);
    expect(offered).toEqual(
      expect.arrayContaining(["$trigger.prompt", "$trigger.payload", "$trigger.source", "$trigger.sender", "$node.id"]),
    );
    expect(offered).not.toContain("$input");
  });

  it("names nothing twice", () => {
    const offered = texts("after");
    expect(offered).toEqual([...new Set(offered)]);
  });
});
