import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;

beforeAll(async () => {
  ann = await startWorkflowApp();
});
afterAll(() => ann.stop());

const outputsOf = (run: { nodes: { id: string; outputs: unknown }[] }, id: string) =>
  run.nodes.find((one) => one.id === id)?.outputs;
const statusOf = (run: { nodes: { id: string; status: string }[] }, id: string) =>
  run.nodes.find((one) => one.id === id)?.status;

describe("a run", () => {
  it("follows the graph from node to node and gives what came out at its ends", async () => {
    const id = await ann.save(
      [
        node("first", "set_fields", { fields: { greeting: "Hello {{ $trigger.prompt }}" } }),
        node("second", "set_fields", { fields: { loud: "{{ $uppercase($input.greeting) }}" } }),
      ],
      edges("first>second"),
    );
    const run = await ann.run(id, { runtimePrompt: "world" });
    expect(run.error).toBeNull();
    expect(run.status).toBe("succeeded");
    expect(outputsOf(run, "first")).toEqual([{ greeting: "Hello world" }]);
    expect(run.result).toEqual([{ greeting: "Hello world", loud: "HELLO WORLD" }]);
  });

  it("answers at once and tells where to look", async () => {
    const id = await ann.save([node("now", "system_date_time", {})]);
    const { status, body, headers } = await ann.trigger(id);
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: "pending", workflowId: id });
    expect(headers.get("location")).toBe(`${ann.app.platformUrl}/task-runner/executions/${body.id}`);
    const run = await ann.ended(body.id);
    expect(run).toMatchObject({ status: "succeeded", executionType: "api", apiKeyName: "runner" });
  });

  it("is the same run for whoever writes ids in capitals: started, read, cancelled and started again by them", async () => {
    const { browser, organizationId } = ann.owner;
    const path = `/api/organizations/${organizationId.toUpperCase()}`;
    const workflowId = await ann.save([
      node("first", "set_fields", { fields: { a: "1" } }),
      node("wait", "system_wait", { seconds: 60 }),
    ]);
    const quick = await ann.save([node("first", "set_fields", { fields: { a: "1" } })]);

    const { status, body } = await browser.post(`${path}/workflows/${quick.toUpperCase()}/runs`, {});
    expect(status).toBe(202);
    expect(await ann.ended(body.id, 5_000)).toMatchObject({ id: body.id, status: "succeeded", workflowId: quick });
    expect((await browser.get(`${path}/runs/${body.id.toUpperCase()}`)).body).toMatchObject({
      id: body.id,
      status: "succeeded",
    });
    const again = await browser.post(`${path}/runs/${body.id.toUpperCase()}/rerun`, {});
    expect(again.status).toBe(202);
    expect((await ann.ended(again.body.id, 5_000)).status).toBe("succeeded");

    const slow = await browser.post(`${path}/workflows/${workflowId.toUpperCase()}/runs`, {});
    expect((await browser.post(`${path}/runs/${slow.body.id.toUpperCase()}/cancel`)).status).toBeLessThan(300);
    expect((await ann.ended(slow.body.id, 5_000)).status).toBe("cancelled");
  });

  it("takes one branch of a condition and skips the other", async () => {
    const id = await ann.save(
      [
        node("sort", "condition", { condition: "$trigger.prompt = 'yes'" }),
        node("yes", "set_fields", { fields: { answer: "yes" } }),
        node("no", "set_fields", { fields: { answer: "no" } }),
      ],
      edges("sort.true>yes", "sort.false>no"),
    );
    const run = await ann.run(id, { runtimePrompt: "yes" });
    expect([statusOf(run, "yes"), statusOf(run, "no")]).toEqual(["succeeded", "skipped"]);
    expect(run.result).toEqual([{ answer: "yes" }]);
  });

  it("begins at every node without a source, and merges what comes together", async () => {
    const id = await ann.save(
      [
        node("left", "set_fields", { fields: { side: "left" } }),
        node("right", "set_fields", { fields: { side: "right" } }),
        node("both", "merge", {}),
        node("alone", "set_fields", { fields: { side: "alone" } }),
      ],
      edges("left>both", "right>both"),
    );
    const run = await ann.run(id);
    expect(outputsOf(run, "both")).toEqual([{ side: "left" }, { side: "right" }]);
    expect(run.result).toEqual([{ side: "left" }, { side: "right" }, { side: "alone" }]);
  });

  it("executes a tool for each item where it speaks of $input, and otherwise once", async () => {
    const id = await ann.save(
      [
        node("list", "loop", { list: "[1, 2, 3]" }),
        node("each", "system_transform_json", { data: "$input", expression: "value * 10" }),
        node("once", "system_transform_json", { data: { value: 7 }, expression: "value" }),
      ],
      edges("list>each", "list>once"),
    );
    const run = await ann.run(id);
    expect(run.error).toBeNull();
    expect(outputsOf(run, "list")).toHaveLength(3);
    expect([outputsOf(run, "each"), outputsOf(run, "once")].map((items) => (items as unknown[]).length)).toEqual([
      3, 1,
    ]);
    expect(run.nodes.find((one) => one.id === "each")?.input).toEqual(
      [1, 2, 3].map((value) => ({ data: { value }, expression: "value * 10" })),
    );
  });

  it("skips nodes that get no items, and what follows only them", async () => {
    const id = await ann.save(
      [
        node("none", "loop", { list: "[]" }),
        node("next", "set_fields", { fields: { a: 1 } }),
        node("after", "set_fields", { fields: { b: 1 } }),
        node("other", "set_fields", { fields: { c: 1 } }),
        node("joined", "merge", {}),
      ],
      edges("none>next", "next>after", "after>joined", "other>joined"),
    );
    const run = await ann.run(id);
    expect(run.nodes.map(({ status }) => status)).toEqual([
      "succeeded",
      "skipped",
      "skipped",
      "succeeded",
      "succeeded",
    ]);
    expect(run.result).toEqual([{ c: 1 }]);
  });

  it("sends each item the way of a switch, and lets items pass a disabled node", async () => {
    const rules = [
      { way: "small", condition: "$input.value < 2" },
      { way: "large", condition: "$input.value > 2" },
    ];
    const id = await ann.save(
      [
        node("list", "loop", { list: "[1, 2, 3, 4]" }),
        node("sort", "switch", { rules }),
        node("small", "set_fields", { fields: { size: "small" } }),
        node("large", "set_fields", { fields: { never: true } }, { settings: { disabled: true } }),
        node("end", "set_fields", { fields: { seen: true } }),
      ],
      edges("list>sort", "sort.small>small", "sort.large>large", "large>end"),
    );
    const run = await ann.run(id);
    expect(run.nodes.find((one) => one.id === "sort")?.ways).toEqual({ small: 1, otherwise: 1, large: 2 });
    expect(statusOf(run, "large")).toBe("skipped");
    expect(outputsOf(run, "end")).toEqual([
      { value: 3, seen: true },
      { value: 4, seen: true },
    ]);
  });

  it("fails with the node that stops it, and begins nothing after that", async () => {
    const id = await ann.save(
      [node("halt", "stop", { message: "Enough of {{ $trigger.prompt }}." }), node("next", "start")],
      [],
    );
    const linked = await ann.save(
      [node("a", "start"), node("halt", "stop", { message: "Enough." }), node("b", "start")],
      edges("a>halt", "a>b"),
    );
    const run = await ann.run(id, { runtimePrompt: "that" });
    expect(run).toMatchObject({
      status: "failed",
      result: null,
      error: { code: "stopped_by_workflow", message: "Enough of that.", nodeId: "halt" },
    });
    expect((await ann.run(linked)).nodes.map(({ status }) => status)).toEqual(["succeeded", "failed", "succeeded"]);
  });

  it("goes on after a failed node that says so, with the error as item", async () => {
    const settings = { continueOnError: true };
    const id = await ann.save(
      [
        node("risky", "set_fields", { fields: { a: "$trigger.payload.nothing.there" } }, { settings }),
        node("first", "set_fields", { fields: { why: "$input.error.code" }, keepOthers: false }),
        node("sort", "condition", { condition: "$number($input.why) = 1" }, { settings }),
        node("second", "set_fields", { fields: { failed: "{{ $exists($input.error) }}" }, keepOthers: false }),
      ],
      edges("risky>first", "first>sort", "sort.false>second"),
    );
    const run = await ann.run(id);
    expect(run.nodes.map(({ status }) => status)).toEqual(["failed", "succeeded", "failed", "succeeded"]);
    expect(outputsOf(run, "first")).toEqual([{ why: "reference_unresolved" }]);
    expect(run).toMatchObject({ status: "succeeded", error: null, result: [{ failed: true }] });
  });

  it("names the path of a reference that leads nowhere", async () => {
    const id = await ann.save(
      [node("first", "start"), node("next", "set_fields", { fields: { a: "$nodes.first.items[3].title" } })],
      edges("first>next"),
    );
    const { error } = await ann.run(id);
    expect(error).toMatchObject({ code: "reference_unresolved", nodeId: "next" });
    expect(error?.message).toContain("$nodes.first.items[3].title");
  });

  it("fails at a node type that does not exist any more, also when it may go on after errors", async () => {
    const id = await ann.save(
      [
        node("old", "start", {}, { settings: { retries: 2, retryDelay: 1 } }),
        node("after", "set_fields", { fields: { a: 1 } }),
      ],
      edges("old>after"),
    );
    const replaceType = (settings: object) =>
      ann.app.database.query(
        'UPDATE workflow_version SET canvas = replace(replace(canvas, \'"nodeId":"start"\', \'"nodeId":"retired"\'), $2, $3) WHERE workflow_id = $1',
        [id, '"settings":{"retries":2,"retryDelay":1}', `"settings":${JSON.stringify(settings)}`],
      );
    await replaceType({ continueOnError: true });
    const run = await ann.run(id);
    expect(run).toMatchObject({
      status: "succeeded",
      nodes: [{ status: "failed", attempts: 1, error: { code: "unknown_node" } }, { status: "succeeded" }],
    });
  });
});
