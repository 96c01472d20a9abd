import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;

beforeAll(async () => {
  ann = await startWorkflowApp();
});
afterAll(() => ann?.stop());

const faultsOf = async (nodes: object[]) => {
  const { status, body } = await ann.owner.browser.post(`${ann.path}/workflows`, {
    name: "Test",
    canvas: { nodes, edges: [] },
  });
  return [status, body.errors];
};
const at = (pointer: string, detail: string) => [400, [{ pointer: `/canvas/nodes/0/${pointer}`, detail }]];
const rule = (way: string) => ({ way, condition: "true" });

describe("what can only fail", () => {
  it.each([
    [
      "a merge by key without a key",
      node("a", "merge", { mode: "key" }),
      at("parameters/key", "is required in the mode key"),
    ],
    ["a wait for nothing", node("a", "wait", {}), at("parameters/milliseconds", "or until is required, not both")],
    [
      "a wait for two things",
      node("a", "wait", { milliseconds: 1, until: "2030-01-01T00:00:00Z" }),
      at("parameters/milliseconds", "or until is required, not both"),
    ],
    [
      "a way that every object has",
      node("a", "switch", { rules: [rule("constructor")] }),
      at("parameters/rules/0/way", "must not be a name that every object has, such as constructor"),
    ],
    [
      "a way that is the prototype",
      node("a", "switch", { rules: [rule("__proto__")] }),
      at("parameters/rules/0/way", "must not be a name that every object has, such as constructor"),
    ],
    [
      "a way twice",
      node("a", "switch", { rules: [rule("left"), { way: "right", condition: "$input.n > 1" }, rule("left")] }),
      at("parameters/rules/2/way", "must be unique and not otherwise"),
    ],
    [
      "a way of the name that stands for none of them",
      node("a", "switch", { rules: [{ way: "otherwise", condition: "$input.n > 1" }] }),
      at("parameters/rules/0/way", "must be unique and not otherwise"),
    ],
    [
      "a wait for longer than a year",
      node("a", "wait", { until: "2999-01-01T00:00:00Z" }),
      at("parameters/until", "must be within a year"),
    ],
    [
      "an id that every object has",
      node("constructor", "start"),
      at("id", "must not be a name that every object has, such as constructor"),
    ],
    [
      "an id that is the prototype",
      node("__proto__", "start"),
      at("id", "must not be a name that every object has, such as constructor"),
    ],
  ])("is refused when it is saved: %s", async (_, wrong, answer) => {
    expect(await faultsOf([wrong])).toEqual(answer);
  });

  it("is saved where a run may still make it right", async () => {
    await ann.save([node("a", "wait", { until: "$trigger.prompt" })]);
    await ann.save([node("a", "wait", { until: "{{ $trigger.payload.day }} 2999" })]);
    await ann.save([node("a", "merge", { mode: "key", key: "$trigger.prompt" })]);
  });
});

describe("a stop", () => {
  it("stops although what it wants to say, or the time it has, makes it fail otherwise", async () => {
    const settings = { continueOnError: true, retries: 2, retryDelay: 0 };
    const stop = (message: string) => node("halt", "stop", { message }, { settings });
    const run = await ann.run(
      await ann.save([stop("{{ $trigger.payload.gone }}"), node("next", "wait", { milliseconds: 200 })]),
    );
    expect(run).toMatchObject({ status: "failed", error: { code: "reference_unresolved", nodeId: "halt" } });
    const slow = await ann.run(await ann.save([stop("{{ $count([1..9000000][$ % 2 = 0]) }}")]));
    expect(slow).toMatchObject({ status: "failed", error: { nodeId: "halt" } });
    expect(slow.nodes[0]?.attempts).toBe(1);
  });

  it("stops whatever else its settings say", async () => {
    const settings = { continueOnError: true, retries: 3, retryDelay: 0 };
    const id = await ann.save(
      [node("s", "start"), node("halt", "stop", { message: "No." }, { settings })],
      edges("s>halt"),
    );
    expect(await ann.run(id)).toMatchObject({
      status: "failed",
      error: { code: "stopped_by_workflow", nodeId: "halt" },
    });
  });
});

describe("the error of a nested workflow", () => {
  it("is told once, with the way to it", async () => {
    const call = (id: string, workflowId: string) => node(id, "call_workflow", { workflowId });
    const deepest = await ann.save([node("halt", "stop", { message: "Not today." })]);
    const middle = await ann.save([call("inner", deepest)]);
    const run = await ann.run(await ann.save([call("outer", middle)]));
    expect(run.error).toEqual({
      code: "workflow_failed",
      nodeId: "outer",
      message: "The called workflow failed at inner → halt: Not today.",
    });
  });

  it("is told once where no node is to blame, or somebody cancelled it", async () => {
    const call = (id: string, workflowId: string) => node(id, "call_workflow", { workflowId });
    const deepest = await ann.save([node("rest", "wait", { milliseconds: 60_000 })], [], "Deepest");
    const middle = await ann.save([call("inner", deepest)]);
    const { body } = await ann.trigger(await ann.save([call("outer", middle)]));
    const path = `${ann.path}/runs?workflowId=${deepest}`;
    await expect
      .poll(async () => (await ann.owner.browser.get(path)).body.data[0]?.status, { timeout: 10_000 })
      .toBe("waiting");
    const [run] = (await ann.owner.browser.get(path)).body.data;
    await ann.owner.browser.post(`${ann.path}/runs/${run.id}/cancel`);
    expect((await ann.ended(body.id)).error?.message).toBe("The called workflow failed at inner: It was cancelled.");
  });

  it("is not taken apart where a workflow only says so itself", async () => {
    const below = await ann.save([node("halt", "stop", { message: "The called workflow failed at lunch: Soup." })]);
    const run = await ann.run(await ann.save([node("call", "call_workflow", { workflowId: below })]));
    expect(run.error?.message).toBe("The called workflow failed at halt: The called workflow failed at lunch: Soup.");
  });
});

describe("the data of expressions", () => {
  it("counts once, however often an expression can name it", async () => {
    const large = node("large", "transform", { expression: '{ "text": $pad("", 4500000, "x") }' });
    // Comparing takes no time; $length takes apart a text of this length for most of the second that an expression has.
    const expression = "$reverse([$input.text = $nodes.large.first.text, $count($nodes.large.items)])";
    const id = await ann.save([large, node("sizes", "transform", { expression })], edges("large>sizes"));
    const sizes = { error: null, result: [{ value: 1 }, { value: true }] };
    expect(await ann.run(id)).toMatchObject(sizes);
    const list = await ann.save(
      [
        large,
        node("sizes", "transform", { over: "list", expression: expression.replace("$input.text", "$input[0].text") }),
      ],
      edges("large>sizes"),
    );
    expect(await ann.run(list)).toMatchObject(sizes);
  });
});
