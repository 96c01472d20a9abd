import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import type { CountingProvider } from "../support/providers/counting-provider.ts";
import { connectGithub, issue, useGithub } from "../support/runs/github-nodes.ts";
import { setUpRuns } from "../support/runs/set-up-runs.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const environment = {
  OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
  SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1",
  TASK_RUNNER_MAX_CALLS: "3",
};
let ann: WorkflowApp;
let github: CountingProvider;

setUpRuns((made) => ({ ann, github } = made), { environment });

type Others = NonNullable<Parameters<typeof node>[3]>;
const titles = () => github.requests.map(({ title }) => title);
const statusOf = async (id: string) => (await ann.readRun(id)).body.status;
const becomes = (id: string, status: string) =>
  expect.poll(() => statusOf(id), { timeout: 10_000, interval: 20 }).toBe(status);

describe("a tool in a run", () => {
  it("uses the credential of its node, or else the organization's own, and nothing of it is in the run", async () => {
    const { reference: own } = await connectGithub(ann, github.url, "token-of-the-node");
    const id = await ann.save(
      [issue("first", "One"), issue("second", "Two {{ $nodes.first.first.number }}", { credentials: { github: own } })],
      edges("first>second"),
    );
    const run = await ann.run(id);
    expect(run.error).toBeNull();
    expect(github.requests.map(({ title, authorization }) => [title, authorization])).toEqual([
      ["One", "Bearer token-by-default"],
      ["Two 1", "Bearer token-of-the-node"],
    ]);
    expect(run.nodes[1]).toMatchObject({
      status: "succeeded",
      attempts: 1,
      input: [{ title: "Two 1" }],
      outputs: [{ title: "Two 1" }],
    });
    expect(JSON.stringify(run)).not.toContain("token-of");
  });

  it("runs beside the tools of other branches", async () => {
    const release = github.hold();
    onTestFinished(release);
    const { body } = await ann.trigger(await ann.save([issue("a", "A"), issue("b", "B"), issue("c", "C")]));
    await github.whenRunning(3, 10_000);
    release();
    expect((await ann.ended(body.id)).status).toBe("succeeded");
    expect(github.seen.most).toBe(3);
  });

  it("fails its node with what the provider said, and names a required parameter that nobody filled", async () => {
    const refused = await ann.run(await ann.save([issue("open", "fail this")]));
    expect(refused).toMatchObject({ status: "failed", error: { code: "provider_error", nodeId: "open" } });
    expect(refused.error?.message).toContain("Nobody can open fail this");
    expect(refused.nodes[0]).toMatchObject({
      status: "failed",
      input: [{ owner: "acme", repo: "site", title: "fail this" }],
    });
    const parameters = { owner: "acme", repo: "site" };
    const unfilled = await ann.run(
      await ann.save([node("open", "github_create_issue", parameters, { instruction: "Write a title." })]),
    );
    expect(unfilled.error).toMatchObject({
      code: "validation_failed",
      nodeId: "open",
      message: expect.stringContaining("title"),
    });
    expect(titles()).toEqual(["fail this"]);
  });

  it("ends when the time of its node is over", async () => {
    const run = await ann.run(await ann.save([issue("open", "hang", { settings: { timeout: 300 } })]));
    expect(run.error).toMatchObject({ code: "tool_timeout", nodeId: "open" });
    await expect.poll(() => github.brokenOff, { timeout: 2_000 }).toEqual(["hang"]);
  });

  it("begins only when all that it builds on is stored, whatever else of the run has no effect", async () => {
    const release = github.hold();
    const nodes = [
      node("now", "system_date_time"),
      node("then", "system_date_time"),
      issue("open", "At {{ $nodes.then.first.iso }}"),
    ];
    const { body } = await ann.trigger(
      await ann.save([...nodes, node("last", "system_date_time")], edges("now>then", "then>open", "open>last")),
    );
    await github.whenRunning(1, 5_000);
    const stored = await ann.app.database.query(
      "SELECT node_id FROM run_node WHERE run_id = $1 AND status = 'succeeded' ORDER BY 1",
      [body.id],
    );
    expect(stored).toEqual([{ node_id: "now" }, { node_id: "then" }]);
    release();
    await becomes(body.id, "succeeded");
    expect((await ann.readRun(body.id)).body.nodes.map(({ status }: { status: string }) => status)).toEqual(
      Array(4).fill("succeeded"),
    );
  });

  it("finishes three nodes with one slot", async () => {
    const run = await ann.run(await ann.save([issue("a", "A"), issue("b", "B"), issue("c", "C")], edges("a>b", "b>c")));
    expect([run.status, titles()]).toEqual(["succeeded", ["A", "B", "C"]]);
  });
});

describe("the only slot", () => {
  const callTool = async () => {
    const { key } = await ann.app.parts.identity.apiKeys.create(ann.owner.organizationId, {
      name: "mcp",
      scopes: ["mcp:invoke"],
      createdBy: null,
    });
    const client = createMcpClient(ann.app.gatewayUrl, { "x-api-key": key });
    return await client.legacy("github", "tools/call", {
      name: "github_create_issue",
      arguments: { owner: "acme", repo: "site", title: "Tool" },
    });
  };

  it("is kept from a tool call by a run, and from a run by a tool call", async () => {
    const id = await ann.save([issue("open", "Run")]);
    let release = github.hold();
    const { body: first } = await ann.trigger(id);
    await github.whenRunning(1, 5_000);
    const call = callTool();
    await delay(300);
    expect(titles()).toEqual(["Run"]);
    release();
    expect((await call).json.result?.isError ?? false).toBe(false);
    await becomes(first.id, "succeeded");

    github.forget();
    release = github.hold();
    const second = callTool();
    await github.whenRunning(1, 5_000);
    const { body: later } = await ann.trigger(id);
    await delay(300);
    expect([titles(), await statusOf(later.id)]).toEqual([["Tool"], "pending"]);
    release();
    await second;
    await becomes(later.id, "succeeded");
  });

  it("is waited for by runs however many calls wait before them", async () => {
    const crowded = await startWorkflowApp({ environment: { ...environment, SEMAPHORE_MAX_QUEUE: "0" } });
    onTestFinished(() => crowded.stop());
    await useGithub(crowded, github.url);
    const id = await crowded.save([issue("open", "Run")]);
    const release = github.hold();
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await crowded.trigger(id)).body.id));
    await delay(1_500);
    release();
    for (const one of ids) expect((await crowded.ended(one)).status).toBe("succeeded");
  });
});

describe("a node that tries again", () => {
  it("does so after growing pauses, counts its attempts, and gives the slot to others meanwhile", async () => {
    const failing = await ann.save(
      [issue("open", "fail", { settings: { retries: 2, retryDelay: 400 } }), issue("next", "Next")],
      edges("open>next"),
    );
    const other = await ann.save([issue("open", "Other")]);
    const { body: run } = await ann.trigger(failing);
    await expect.poll(() => titles().length, { timeout: 5_000, interval: 5 }).toBe(1);
    await becomes(run.id, "waiting");
    expect((await ann.readRun(run.id)).body.nodes).toMatchObject([
      { status: "retrying", attempts: 1, wakeAt: expect.any(String) },
      { status: "pending" },
    ]);
    expect((await ann.run(other)).status).toBe("succeeded");
    expect(await statusOf(run.id)).not.toBe("failed");
    expect(await ann.ended(run.id)).toMatchObject({
      status: "failed",
      nodes: [{ status: "failed", attempts: 3 }, { status: "skipped" }],
    });
    const times = github.requests.filter(({ title }) => title === "fail").map(({ at }) => at);
    expect(times).toHaveLength(3);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(400);
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(800);
    expect(titles()).not.toContain("Next");
  });

  it("is not handed from process to process for pauses that are hardly there", async () => {
    const run = await ann.run(await ann.save([issue("open", "fail", { settings: { retries: 20, retryDelay: 0 } })]));
    expect(run).toMatchObject({ status: "failed", error: { code: "provider_error" }, nodes: [{ attempts: 21 }] });
    const [row] = await ann.app.database.query<{ epoch: number }>("SELECT epoch FROM run WHERE id = $1", [run.id]);
    expect(row?.epoch).toBeLessThan(5);
  });

  it("keeps what it did for earlier items", async () => {
    const settings = { retries: 1, retryDelay: 50, continueOnError: true };
    const id = await ann.save(
      [node("list", "loop", { list: "['A', 'fail', 'B']" }), issue("each", "{{ $input.value }}", { settings })],
      edges("list>each"),
    );
    const run = await ann.run(id);
    expect(titles()).toEqual(["A", "fail", "B", "fail"]);
    expect(run).toMatchObject({ status: "succeeded", nodes: [{}, { status: "failed", attempts: 2 }] });
    expect(run.nodes[1]?.outputs).toMatchObject([
      { title: "A" },
      { error: { code: "provider_error" }, item: { value: "fail" } },
      { title: "B" },
    ]);
  });

  it("tries again when an expression ran out of processor time, which says so with a code of its own", async () => {
    const text = `{{ $match("${"a".repeat(60)}b", /(a+)+$/) }}`;
    const settings = { retries: 1, retryDelay: 0 };
    const run = await ann.run(await ann.save([node("search", "set_fields", { fields: { text } }, { settings })]));
    expect(run).toMatchObject({ status: "failed", error: { code: "expression_timeout" }, nodes: [{ attempts: 2 }] });
  });

  it("does not try again what can only fail again", async () => {
    const run = await ann.run(
      await ann.save([node("halt", "stop", { message: "No." }, { settings: { retries: 5, retryDelay: 5_000 } })]),
    );
    expect(run.nodes).toMatchObject([{ status: "failed", attempts: 1 }]);
  });
});

describe("a run that waits", () => {
  it("says so, lets others have the slot, and goes on in time", async () => {
    const id = await ann.save(
      [node("rest", "wait", { milliseconds: 1_200 }), issue("next", "Next")],
      edges("rest>next"),
    );
    const began = performance.now();
    const { body } = await ann.trigger(id);
    await becomes(body.id, "waiting");
    const waiting = (await ann.readRun(body.id)).body;
    expect(waiting).toMatchObject({
      completedAt: null,
      wakeAt: expect.any(String),
      nodes: [{ status: "running" }, { status: "pending" }],
    });
    expect((await ann.run(await ann.save([issue("open", "Other")]))).status).toBe("succeeded");
    const run = await ann.ended(body.id);
    const tookMs = performance.now() - began;
    expect([run.status, titles()]).toEqual(["succeeded", ["Other", "Next"]]);
    expect(tookMs).toBeGreaterThan(1_200);
    expect(tookMs).toBeLessThan(4_000);
    expect(run.durationMs as number).toBeLessThan(1_200);
  });

  it("does not make a branch that is ready wait for one that is busy", async () => {
    const release = github.hold();
    const id = await ann.save(
      [issue("busy", "Busy"), node("rest", "wait", { milliseconds: 1_500 }), issue("next", "Next")],
      edges("rest>next"),
    );
    const { body } = await ann.trigger(id);
    await expect.poll(titles, { timeout: 8_000 }).toEqual(["Busy", "Next"]);
    release();
    expect((await ann.ended(body.id)).status).toBe("succeeded");
  });

  it("ends when all of its time is used up, which waiting does not count for", async () => {
    const hurried = await startWorkflowApp({ environment: { ...environment, TASK_RUNNER_MAX_EXECUTION_TIME: "1s" } });
    onTestFinished(() => hurried.stop());
    await useGithub(hurried, github.url);
    const patient = await hurried.run(
      await hurried.save([node("rest", "wait", { milliseconds: 1_500 }), issue("next", "Next")], edges("rest>next")),
    );
    expect(patient.status).toBe("succeeded");
    const late = await hurried.run(
      await hurried.save(
        [issue("open", "hang", { settings: { retries: 3 } }), issue("next", "Never")],
        edges("open>next"),
      ),
    );
    expect(late).toMatchObject({
      status: "failed",
      error: { code: "run_timeout" },
      nodes: [{ status: "failed" }, { status: "skipped" }],
    });
    expect(titles()).toEqual(["Next", "hang"]);
    const tolerant = await hurried.run(
      await hurried.save([issue("open", "hang", { settings: { continueOnError: true } })]),
    );
    expect(tolerant).toMatchObject({ status: "failed", error: { code: "run_timeout", nodeId: "open" } });
  });
});

describe("a workflow that calls another", () => {
  const call = (workflowId: string, others: Others = {}) =>
    node("call", "call_workflow", { workflowId, prompt: "from above", payload: { n: 5 } }, others);

  it("waits for it without a slot and passes its items on", async () => {
    const below = await ann.save([issue("open", "Below {{ $trigger.prompt }} {{ $trigger.payload.n }}")]);
    const id = await ann.save(
      [call(below), node("after", "set_fields", { fields: { got: "$input.title" }, keepOthers: false })],
      edges("call>after"),
    );
    const run = await ann.run(id);
    expect(run).toMatchObject({ status: "succeeded", result: [{ got: "Below from above 5" }] });
    const { body } = await ann.owner.browser.get(`${ann.path}/runs?parentRunId=${run.id}`);
    expect(body.data).toMatchObject([
      { workflowId: below, executionType: "workflow", parentRunId: run.id, status: "succeeded" },
    ]);
    expect((await ann.owner.browser.get(`${ann.path}/runs?parentRunId=${body.data[0].id}`)).body.data).toEqual([]);
  });

  it("fails with it, or goes on with the error where the node says so", async () => {
    const below = await ann.save([node("halt", "stop", { message: "Not today." })]);
    const failed = await ann.run(await ann.save([call(below)]));
    expect(failed).toMatchObject({ status: "failed", error: { code: "workflow_failed", nodeId: "call" } });
    expect(failed.error?.message).toContain("Not today.");
    const after = node("after", "set_fields", { fields: { code: "$input.error.code" }, keepOthers: false });
    const going = await ann.run(
      await ann.save([call(below, { settings: { continueOnError: true } }), after], edges("call>after")),
    );
    expect(going).toMatchObject({ status: "succeeded", result: [{ code: "workflow_failed" }] });
  });

  it("fails when there is no such workflow, it is off, or they call each other too deep", async () => {
    const off = await ann.save([node("a", "start")]);
    await ann.owner.browser.patch(`${ann.path}/workflows/${off}`, { isActive: false });
    const caller = await ann.save([call(off)]);
    expect((await ann.run(caller)).error).toMatchObject({ code: "workflow_inactive", nodeId: "call" });
    await ann.owner.browser.patch(`${ann.path}/workflows/${off}`, {
      isActive: true,
      canvas: { nodes: [call(off)], edges: [] },
      expectedVersion: 1,
    });
    const deep = await ann.run(off);
    expect(deep).toMatchObject({ status: "failed", error: { code: "workflow_failed", nodeId: "call" } });
    const { body } = await ann.owner.browser.get(`${ann.path}/runs?workflowId=${off}&limit=100`);
    expect(body.data).toHaveLength(9);
    expect(body.data[0].error.message).toContain("8 deep");
  });
});
