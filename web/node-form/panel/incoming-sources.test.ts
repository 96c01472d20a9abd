import { describe, expect, it } from "vitest";
import type { PreviewScope, Run } from "../../../src/runs/wire.ts";
import type { NodeKind } from "../../catalog.ts";
import { type Known, samplesOf, sourcesOf } from "./incoming-sources.ts";
import { seenFields } from "./seen-fields.ts";

const canvas = {
  nodes: [
    { id: "fetch", nodeId: "get", name: "Fetch" },
    { id: "decide", nodeId: "condition", name: "Decide" },
    { id: "tell", nodeId: "send", name: "Tell" },
  ],
  edges: [
    { id: "e0", source: "fetch", target: "decide" },
    { id: "e1", source: "decide", sourceHandle: "true", target: "tell" },
  ],
};
const outputSchema = { type: "object", properties: { id: { type: "string" }, tags: { type: "array", items: {} } } };
const kinds = new Map([["get", { id: "get", title: "Get", outputSchema } as unknown as NodeKind]]);
const trigger = { source: "api", sender: null, prompt: "", payload: { order: 1 } };
const scope = { runId: "r", trigger, nodes: { fetch: [{ id: "1" }], decide: [{ id: "1" }] }, vars: {}, truncated: {} };
const run = {
  trigger,
  nodes: [
    { id: "fetch", outputs: [{ id: "7" }], ways: { out: 1 } },
    { id: "decide", outputs: [{ id: "7" }, { id: "8" }], ways: { true: 1, false: 1 } },
  ],
} as unknown as Run;

const known = (more: Partial<Known> = {}): Known => ({
  canvas,
  node: { id: "tell", nodeId: "send" },
  kinds,
  run: undefined,
  scope: undefined,
  pins: new Map(),
  ...more,
});
const told = (more: Partial<Known>, sample: Parameters<typeof sourcesOf>[1]) =>
  sourcesOf(known(more), sample).map(({ title, root, data }) => [title, root, data]);

describe("what comes into a node", () => {
  it("has as samples what there is, that which the next step would take first", () => {
    const pins = new Map([["fetch", { out: [{ id: "p" }] }]]);
    expect(samplesOf(known())).toEqual(["schema"]);
    expect(samplesOf(known({ scope: scope as PreviewScope, pins }))).toEqual(["pinned", "run", "schema"]);
    expect(samplesOf(known({ node: { id: "fetch", nodeId: "get" } }))).toEqual([]);
    expect(samplesOf(known({ node: { id: "fetch", nodeId: "get" }, pins }))).toEqual([]);
  });

  it("is the items of its way in the run that is shown, then the nodes further back, then what started it", () => {
    expect(told({ run, scope: scope as PreviewScope }, "run")).toEqual([
      ["From Decide", "$input", { items: [{ id: "7" }] }],
      ["Fetch", "$nodes.fetch.first", { value: { id: "7" } }],
      ["What started the run", "$trigger", { value: trigger }],
    ]);
  });

  it("has the variables of the organization, also before anything has run", () => {
    const vars = { region: "eu" };
    const nothingYet = {
      node: { id: "fetch", nodeId: "get" },
      scope: { ...scope, trigger: null, vars } as PreviewScope,
    };
    expect(samplesOf(known(nothingYet))).toEqual(["schema"]);
    expect(told(nothingYet, "schema")).toEqual([["Variables", "$vars", { value: vars }]]);
  });

  it("is taken from the last run where none is shown", () => {
    expect(told({ scope: scope as PreviewScope }, "run")[0]).toEqual([
      "From Decide",
      "$input",
      { items: [{ id: "1" }] },
    ]);
  });

  it("is what is pinned, by way, and that of the run where nothing is", () => {
    const pins = new Map([["decide", { true: [{ id: "p" }], false: [{ id: "q" }] }]]);
    expect(told({ run, pins }, "pinned").slice(0, 2)).toEqual([
      ["From Decide", "$input", { items: [{ id: "p" }] }],
      ["Fetch", "$nodes.fetch.first", { value: { id: "7" } }],
    ]);
  });

  it("is what the nodes before promise, where nothing ran", () => {
    expect(told({}, "schema")).toEqual([["Fetch", "$nodes.fetch.first", { schema: outputSchema }]]);
    expect(seenFields(outputSchema)).toMatchObject([
      { name: "id", types: ["text"] },
      { name: "tags", types: ["list"], fields: [{ name: "[]" }] },
    ]);
  });
});
