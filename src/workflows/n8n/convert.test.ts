import { expect, it } from "vitest";
import { shortestTime } from "../../../test/support/shortest-time.ts";
import { convertN8n } from "./convert.ts";

const one = { name: "A", type: "n8n-nodes-base.set", parameters: {} };
const many = Array.from({ length: 400 }, (_, index) => ({ name: `n${index}`, type: "n8n-nodes-base.noOp" }));
const each = { main: [many.slice(0, 5).map(({ name }) => ({ node: name }))] };
const braces = { assignments: { assignments: [{ name: "a", value: `=${"{{ ".repeat(200_000)}` }] } };
const statement = { operation: "executeQuery", query: `=${"'{{".repeat(300_000)}` };

it.each([
  ["braces without an end", { nodes: [{ ...one, typeVersion: 3.4, parameters: braces }] }],
  ["a statement of braces", { nodes: [{ ...one, type: "n8n-nodes-base.postgres", parameters: statement }] }],
  [
    "a list of commas",
    { nodes: [{ ...one, type: "n8n-nodes-base.gmail", parameters: { sendTo: ",".repeat(1_000_000) } }] },
  ],
  ["circles everywhere", { nodes: many, connections: Object.fromEntries(many.map(({ name }) => [name, each])) }],
])("takes a moment for %s", (_what, file) => {
  expect(shortestTime(() => convertN8n(file))).toBeLessThan(1500);
});

it("takes no secret over that stands in an address", () => {
  const url = "=https://ann:s3cret@shop.example.com/a?page={{ $json.page }}&api_key=s3cret&size=1";
  const file = { nodes: [{ ...one, type: "n8n-nodes-base.httpRequest", typeVersion: 4.2, parameters: { url } }] };
  const { canvas, nodes } = convertN8n(file);
  expect(canvas.nodes[0]?.parameters).toMatchObject({
    url: "https://shop.example.com/a?page={{ $input.page }}&api_key=&size=1",
  });
  expect(nodes[0]?.remarks.join(" ")).toContain("A secret in its address is left out.");
});
