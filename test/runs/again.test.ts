import { describe, expect, it } from "vitest";
import type { CanvasEdge, CanvasNode } from "../../src/workflows/wire.ts";
import { expectProblem } from "../support/expect-problem.ts";
import type { CountingProvider } from "../support/providers/counting-provider.ts";
import { issue } from "../support/runs/github-nodes.ts";
import { setUpRuns } from "../support/runs/set-up-runs.ts";
import { edges, node, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let github: CountingProvider;

setUpRuns((made) => {
  ({ ann, github } = made);
});

const titles = () => github.requests.map(({ title }) => title);
const rerun = (id: string, body?: object) => ann.owner.browser.post(`${ann.path}/runs/${id}/rerun`, body);
const again = async (id: string, body: object) => {
  const { status, body: answer } = await rerun(id, body);
  if (status !== 202) throw new Error(`running again answered ${status}: ${JSON.stringify(answer)}`);
  return await ann.ended(answer.id);
};
const change = (id: string, nodes: CanvasNode[], lines: CanvasEdge[], expectedVersion = 1) =>
  ann.owner.browser.patch(`${ann.path}/workflows/${id}`, { canvas: { nodes, edges: lines }, expectedVersion });
const detailOf = async (id: string, body: object, code: string) =>
  expectProblem(await rerun(id, body), { code }).detail;

const say = (version: number) => node("say", "set_fields", { fields: { version } });
const row = (...more: CanvasNode[]) => [
  issue("first", "First"),
  issue("second", "Second"),
  issue("third", "{{ $input.title }}!"),
  ...more,
];
const line = edges("first>second", "second>third");

describe("running again from a chosen node", () => {
  it("executes that node and what follows it, with what the others gave", async () => {
    const run = await ann.run(await ann.save(row(issue("beside", "Beside")), line));
    expect(titles().sort()).toEqual(["Beside", "First", "Second", "Second!"]);
    github.forget();
    const repeated = await again(run.id, { from: "node", nodeId: "second" });
    expect([repeated.status, titles()]).toEqual(["succeeded", ["Second", "Second!"]]);
    expect(repeated.nodes.map(({ id, status }) => [id, status])).toEqual(
      run.nodes.map(({ id, status }) => [id, status]),
    );
    expect(repeated).toMatchObject({ rerunOf: run.id });
  });

  it("keeps what was skipped or disabled before it, and what went on after an error", async () => {
    const nodes = [
      node("list", "loop", { list: "[1]" }),
      node("sort", "condition", { condition: "$input.value > 1" }),
      node("never", "start"),
      issue("bad", "fail", { settings: { continueOnError: true } }),
      node("off", "stop", { message: "Never." }, { settings: { disabled: true } }),
      node("all", "merge"),
      issue("last", "Last of {{ $count($nodes.all.items) }}"),
    ];
    const lines = edges(
      "list>sort",
      "sort.true>never",
      "sort.false>bad",
      "never>all",
      "bad>all",
      "all>last",
      "bad>off",
    );
    const run = await ann.run(await ann.save(nodes, lines));
    expect([run.status, titles()]).toEqual(["succeeded", ["fail", "Last of 1"]]);
    github.forget();
    const repeated = await again(run.id, { from: "node", nodeId: "last" });
    expect([repeated.status, titles()]).toEqual(["succeeded", ["Last of 1"]]);
  });

  it("is refused where the node is unknown, nothing came to it, or what comes before it gave nothing", async () => {
    const nodes = [issue("first", "fail"), issue("second", "Second"), issue("third", "Third")];
    const run = await ann.run(await ann.save(nodes, line));
    const unknown = expectProblem(await rerun(run.id, { from: "node", nodeId: "nobody" }), {
      status: 400,
      code: "unknown_node",
    });
    expect(unknown).toMatchObject({
      detail: "nodeId is no node of this version of the workflow.",
      errors: [{ pointer: "/nodeId" }],
    });
    const missing = expectProblem(await rerun(run.id, { from: "node", nodeId: "third" }), {
      status: 400,
      code: "validation_failed",
    });
    expect(missing).toMatchObject({ errors: [{ pointer: "/nodeId" }] });
    expect(missing.detail).toBe("nodeId comes after second, of which this run has no outputs.");
    expect((await again(run.id, { from: "node", nodeId: "first" })).status).toBe("failed");
    const none = await ann.run(await ann.save([node("none", "loop", { list: "[]" }), say(1)], edges("none>say")));
    expect(await detailOf(none.id, { from: "node", nodeId: "say" }, "validation_failed")).toBe(
      "nodeId got no items in this run.",
    );
  });

  it("needs the node's id, and nothing else takes one", async () => {
    const run = await ann.run(await ann.save([say(1)]));
    expect(await detailOf(run.id, { from: "node" }, "validation_failed")).toBe(
      "nodeId is required to run again from a node.",
    );
    expect(await detailOf(run.id, { from: "failure", nodeId: "say" }, "validation_failed")).toBe(
      "nodeId is only for running again from a node.",
    );
    const { body: waiting } = await ann.trigger(await ann.save([node("rest", "wait", { milliseconds: 60_000 })]));
    expectProblem(await rerun(waiting.id, { from: "node", nodeId: "rest" }), { code: "run_not_finished" });
    await ann.owner.browser.post(`${ann.path}/runs/${waiting.id}/cancel`);
  });
});

describe("running again on the current version", () => {
  it("takes the workflow as it is now, all of it or with what the earlier run has", async () => {
    const id = await ann.save([issue("first", "First"), say(1)], edges("first>say"));
    const run = await ann.run(id);
    await change(id, [issue("first", "First"), say(2)], edges("first>say"));
    github.forget();
    const same = await again(run.id, { from: "node", nodeId: "say" });
    expect([same.workflowVersion, same.result?.[0]?.version, titles()]).toEqual([1, 1, []]);
    const current = await again(run.id, { version: "current", from: "node", nodeId: "say" });
    expect([current.workflowVersion, current.result?.[0]?.version, titles()]).toEqual([2, 2, []]);
    expect((await again(run.id, { version: "current" })).result?.[0]?.version).toBe(2);
    expect(titles()).toEqual(["First"]);
  });

  it("mends a node that failed and goes on from there", async () => {
    const id = await ann.save([issue("first", "First"), issue("second", "fail")], edges("first>second"));
    const run = await ann.run(id);
    await change(id, [issue("first", "First"), issue("second", "Mended")], edges("first>second"));
    github.forget();
    const mended = await again(run.id, { version: "current", from: "failure" });
    expect([mended.status, titles()]).toEqual(["succeeded", ["Mended"]]);
  });

  it("executes what is new or became another node, and what follows it", async () => {
    const id = await ann.save([issue("first", "First"), issue("second", "Second"), issue("third", "fail")], line);
    const run = await ann.run(id);
    const added = [issue("first", "First"), issue("new", "New"), issue("second", "Second"), issue("third", "Third")];
    await change(id, added, edges("first>new", "new>second", "second>third"));
    github.forget();
    expect((await again(run.id, { version: "current", from: "failure" })).status).toBe("succeeded");
    expect(titles()).toEqual(["New", "Second", "Third"]);
    expect(await detailOf(run.id, { version: "current", from: "node", nodeId: "second" }, "validation_failed")).toBe(
      "nodeId comes after new, of which this run has no outputs.",
    );
    expect(await detailOf(run.id, { from: "node", nodeId: "new" }, "unknown_node")).toBe(
      "nodeId is no node of this version of the workflow.",
    );
  });

  it("leaves out what nodes had otherwise that are gone, and is refused where there are none left", async () => {
    const id = await ann.save([issue("first", "First"), say(1)]);
    const run = await ann.run(id, { nodes: [{ id: "first", runtimeInstruction: "Short." }] });
    await change(id, [say(2)], []);
    expect((await again(run.id, { version: "current" })).result).toEqual([{ version: 2 }]);
    await change(id, [], [], 2);
    expect(await detailOf(run.id, { version: "current" }, "workflow_inactive")).toBe("This workflow has no nodes yet.");
  });

  it("is what remains when the version of the run is gone", async () => {
    const run = await ann.run(await ann.save([say(1)]));
    await ann.app.database.query("UPDATE run SET workflow_version = 9 WHERE id = $1", [run.id]);
    for (const body of [{}, { from: "failure" }, { from: "node", nodeId: "say" }])
      expect(await detailOf(run.id, body, "workflow_not_found")).toBe(
        "Version 9 of the workflow is gone. Run it again on the current version.",
      );
    expect((await again(run.id, { version: "current" })).result).toEqual([{ version: 1 }]);
  });
});

describe("a node of which some items worked", () => {
  const items = (settings: object = {}) => [
    node("list", "loop", { list: "['1', '2', 'fail']" }),
    issue("each", "{{ $input.value }}", { settings }),
  ];
  const lines = edges("list>each");

  it.each([
    { what: "a change of the workflow", body: { version: "current", from: "failure" } },
    { what: "another prompt", body: { from: "failure", prompt: "other" } },
  ])("begins anew after $what, because the others would be done in another way", async ({ body }) => {
    const id = await ann.save(items(), lines);
    const run = await ann.run(id);
    expect([run.status, titles()]).toEqual(["failed", ["1", "2", "fail"]]);
    await change(id, items({ timeout: 9_000 }), lines);
    github.forget();
    await again(run.id, body);
    expect(titles()).toEqual(["1", "2", "fail"]);
  });

  it("may be disabled by then, and the run ends", async () => {
    const id = await ann.save(items(), lines);
    const run = await ann.run(id);
    await change(id, items({ disabled: true }), lines);
    github.forget();
    const passed = await again(run.id, { version: "current", from: "failure" });
    expect([passed.status, passed.result, titles()]).toEqual([
      "succeeded",
      [{ value: "1" }, { value: "2" }, { value: "fail" }],
      [],
    ]);
  });
});
