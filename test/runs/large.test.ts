import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
beforeAll(async () => {
  ann = await startWorkflowApp();
});
afterAll(() => ann?.stop());

const start = { runtimePrompt: "x".repeat(1_000_000) };
const threeMillion = "{{ $trigger.prompt }}{{ $trigger.prompt }}{{ $trigger.prompt }}";
const large = (id: string) => node(id, "set_fields", { fields: { text: threeMillion }, keepOthers: false });
const small = (id: string) => node(id, "set_fields", { fields: { text: "small" }, keepOthers: false });
const six = ["a", "b", "c", "d", "e", "f"];
const inRow = ["a>b", "b>c", "c>d", "d>e", "e>f"];
const mostCharacters = 8_000_000 + 100_000;

/** As short as it is: the prompt is a part of the run. */
const withoutPrompt = (body: unknown) => JSON.stringify(body).length - start.runtimePrompt.length;

describe("a run that gave more than one answer holds", () => {
  it("is read with its result and what else fits, and each node by itself", async () => {
    const id = await ann.save([...six.map(large), small("last")], edges(...inRow, "f>last"));
    const { body: waited } = await ann.trigger(id, start, { prefer: "wait=30" });
    const { body: read } = await ann.readRun(waited.id);
    const { body: page } = await ann.owner.browser.get(`${ann.path}/runs/${waited.id}`);
    for (const run of [waited, read, page as typeof read]) {
      expect(run).toMatchObject({ status: "succeeded", result: [{ text: "small" }] });
      expect(withoutPrompt(run)).toBeLessThan(mostCharacters);
      const leftOut = run.nodes.filter(({ leftOutBytes }) => leftOutBytes !== 0);
      expect(leftOut.map((one) => one.id)).toEqual(["c", "d", "e", "f"]);
      for (const one of leftOut)
        expect(one).toMatchObject({ status: "succeeded", input: null, outputs: null, filled: null });
      expect(leftOut[0]?.leftOutBytes).toBeGreaterThan(3_000_000);
    }
    const alone = await ann.owner.browser.get(`${ann.path}/runs/${waited.id}/nodes/e`);
    expect(alone.body).toMatchObject({ id: "e", leftOutBytes: 0, ways: { out: 1 } });
    expect(alone.body.outputs[0].text).toHaveLength(3_000_000);
    const forKey = await fetch(`${ann.app.platformUrl}/task-runner/executions/${waited.id}/nodes/e`, {
      headers: { "x-api-key": ann.key },
    });
    expect(await forKey.json()).toEqual(alone.body);
  });

  it("has no result when that is left out, and says which nodes to read", async () => {
    const id = await ann.save(six.map(large));
    const { body } = await ann.trigger(id, start, { prefer: "wait=30" });
    expect(body).toMatchObject({ status: "succeeded", result: null });
    expect(body.nodes.filter(({ leftOutBytes }) => leftOutBytes !== 0)).toHaveLength(4);
  });

  it("has no node for others, and none that is not on its canvas", async () => {
    const { id: runId } = await ann.run(await ann.save([small("a")]));
    expectProblem(await ann.owner.browser.get(`${ann.path}/runs/${runId}/nodes/b`), { status: 404, code: "not_found" });
    const { body: other } = await ann.owner.browser.post("/api/organizations", { name: "Others" });
    const foreign = await ann.owner.browser.get(`/api/organizations/${other.id}/runs/${runId}/nodes/a`);
    expectProblem(foreign, { status: 404, code: "not_found" });
  });
});

describe("more than a node may give", () => {
  const tooLarge = { code: "outputs_too_large", message: "The node gives more than 16 MB." };

  it.each([0, 1_200])("does not get past a node that waits for %i ms", async (milliseconds) => {
    const nodes = [...six.map(large), node("hold", "wait", { milliseconds })];
    const { body } = await ann.trigger(await ann.save(nodes, edges(...six.map((id) => `${id}>hold`))), start, {
      prefer: "wait=30",
    });
    expect(body).toMatchObject({ status: "failed", error: { ...tooLarge, nodeId: "hold" } });
  });

  it.each([0, 1_200])(
    "is told to what follows a node that waits for %i ms, where the run goes on",
    async (milliseconds) => {
      const hold = node("hold", "wait", { milliseconds }, { settings: { continueOnError: true } });
      const after = node("after", "set_fields", { fields: { code: "$input.error.code" }, keepOthers: false });
      const id = await ann.save(
        [...six.map(large), hold, after],
        edges(...six.map((one) => `${one}>hold`), "hold>after"),
      );
      const { body } = await ann.trigger(id, start, { prefer: "wait=30" });
      expect(body).toMatchObject({ status: "succeeded", result: [{ code: tooLarge.code }] });
      expect(body.nodes.find((one) => one.id === "hold")).toMatchObject({ status: "failed", error: tooLarge });
    },
  );

  it("is told of the items that have no room left, where the run goes on", async () => {
    const list = node("list", "loop", { list: "[1..7]" });
    const each = node(
      "each",
      "transform",
      { expression: "{'n': $input.value, 'text': $pad('', 3000000, 'x')}" },
      { settings: { continueOnError: true } },
    );
    const after = node("after", "set_fields", {
      fields: { code: "{{ $exists($input.error) ? $input.error.code : 'none' }}" },
      keepOthers: false,
    });
    const { body } = await ann.trigger(
      await ann.save([list, each, after], edges("list>each", "each>after")),
      {},
      { prefer: "wait=30" },
    );
    const codes = [...Array<string>(5).fill("none"), tooLarge.code, tooLarge.code];
    expect(body).toMatchObject({ status: "succeeded", error: null, result: codes.map((code) => ({ code })) });
  });

  it("does not come out of a called workflow", async () => {
    const called = await ann.save(six.map(large));
    const call = node("call", "call_workflow", {
      workflowId: called,
      prompt: "{{ $substring($trigger.prompt, 0, 100000) }}",
    });
    const { body } = await ann.trigger(
      await ann.save([call]),
      { runtimePrompt: "x".repeat(100_000) },
      { prefer: "wait=30" },
    );
    expect(body.status).toBe("succeeded");
    const many = Array.from({ length: 60 }, (_, index) =>
      node(`n${index}`, "set_fields", { fields: { text: threeMillion }, keepOthers: false }),
    );
    const larger = await ann.save([
      node("call", "call_workflow", { workflowId: await ann.save(many), prompt: "{{ $trigger.prompt }}" }),
    ]);
    const { body: failed } = await ann.trigger(larger, { runtimePrompt: "x".repeat(100_000) }, { prefer: "wait=30" });
    expect(failed).toMatchObject({ status: "failed", error: { ...tooLarge, nodeId: "call" } });
  });
});

describe("more than a node may get", () => {
  it("is told on the way of what a condition finds untrue, as any failure that the run goes on after", async () => {
    const nineMillion = { text: threeMillion.repeat(3) };
    const givers = [...six, "g", "h"].map((id) => node(id, "set_fields", { fields: nineMillion, keepOthers: false }));
    const sort = node("sort", "condition", { condition: "true" }, { settings: { continueOnError: true } });
    const tell = (id: string) => node(id, "set_fields", { fields: { code: "$input.error.code" }, keepOthers: false });
    const lines = edges(...givers.map(({ id }) => `${id}>sort`), "sort.true>yes", "sort.false>no");
    const run = await ann.ended(
      (await ann.trigger(await ann.save([...givers, sort, tell("yes"), tell("no")], lines), start)).body.id,
      40_000,
    );
    expect(run).toMatchObject({ error: null, status: "succeeded", result: [{ code: "outputs_too_large" }] });
    expect(run.nodes.find(({ id }) => id === "yes")?.status).toBe("skipped");
  }, 60_000);
});
