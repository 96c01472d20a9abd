import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { N8nConversion } from "../../src/workflows/translation-wire.ts";
import type { Canvas } from "../../src/workflows/wire.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember } from "../support/people.ts";
import { startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let flows: WorkflowApp;

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());

const readSample = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `n8n/${name}.json`), "utf8"));
const send = (file: unknown) => flows.owner.browser.post(`${flows.path}/workflows/import/n8n`, { file });

async function translate(file: unknown): Promise<N8nConversion> {
  const { status, text, body } = await send(file);
  if (status !== 200) throw new Error(text);
  return body as unknown as N8nConversion;
}

/** Canvas id to type and parameters. */
const nodesOf = ({ nodes }: Canvas) =>
  Object.fromEntries(nodes.map(({ id, nodeId, parameters }) => [id, [nodeId, parameters]]));
const linesOf = ({ edges }: Canvas) =>
  edges.map(({ source, sourceHandle, target }) => `${source}${sourceHandle ? `.${sourceHandle}` : ""}>${target}`);
const outcomes = ({ nodes }: N8nConversion) => Object.fromEntries(nodes.map(({ name, outcome }) => [name, outcome]));
const remarksOf = ({ nodes }: N8nConversion, name: string) =>
  nodes.find((node) => node.name === name)?.remarks.join(" ") ?? "";

describe("a workflow of n8n", () => {
  it("becomes a canvas that does the same: webhook, condition, request, fields, answer", async () => {
    const conversion = await translate(readSample("orders"));
    const { canvas } = conversion;
    expect(nodesOf(canvas)).toEqual({
      new_order: [
        "transform",
        { expression: '{ "headers": $trigger.headers, "query": $trigger.query, "body": $trigger.payload }' },
      ],
      large: [
        "condition",
        {
          condition: {
            match: "all",
            rows: [
              { field: "$input.body.total", operator: "is_more_than", value: 100 },
              { field: "$input.body.email", operator: "is_not_empty" },
            ],
          },
        },
      ],
      customer: [
        "http_request",
        {
          method: "GET",
          url: "https://shop.example.com/customers/{{ $input.body.customerId }}",
          query: { expand: "orders" },
          headers: { Accept: "application/json" },
          timeoutSeconds: 5,
          errorStatus: "fail",
        },
      ],
      customer_items: ["transform", { expression: "$input.body" }],
      tell_sales: [
        "slack_send_message",
        { channel: "C0123", text: "Order of {{ $nodes.new_order.item.body.total }} by {{ $uppercase($input.name) }}" },
      ],
      say_thanks: ["respond", { status: 202, headers: {}, body: { ok: true } }],
      small_one: [
        "set_fields",
        { fields: { kind: "small", total: "{{ $input.body.total }}", limit: 100 }, keepOthers: true },
      ],
    });
    expect(linesOf(canvas)).toEqual([
      "new_order>large",
      "large.true>customer",
      "large.false>small_one",
      "customer_items>tell_sales",
      "tell_sales>say_thanks",
      "small_one>say_thanks",
      "customer>customer_items",
    ]);
    expect(canvas.notes?.map(({ text }) => text.split("\n")[0])).toEqual(["What starts it", "## Orders"]);
    expect(canvas.nodes.find(({ id }) => id === "customer")?.settings).toEqual({ retries: 3, retryDelay: 1000 });
    expect(canvas.nodes.find(({ id }) => id === "tell_sales")?.note).toBe("Sales wants this");
    expect(outcomes(conversion)).toEqual({
      "New order": "changed",
      "Large?": "mapped",
      Customer: "changed",
      "Tell sales": "changed",
      "Say thanks": "mapped",
      "Small one": "mapped",
    });
    expect(conversion.errors).toEqual([]);
  });

  it("brings no account and no secret along", async () => {
    const { text } = await send(readSample("orders"));
    expect(text).not.toContain("abc-secret");
    expect(text).not.toContain('"credentials":{');
    const { nodes } = await translate(readSample("orders"));
    const customer = nodes.find(({ name }) => name === "Customer")?.remarks.join(" ");
    for (const words of ["“Authorization” is left out", "“api_key” is left out", "Choose the account"])
      expect(customer).toContain(words);
  });

  it("leads on from the end of a loop, and puts no data into a statement", async () => {
    const conversion = await translate(readSample("newsletter"));
    expect(nodesOf(conversion.canvas)).toMatchObject({
      every_morning: ["start", {}],
      people: [
        "postgres_query",
        { sql: "SELECT * FROM people WHERE city = $1 AND age > $2", params: ["{{ $input.city }}", "{{ $input.age }}"] },
      ],
      one_by_one: ["loop", {}],
      write: [
        "gmail_send_email",
        {
          to: ["{{ $input.email }}"],
          subject: "News",
          html: "<p>Hello {{ $input.name }}</p>",
          cc: ["a@example.com", "b@example.com"],
        },
      ],
      pause: ["wait", { milliseconds: 120_000 }],
      done: ["telegram_send_message", { chatId: "4711", text: "All written", parseMode: "HTML" }],
    });
    expect(linesOf(conversion.canvas).toSorted()).toEqual(
      ["every_morning>people", "people>one_by_one", "one_by_one>write", "write>pause", "pause>done"].toSorted(),
    );
    expect(conversion.canvas.nodes.find(({ id }) => id === "write")?.settings).toEqual({ continueOnError: true });
    expect(remarksOf(conversion, "Every morning")).toContain("Add a schedule: every day at 07:30.");
    expect(conversion.errors).toEqual([]);
  });

  it("knows lists, and leaves unfinished what it does not know", async () => {
    const conversion = await translate(readSample("numbers"));
    expect(nodesOf(conversion.canvas)).toMatchObject({
      sheet: ["google_sheets_read_range", { spreadsheetId: "1AbC", range: "Orders" }],
      sheet_items: ["transform", { expression: "$input.record" }],
      open: [
        "filter",
        {
          condition: {
            match: "any",
            rows: [{ operator: "is" }, { field: "$input.Tags", operator: "has", value: "new" }],
          },
        },
      ],
      by_total: [
        "sort_and_limit",
        {
          by: [
            { field: "Total", order: "descending" },
            { field: "Name", order: "ascending" },
          ],
        },
      ],
      top_ten: ["sort_and_limit", { limit: 10 }],
      once: ["dedupe", { by: ["Email", "Name"] }],
      sums: ["aggregate", { groupBy: ["City"], values: [{ name: "sum_Total", operation: "sum", field: "Total" }] }],
      all: ["aggregate", { values: [{ name: "rows", operation: "collect" }] }],
      both: ["merge", { mode: "position" }],
      which: ["switch", { rules: [{ way: "Large" }, { way: "way 2", condition: { rows: [{ field: "" }] } }] }],
      report: ["call_workflow", {}],
      stop: ["stop", { message: "Nothing in {{ $input.City }}" }],
    });
    const lines = linesOf(conversion.canvas);
    expect(lines).toEqual(expect.arrayContaining(["which.Large>report", "which.otherwise>stop"]));
    expect(lines.indexOf("sums>both")).toBeLessThan(lines.indexOf("all>both"));
    expect(conversion.errors.map(({ detail }) => detail)).toEqual(expect.arrayContaining(["is required"]));
    expect(remarksOf(conversion, "Which")).toContain("no comparison “regex”");
    expect(remarksOf(conversion, "Sums")).toContain("countUnique");
    expect(remarksOf(conversion, "Report")).toContain("Xy12");
  });

  it("says what is missing, in notes and in the report, and holds the place so that it cannot be published", async () => {
    const conversion = await translate(readSample("assistant"));
    expect(conversion.name).toBe("Imported from n8n");
    expect(outcomes(conversion)).toEqual({
      Question: "changed",
      Prepare: "missing",
      "AI Agent": "changed",
      Model: "missing",
      Deal: "missing",
      "Own node": "missing",
      Post: "changed",
    });
    const notes = conversion.canvas.notes?.map(({ text }) => text) ?? [];
    expect(notes.find((text) => text.startsWith("Missing: Prepare (code)"))).toContain("return items.map");
    expect(notes.filter((text) => text.startsWith("Missing:"))).toHaveLength(4);
    expect(nodesOf(conversion.canvas)).toMatchObject({
      prepare: ["transform", undefined],
      ai_agent: ["ai_answer", { prompt: "{{ $input.q }}", system: "Be short." }],
      deal: ["transform", undefined],
      post: ["discord_send_message", { channelId: "77", content: '{{ "{{" }} $json.list.map(x => x) }}' }],
    });
    expect(conversion.canvas.nodes.map(({ id }) => id)).not.toContain("model");
    expect(conversion.remarks.join(" ")).toContain("closes a circle");
    expect(remarksOf(conversion, "Model")).toContain("serves another node");
    expect(conversion.errors.filter(({ pointer }) => pointer.endsWith("/parameters/expression"))).toHaveLength(3);
    const created = await flows.owner.browser.post(`${flows.path}/workflows`, {
      name: "Draft",
      canvas: conversion.canvas,
      publish: false,
    });
    expect(created.body).toMatchObject({ version: 0, isActive: false });
    const published = await flows.owner.browser.post(`${flows.path}/workflows/${created.body.id}/publish`, {});
    expectProblem(published, { status: 400, code: "validation_failed" });
  });
});

it("runs and gives what it gives in n8n", async () => {
  const fields = (list: object[]) => ({ assignments: { assignments: list }, includeOtherFields: true });
  const set = (name: string, ...list: object[]) => ({
    name,
    type: "n8n-nodes-base.set",
    typeVersion: 3.4,
    parameters: fields(list),
  });
  const total = { leftValue: "={{ $json.total }}", rightValue: "100", operator: { type: "number", operation: "gt" } };
  const text = "=Hello {{ $json.name.toUpperCase() }}, {{ $('Items').item.json.total * 2 }}{{ $json.nick || '!' }}";
  const to = (name: string) => ({ main: [[{ node: name, type: "main", index: 0 }]] });
  const { canvas } = await translate({
    nodes: [
      { name: "Begin", type: "n8n-nodes-base.manualTrigger" },
      set("Items", { name: "name", value: "Ann" }, { name: "total", value: "120", type: "number" }),
      {
        name: "Large?",
        type: "n8n-nodes-base.if",
        typeVersion: 2.2,
        parameters: { conditions: { combinator: "and", conditions: [total] } },
      },
      set("Greet", { name: "text", value: text }, { name: "literal", value: "{{ $json.name }} stays" }),
    ],
    connections: { Begin: to("Items"), Items: to("Large?"), "Large?": to("Greet") },
  });
  const run = await flows.run(await flows.save(canvas.nodes, canvas.edges));
  expect(run.error).toBe(null);
  expect(run.result).toEqual([{ name: "Ann", total: 120, text: "Hello ANN, 240!", literal: "{{ $json.name }} stays" }]);
});

describe("what is no such file", () => {
  const one = { name: "A", type: "n8n-nodes-base.set", parameters: {} };

  it.each([
    ["nothing in it", {}, "nodes"],
    ["nodes that are no list", { nodes: {} }, "nodes"],
    ["a node that is a number", { nodes: [7] }, "nodes/0"],
    ["a node without a name", { nodes: [{ type: "x" }] }, "nodes/0/name"],
    ["a node whose type is a list", { nodes: [{ name: "A", type: ["x"] }] }, "nodes/0/type"],
    ["two nodes of one name", { nodes: [one, one] }, "is the name of another node too"],
    [
      "too many nodes",
      { nodes: Array.from({ length: 501 }, (_, index) => ({ ...one, name: String(index) })) },
      "nodes",
    ],
    [
      "a node with too much in it",
      { nodes: [{ ...one, parameters: { list: Array.from({ length: 6000 }, () => 1) } }] },
      "at most 5000 values",
    ],
    [
      "too many connections",
      { nodes: [one], connections: { A: { main: [Array.from({ length: 2001 }, () => ({ node: "A" }))] } } },
      "at most 2000 connections",
    ],
    ["several workflows", [{ nodes: [] }, { nodes: [] }], "one at a time"],
  ])("is refused in words: %s", async (_what, file, words) => {
    const problem = expectProblem(await send(file), { status: 400, code: "validation_failed" });
    expect(problem.detail).toContain(words);
  });

  it.each([
    ['{"file": {"nodes": [], "__proto__": {"polluted": true}}}'],
    [
      '{"file": {"nodes": [{"name": "A", "type": "t", "parameters": {"constructor": {"prototype": {"polluted": true}}}}]}}',
    ],
    [`{"file": {"nodes": ${"[".repeat(100)}${"]".repeat(100)}}}`],
    [`{"file": {"nodes": [${Array.from({ length: 60_000 }, () => "0").join(",")}]}}`],
  ])("is refused before it is looked at, case %#", async (body) => {
    const answer = await flows.owner.browser.send("POST", `${flows.path}/workflows/import/n8n`, body);
    expectProblem(answer, { status: 400, code: "malformed_json" });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("takes wrong types for nothing, and names of objects for names", async () => {
    const odd = {
      name: "constructor",
      type: "n8n-nodes-base.set",
      position: "left",
      parameters: [],
      disabled: "yes",
      onError: 7,
      typeVersion: "x",
    };
    const { canvas } = await translate({
      nodes: [odd],
      connections: { constructor: { main: [[{ node: "toString" }, 7, null]] }, toString: 7 },
    });
    expect(canvas.nodes).toEqual([
      {
        id: "constructor_node",
        nodeId: "set_fields",
        name: "constructor",
        position: { x: 0, y: 0 },
        parameters: { fields: {}, keepOthers: true },
      },
    ]);
    expect(canvas.edges).toEqual([]);
  });

  it("is read by members, and by nobody else", async () => {
    const viewer = await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
    const file = { nodes: [] };
    expectProblem(await viewer.browser.post(`${flows.path}/workflows/import/n8n`, { file }), {
      status: 403,
      code: "role_required",
    });
    const { body } = await flows.owner.browser.get(`${flows.path}/workflows`);
    const before = body.total;
    await translate(readSample("orders"));
    expect((await flows.owner.browser.get(`${flows.path}/workflows`)).body.total).toBe(before);
  });
});
