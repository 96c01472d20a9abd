import { describe, expect, it } from "vitest";
import type { NodeKind } from "../catalog.ts";
import { summarizeNode } from "./summarize-node.ts";

const kind = (inputSchema: Record<string, unknown>, summary?: string[]) =>
  ({ id: "a", title: "A", inputSchema, ...(summary && { summary }) }) as NodeKind;
const text = { type: "string" };
const request = kind({ properties: { url: text, method: { ...text, default: "GET" }, body: {} }, required: ["url"] }, [
  "method",
  "url",
]);

describe("the line that tells what a node does", () => {
  it("has the fields that its descriptor names, also by their defaults, and addresses without their origin", () => {
    const url = "https://shop.example.com/orders/{{ $input.id }}";
    expect(summarizeNode({ parameters: { url } }, request)).toBe("GET /orders/{id}");
    expect(summarizeNode({ parameters: { url: "https://shop.example.com", method: "POST" } }, request)).toBe(
      "POST shop.example.com",
    );
  });

  it("has else the first two fields that must be filled in, and are", () => {
    const message = kind({ properties: { thread: text, channel: text, text }, required: ["channel", "text"] });
    expect(
      summarizeNode({ parameters: { channel: "C1", text: "Hello\n{{ $nodes.fetch.first.name }}" } }, message),
    ).toBe("C1 Hello {name}");
    const condition = kind({ properties: { condition: text }, required: ["condition"] });
    expect(summarizeNode({ parameters: { condition: "$input.total > 100" } }, condition)).toBe("total > 100");
    const fields = kind({ properties: { keep: { type: "boolean" }, fields: { type: "object" } } });
    expect(summarizeNode({ parameters: { keep: true, fields: { a: 1, b: 2 } } }, fields)).toBe("a, b");
  });

  it("has numbers with their names", () => {
    const wait = kind({ properties: { milliseconds: { type: "integer" } } });
    expect(summarizeNode({ parameters: { milliseconds: 500 } }, wait)).toBe("milliseconds 500");
  });

  it("is empty where nothing is entered or the type of node is unknown, and is cut where it is long", () => {
    expect(summarizeNode({}, kind({ properties: { list: text } }))).toBe("");
    expect(summarizeNode({ parameters: { a: "b" } }, undefined)).toBe("");
    expect(summarizeNode({ parameters: { list: "x".repeat(500) } }, kind({ properties: { list: text } }))).toHaveLength(
      60,
    );
  });
});
