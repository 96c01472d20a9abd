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

  it("has the rows of a condition in words, and whatever a draft holds in their place", () => {
    const condition = kind({ properties: { condition: {} }, required: ["condition"] });
    const rows = [
      { field: "$input.body.total", operator: "is_more_than", value: 100 },
      { field: "$input.mail", operator: "is_not_empty" },
    ];
    const said = (written: unknown) => summarizeNode({ parameters: { condition: written } }, condition);
    expect(said({ match: "all", rows })).toBe("total is more than 100 and mail is not empty");
    expect(said({ match: "any", rows: rows.slice(0, 1), groups: [{ match: "all", rows }] })).toBe(
      "total is more than 100 or …",
    );
    expect(said({ rows: [null, 7, { operator: "unknown" }] })).toContain("…");
  });

  it("has numbers with their names, and durations in words", () => {
    const wait = kind({ properties: { milliseconds: { type: "integer" } } });
    expect(summarizeNode({ parameters: { milliseconds: 500 } }, wait)).toBe("milliseconds 500");
    const inUnits = kind({ properties: { milliseconds: { type: "integer", unit: "milliseconds" } } });
    expect(summarizeNode({ parameters: { milliseconds: 300_000 } }, inUnits)).toBe("5 minutes");
  });

  it("is empty where nothing is entered or the type of node is unknown, and is cut where it is long", () => {
    expect(summarizeNode({}, kind({ properties: { list: text } }))).toBe("");
    expect(summarizeNode({ parameters: { a: "b" } }, undefined)).toBe("");
    expect(summarizeNode({ parameters: { list: "x".repeat(500) } }, kind({ properties: { list: text } }))).toHaveLength(
      60,
    );
  });
});
