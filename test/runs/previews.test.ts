import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { startFakeModel } from "../support/providers/fake-model.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let model: Awaited<ReturnType<typeof startFakeModel>>;
let workflowId: string;
let runId: string;

const canvas = {
  nodes: [
    node("list", "loop", { list: "[1, 2, 3, 4]" }),
    node("each", "set_fields", { fields: { tens: "{{ $input.value * 10 }}", said: "$trigger.prompt" } }),
    node("off", "set_fields", { fields: {} }, { settings: { disabled: true } }),
    node("last", "set_fields", { fields: {} }),
    node("apart", "set_fields", { fields: { here: "apart" } }),
  ],
  edges: edges("list>each", "each>off", "off>last"),
};

beforeAll(async () => {
  model = await startFakeModel(() => ({ fields: { greeting: "Hello" } }));
  ann = await startWorkflowApp({ environment: model.environment });
  bob = await signUpOwner(ann.app, "Bob");
  workflowId = await ann.save(canvas.nodes, canvas.edges);
  runId = (await ann.run(workflowId, { runtimePrompt: "hi" })).id;
});
afterAll(async () => {
  await ann?.stop();
  await model?.stop();
});

const at = (end: string, id = workflowId) => `${ann.path}/workflows/${id}/${end}`;
const preview = async (value: unknown, others: object = {}, id = workflowId) => {
  const { status, body } = await ann.owner.browser.post(at("preview-value", id), {
    canvas,
    nodeId: "last",
    value,
    ...others,
  });
  expect([status, body.code]).toEqual([200, undefined]);
  return body as { runId: string | null; result: { value: unknown } | { error: string } };
};

/** Keeps what previews read for itself until it is told to let go. */
async function lockRuns(): Promise<() => Promise<void>> {
  const client = new pg.Client(ann.app.database.url);
  await client.connect();
  await client.query("BEGIN; LOCK TABLE run IN ACCESS EXCLUSIVE MODE");
  const release = async () => await client.end();
  onTestFinished(release);
  return release;
}

it("takes no database connection from calls, however many are asked for and however long they take", async () => {
  const { app, owner } = ann;
  const { key } = await app.parts.identity.apiKeys.create(owner.organizationId, {
    name: "calls",
    scopes: ["mcp:invoke"],
    createdBy: null,
  });
  const client = createMcpClient(app.gatewayUrl, { "x-api-key": key });
  const release = await lockRuns();
  let answered = 0;
  const previews = Array.from({ length: 15 }, async () => {
    await owner.browser.post(at("preview-value"), { canvas, nodeId: "last", value: "$input" });
    answered += 1;
  });
  await delay(300);
  const { json } = await client.modern("system", "tools/call", { name: "system_wait", arguments: { seconds: 0 } });
  const answeredBefore = answered;
  await release();
  await Promise.all(previews);
  expect(json.result?.isError).not.toBe(true);
  expect(answeredBefore).toBe(0);
});

describe("the preview of a value", () => {
  it.each([
    ["a reference to an earlier node", "$nodes.each.first.tens", 10],
    ["a text with references in it", "{{ $trigger.prompt }}: {{ $sum($nodes.list.items.value) }}", "hi: 10"],
    ["the first incoming item, through a node that is turned off", "{{ $input.tens }}", 10],
    ["a node that is turned off", "{{ $count($nodes.off.items) }}", 4],
    ["lists and objects", { all: ["$nodes.list.items[1].value", 7], plain: "text" }, { all: [2, 7], plain: "text" }],
    ["the node itself", "$node.id", "last"],
    ["what has no reference", "plain $ text", "plain $ text"],
  ])("shows what a run would make of %s", async (_, value, expected) => {
    expect(await preview(value)).toEqual({ runId, result: { value: expected } });
  });

  it("takes a bare expression where the field is one", async () => {
    expect((await preview("$nodes.each.first.tens + 1", { expression: true })).result).toEqual({ value: 11 });
    expect((await preview("$nodes.each.first.missing", { expression: true, nodeId: "apart" })).result).toEqual({
      value: null,
    });
    expect((await preview("", { expression: true })).result).toEqual({ value: null });
  });

  it("gives a node for the whole list all incoming items", async () => {
    const changed = { ...canvas, nodes: canvas.nodes.map((one) => (one.id === "last" ? node("last", "merge") : one)) };
    expect((await preview("{{ $count($input) }}", { canvas: changed })).result).toEqual({ value: 4 });
  });

  it("follows the canvas that is being edited, not the saved one", async () => {
    const rewired = { ...canvas, edges: edges("list>last") };
    expect((await preview("$input.value", { canvas: rewired })).result).toEqual({ value: 1 });
    expect((await preview("$nodes.each.first.tens", { canvas: rewired })).result).toEqual({
      error: "value refers to $nodes.each.first.tens, which cannot be resolved: there is nothing at $nodes.each.",
    });
    const replaced = { ...canvas, nodes: canvas.nodes.map((one) => (one.id === "each" ? node("each", "merge") : one)) };
    expect((await preview("$nodes.each.first.tens", { canvas: replaced })).result).toHaveProperty("error");
  });

  it.each([
    [
      "a reference that leads nowhere",
      "$nodes.each.first.nothing",
      /^value refers to \$nodes\.each\.first\.nothing, which cannot be resolved/,
    ],
    ["a reference to what does not come before", "$nodes.apart.first.here", /cannot be resolved/],
    ["an expression that fails", "{{ $number('x') }}", /^value has an expression that failed: /],
    ["an expression that cannot be read", "{{ 1 + }}", /^value has an expression that failed: /],
    ["braces that are not closed", "{{ 1", "value has a reference that cannot be read: it is not closed with }}."],
    [
      "an expression that never ends",
      "{{ ($f := function() { $f() }; $f()) }}",
      "The expression takes longer than 1000 ms.",
    ],
  ])("says in words what is wrong with %s", async (_, value, words) => {
    const { result } = await preview(value);
    expect(result).toEqual({ error: expect.stringMatching(words) });
  });

  it("has no data before the first run, and says so", async () => {
    const fresh = await ann.save(canvas.nodes, canvas.edges);
    expect(await preview("1 + {{ 1 }}", {}, fresh)).toEqual({ runId: null, result: { value: "1 + 1" } });
    expect((await preview("$nodes.each.first.tens", {}, fresh)).result).toHaveProperty("error");
  });

  it("takes the run that is asked for, otherwise the last one that has data", async () => {
    const id = await ann.save([node("say", "set_fields", { fields: { said: "$trigger.prompt" } })]);
    const runs: string[] = [];
    for (const runtimePrompt of ["one", "two"]) runs.push((await ann.run(id, { runtimePrompt })).id);
    await ann.app.database.query("DELETE FROM run_node WHERE run_id = $1", [
      (await ann.run(id, { runtimePrompt: "empty" })).id,
    ]);
    const own = {
      canvas: { nodes: [node("say", "set_fields"), node("next", "set_fields")], edges: edges("say>next") },
      nodeId: "next",
    };
    expect(await preview("$nodes.say.first.said", own, id)).toEqual({ runId: runs[1], result: { value: "two" } });
    expect(await preview("$nodes.say.first.said", { ...own, runId: runs[0] }, id)).toEqual({
      runId: runs[0],
      result: { value: "one" },
    });
  });
});

describe("the scope for a preview", () => {
  it("has the trigger and the first three items of each node", async () => {
    const { body } = await ann.owner.browser.get(at("preview-scope"));
    expect(body).toEqual({
      runId,
      trigger: expect.objectContaining({ source: "api", prompt: "hi", payload: null }),
      nodes: {
        list: [1, 2, 3].map((value) => expect.objectContaining({ value })),
        each: [10, 20, 30].map((tens) => expect.objectContaining({ tens, said: "hi" })),
        off: [10, 20, 30].map((tens) => expect.objectContaining({ tens })),
        last: [10, 20, 30].map((tens) => expect.objectContaining({ tens })),
        apart: [{ here: "apart" }],
      },
      truncated: {},
      vars: {},
    });
    expect((await ann.owner.browser.get(`${at("preview-scope")}?runId=${runId}`)).body).toEqual(body);
  });

  it("is cut where a node has much data, and says where", async () => {
    const id = await ann.save([
      node("long", "set_fields", { fields: { text: "x".repeat(60_000), short: "kept" } }),
      node("wide", "set_fields", {
        fields: Object.fromEntries(Array.from({ length: 900 }, (_, key) => [`field${key}`, "y".repeat(100)])),
      }),
      node("small", "set_fields", { fields: { a: 1 } }),
    ]);
    await ann.run(id);
    const { body, text } = await ann.owner.browser.get(at("preview-scope", id));
    expect(text.length).toBeLessThan(100_000);
    expect(body.nodes.long[0].short).toBe("kept");
    expect(body.nodes.long[0].text.length).toBeLessThan(3_000);
    expect(body.nodes.wide).toEqual([]);
    expect(body.nodes.small).toEqual([{ a: 1 }]);
    expect(body.truncated).toEqual({ long: true, wide: true });
  });

  it("is empty before the first run", async () => {
    const fresh = await ann.save(canvas.nodes, canvas.edges);
    const { body } = await ann.owner.browser.get(at("preview-scope", fresh));
    expect(body).toEqual({ runId: null, trigger: null, nodes: {}, truncated: {}, vars: {} });
  });
});

describe("the preview of a fill", () => {
  const empty = (parameters: object = {}, others: object = {}) => ({
    ...canvas,
    nodes: canvas.nodes.map((one) => (one.id === "last" ? node("last", "set_fields", parameters, others) : one)),
  });
  const fill = (body: object, id = workflowId) =>
    ann.owner.browser.post(at("preview-fill", id), { nodeId: "last", ...body });
  const countRuns = async () => (await ann.app.database.query("SELECT id FROM run")).length;

  it("is what the model gives for the data of a run, and runs nothing", async () => {
    const before = await countRuns();
    const { status, body } = await fill({ canvas: empty(), instruction: "Greet them" });
    expect([status, body]).toEqual([200, { filled: { fields: { greeting: "Hello" } }, model: "m-1" }]);
    const told = model.told.at(-1);
    for (const part of ['instruction: "Greet them"', '"request": "hi"', '"tens":10']) expect(told).toContain(part);
    expect(await countRuns()).toBe(before);
  });

  it("takes the instruction of the canvas unless another one is sent", async () => {
    const own = { canvas: empty({}, { instruction: "As on the canvas" }) };
    await fill(own);
    expect(model.told.at(-1)).toContain('instruction: "As on the canvas"');
    await fill({ ...own, instruction: "Otherwise" });
    expect(model.told.at(-1)).not.toContain("As on the canvas");
    const problem = expectProblem(await fill({ ...own, instruction: " " }), { status: 400, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(["/instruction"]);
  });

  it("leaves alone what the author entered, and asks nobody when nothing is empty", async () => {
    const asked = model.told.length;
    const entered = empty({ fields: { greeting: "$nodes.nobody.first" }, keepOthers: false });
    expect((await fill({ canvas: entered, instruction: "Greet" })).body).toEqual({ filled: {}, model: "m-1" });
    expect(model.told).toHaveLength(asked);
  });

  it("needs no run", async () => {
    const fresh = await ann.save(canvas.nodes, canvas.edges);
    expect((await fill({ canvas: empty(), instruction: "Greet" }, fresh)).body.filled).toEqual({
      fields: { greeting: "Hello" },
    });
  });

  it("asks no model with the credential of another organization", async () => {
    const { reference } = await ann.app.parts.vault.credentials.create(bob.organizationId, {
      type: "openai",
      name: "Bob's",
      data: { apiKey: "canary-key" },
      createdBy: null,
    });
    const body = { canvas: empty({}, { credentials: { openai: reference } }), instruction: "Greet" };
    expectProblem(await fill(body), { status: 403, code: "credential_not_accessible" });
  });

  it("says what is wrong with the node's type, and with an answer that does not fit", async () => {
    const retyped = (nodeId: string, parameters = {}) => ({
      canvas: { nodes: [node("last", nodeId, parameters, { instruction: "x" })], edges: [] },
    });
    expectProblem(await fill(retyped("gone_tool")), { status: 400, code: "unknown_node" });
    const answer = await fill(retyped("system_transform_json", { data: 1 }));
    expect(
      expectProblem(answer, { status: 400, code: "validation_failed" }).errors?.map(({ pointer }) => pointer),
    ).toEqual(["/expression"]);
  });

  it("is refused where no model is configured", async () => {
    const plain = await startWorkflowApp();
    try {
      const id = await plain.save(canvas.nodes, canvas.edges);
      const body = { canvas: empty(), nodeId: "last", instruction: "Greet" };
      const answer = await plain.owner.browser.post(`${plain.path}/workflows/${id}/preview-fill`, body);
      expect(expectProblem(answer, { status: 409, code: "model_not_configured" }).detail).toBe(
        "No language model is configured.",
      );
    } finally {
      await plain.stop();
    }
  });
});

describe("a preview is refused", () => {
  const bodies = {
    "preview-value": { canvas, nodeId: "last", value: "$node.id" },
    "preview-fill": { canvas, nodeId: "last", instruction: "x" },
  };
  const posts = Object.entries(bodies);

  it("to viewers, who may see the scope", async () => {
    const { browser } = await signUpMember(ann.app, ann.owner.organizationId, "Vera", "viewer");
    for (const [end, body] of posts)
      expectProblem(await browser.post(at(end), body), { status: 403, code: "role_required" });
    expect((await browser.get(at("preview-scope"))).status).toBe(200);
  });

  it("for workflows and runs of others, as if they did not exist", async () => {
    const others = `/api/organizations/${bob.organizationId}/workflows`;
    for (const [end, body] of posts) {
      expectProblem(await bob.browser.post(`${others}/${workflowId}/${end}`, body), {
        status: 404,
        code: "workflow_not_found",
      });
      expectProblem(await bob.browser.post(at(end), body), { status: 404, code: "not_found" });
      const theirs = (await bob.browser.post(others, { name: "Mine", canvas })).body.id as string;
      for (const run of [runId, randomUUID()])
        expectProblem(await bob.browser.post(`${others}/${theirs}/${end}`, { ...body, runId: run }), {
          status: 404,
          code: "not_found",
        });
    }
    expectProblem(await bob.browser.get(`${others}/${workflowId}/preview-scope`), {
      status: 404,
      code: "workflow_not_found",
    });
    expectProblem(await bob.browser.get(at("preview-scope")), { status: 404 });
  });

  it("for a run of another workflow", async () => {
    const other = await ann.save(canvas.nodes, canvas.edges);
    for (const [end, body] of posts)
      expectProblem(await ann.owner.browser.post(at(end, other), { ...body, runId }), {
        status: 404,
        code: "not_found",
      });
    expectProblem(await ann.owner.browser.get(`${at("preview-scope", other)}?runId=${runId}`), {
      status: 404,
      code: "not_found",
    });
  });

  it("for a node that is not on the canvas, and for a canvas that cannot be read", async () => {
    for (const [end, body] of posts) {
      const unknown = expectProblem(await ann.owner.browser.post(at(end), { ...body, nodeId: "nobody" }), {
        status: 400,
        code: "unknown_node",
      });
      expect(unknown.errors).toEqual([{ pointer: "/nodeId", detail: "is no node of this canvas" }]);
      const broken = { nodes: [...canvas.nodes, { id: "a b", nodeId: "merge" }], edges: [] };
      const problem = expectProblem(await ann.owner.browser.post(at(end), { ...body, canvas: broken }), {
        status: 400,
        code: "validation_failed",
      });
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(["/canvas/nodes/5/id"]);
    }
  });
});
