import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { DataViewer } from "../data-viewer.tsx";
import { JsonTree } from "./json-tree.tsx";
import { SchemaTree } from "./schema-tree.tsx";

const rows = Array.from({ length: 5000 }, (_, id) => ({
  id,
  title: `Issue ${id}`,
  body: "x".repeat(200),
  author: { name: "Ann", tags: [1, 2] },
}));
const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, id) => [`field-${id}`, "x".repeat(40)]));
const deep = Array.from({ length: 2000 }).reduce<unknown>((inside) => ({ inside, text: "x".repeat(400) }), "end");
const text = "x".repeat(1_000_000);

describe("a megabyte of data", () => {
  it.each([
    ["many rows", rows],
    ["many fields", wide],
    ["many levels", deep],
    ["one text", text],
    ["a list of texts", rows.map(({ body }) => body)],
  ])("is shown in small pieces: %s", (_, value) => {
    expect(JSON.stringify(value).length).toBeGreaterThan(700_000);
    for (const view of [
      <DataViewer key="first" value={value} label="data" />,
      <JsonTree key="json" value={value} label="data" path="$input" />,
      <SchemaTree key="schema" value={Array.isArray(value) ? value : [value]} label="data" path="$input" />,
    ])
      expect(renderToStaticMarkup(view).length).toBeLessThan(150_000);
  });

  it("is shown as text, whatever is in it", () => {
    const html = renderToStaticMarkup(
      <DataViewer value={[{ '<b id="a">': "<script>alert(1)</script>" }]} label="data" />,
    );
    expect(html).not.toMatch(/<b |<script/);
  });
});
