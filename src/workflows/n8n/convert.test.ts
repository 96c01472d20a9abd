import { expect, it } from "vitest";
import { readN8nFiles, refusedN8nFiles } from "../../../test/support/heavy-n8n-files.ts";
import { Refusal } from "../../base/refusal.ts";
import { convertN8n } from "./convert.ts";

/** Of the processor, the shortest of three tries in milliseconds: what others do meanwhile does not count. */
async function shortestTime(work: () => Promise<unknown>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 3; count += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    shortest = Math.min(shortest, (user + system) / 1000);
  }
  return shortest;
}

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
  ...Object.entries(readN8nFiles),
])("takes a moment for %s", async (_what, file) => {
  expect(await shortestTime(() => convertN8n(file))).toBeLessThan(1500);
});

it.each(Object.entries(refusedN8nFiles))("refuses %s in a moment", async (_what, file) => {
  const refuse = async () => expect(await convertN8n(file).catch((error: unknown) => error)).toBeInstanceOf(Refusal);
  expect(await shortestTime(refuse)).toBeLessThan(1500);
});

it("takes no secret over that stands in an address", async () => {
  const url = "=https://ann:s3cret@shop.example.com/a?page={{ $json.page }}&api_key=s3cret&size=1";
  const file = { nodes: [{ ...one, type: "n8n-nodes-base.httpRequest", typeVersion: 4.2, parameters: { url } }] };
  const { canvas, nodes } = await convertN8n(file);
  expect(canvas.nodes[0]?.parameters).toMatchObject({
    url: "https://shop.example.com/a?page={{ $input.page }}&api_key=&size=1",
  });
  expect(nodes[0]?.remarks.join(" ")).toContain("A secret in its address is left out.");
});

it("takes no secret over that stands in a header, in a body or in the address of a feed", async () => {
  const http = { ...one, type: "n8n-nodes-base.httpRequest", typeVersion: 4.2 };
  const rows = [
    { name: "Authorization", value: "=Bearer s3cret" },
    { name: "X-Api-Key", value: "={{ $json.key }}" },
    { name: "X-Token", value: 4711 },
  ];
  const headerParameters = { parameters: rows };
  const url = "https://shop.example.com";
  const jsonBody = '={ "password": "s3cret", "auth": { "pass": "s3cret" }, "author": "Ann", "max_tokens": 9 }';
  const { canvas, nodes } = await convertN8n({
    nodes: [
      { ...http, parameters: { url, method: "POST", sendBody: true, jsonBody, headerParameters } },
      { ...one, name: "B", type: "n8n-nodes-base.rssFeedRead", parameters: { url: `${url}/?token=s3cret` } },
    ],
  });
  expect(JSON.stringify(canvas)).not.toMatch(/s3cret|4711/);
  expect(canvas.nodes.map(({ parameters }) => parameters)).toMatchObject([
    { headers: { "X-Api-Key": "{{ $input.key }}" }, body: { author: "Ann", max_tokens: 9 } },
    { expression: "$input.body" },
    { url: `${url}/?token=` },
  ]);
  const remarks = nodes.flatMap((node) => node.remarks).join(" ");
  for (const name of ["header “Authorization”", "header “X-Token”", "field “password”", "field “auth”"])
    expect(remarks).toContain(`The ${name} is left out`);
});

it("gives the second part of a node the settings of the first, and hands on what failed", async () => {
  const http = { ...one, type: "n8n-nodes-base.httpRequest", parameters: { url: "https://shop.example.com" } };
  const settings = { disabled: true, alwaysOutputData: true, retryOnFail: true, onError: "continueRegularOutput" };
  const { canvas } = await convertN8n({
    nodes: [
      { ...http, ...settings },
      { ...http, name: "B" },
    ],
  });
  expect(canvas.nodes[0]?.settings).toMatchObject({ retries: 2, continueOnError: true, disabled: true });
  expect(canvas.nodes[1]).toMatchObject({
    settings: { disabled: true, continueWhenEmpty: true },
    parameters: { expression: "$exists($input.error) ? $input : ($input.body)" },
  });
  expect(canvas.nodes[1]?.settings).not.toHaveProperty("retries");
  expect(canvas.nodes[3]).not.toHaveProperty("settings");
});

it("makes no text of what is none, and no more remarks than people read", async () => {
  const rows = Array.from({ length: 300 }, (_, index) => ({ name: `f${index}`, value: "={{ $json.a.map() }}" }));
  const { nodes } = await convertN8n({
    nodes: [
      { ...one, typeVersion: 3.4, parameters: { assignments: { assignments: rows } } },
      {
        ...one,
        name: "B",
        type: "n8n-nodes-base.httpRequest",
        parameters: { requestMethod: { toString: "x" }, url: "a" },
      },
    ],
  });
  expect(nodes[0]?.remarks).toHaveLength(20);
  expect(nodes[0]?.remarks.at(-1)).toBe("281 more remarks are left out.");
  expect(nodes[1]?.becomes).toEqual(["http_request", "transform"]);
});
