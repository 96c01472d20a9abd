import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type CountingProvider, startCountingProvider } from "./support/counting-provider.ts";
import { startFakeModel } from "./support/fake-model.ts";
import { startFakeProvider } from "./support/fake-provider.ts";
import { connectGithub, issue, useGithub, useHttp } from "./support/github-nodes.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "./support/workflow-app.ts";

const environment = { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" };
let ann: WorkflowApp;
let github: CountingProvider;

beforeAll(async () => {
  github = await startCountingProvider();
  ann = await startWorkflowApp({ environment });
  await useGithub(ann, github.url);
  await useHttp(ann);
});
afterAll(async () => {
  await ann?.stop();
  await github?.stop();
});
beforeEach(() => {
  github.forget();
  github.takeTime(0);
});

type Others = NonNullable<Parameters<typeof node>[3]>;
const titles = () => github.requests.map(({ title }) => title);

/** A node that opens an issue for each of these titles. */
const saveEach = (list: string[], settings: Others["settings"] = {}) =>
  ann.save([node("list", "loop", { list: JSON.stringify(list) }), issue("each", "{{ $input.value }}", { settings })], edges("list>each"));

describe("retries", () => {
  it("are counted for each item, and the others do not wait for them", async () => {
    for (const title of ["A", "B", "C"]) github.plan(title, ["fail", "fail"]);
    const run = await ann.run(await saveEach(["A", "B", "C", "D"], { retries: 2, retryDelay: 10 }));
    expect(run).toMatchObject({ status: "succeeded", nodes: [{}, { status: "succeeded", attempts: 3 }] });
    expect(run.nodes[1]?.outputs?.map(({ title }) => title)).toEqual(["A", "B", "C", "D"]);
    expect(titles()).toEqual(["A", "B", "C", "D", "A", "B", "C", "A", "B", "C"]);
  });

  it("are not used up by an attempt that was cut off", async () => {
    github.plan("Cut", ["answer", "fail"]);
    const settings = { retries: 1, retryDelay: 10, repeatAfterInterruption: true };
    const release = github.hold();
    onTestFinished(release);
    const { body } = await ann.trigger(await ann.save([issue("open", "Cut", { settings })]));
    await github.whenRunning(1, 5_000);
    await ann.app.database.query("UPDATE run_queue.job SET state = 'retry', start_after = now() WHERE id = $1", [body.id]);
    await github.whenRunning(2, 5_000);
    release();
    expect(await ann.ended(body.id)).toMatchObject({ status: "succeeded", nodes: [{ status: "succeeded", attempts: 3 }] });
  });

  it("wait as long as the provider asks for", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.stop());
    const { reference } = await connectGithub(ann, provider.url, "token-of-the-busy-one");
    provider.script([
      { status: 429, headers: { "retry-after": "1" }, json: { message: "Slow down" } },
      { status: 201, json: { number: 1, title: "Later" } },
    ]);
    const settings = { retries: 1, retryDelay: 10 };
    const began = performance.now();
    const run = await ann.run(await ann.save([issue("open", "Later", { settings, credentials: { github: reference } })]));
    expect(run).toMatchObject({ status: "succeeded", nodes: [{ attempts: 2 }] });
    expect(performance.now() - began).toBeGreaterThan(1_000);
  });

  it("wait a day at most, and the run stands aside meanwhile", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.stop());
    const { reference } = await connectGithub(ann, provider.url, "token-of-the-closed-one");
    provider.script([{ status: 429, headers: { "retry-after": "9999999" }, json: { message: "Not this year" } }]);
    const settings = { retries: 1, retryDelay: 10 };
    const { body } = await ann.trigger(await ann.save([issue("open", "Later", { settings, credentials: { github: reference } })]));
    await expect.poll(async () => (await ann.readRun(body.id)).body.status, { timeout: 5_000 }).toBe("waiting");
    const { wakeAt } = (await ann.readRun(body.id)).body;
    const pauseMs = Date.parse(String(wakeAt)) - Date.now();
    expect(pauseMs).toBeGreaterThan(23.9 * 3600_000);
    expect(pauseMs).toBeLessThanOrEqual(24 * 3600_000);
  });

  it("are not made for an address that is refused", async () => {
    const settings = { retries: 3, retryDelay: 10 };
    const run = await ann.run(await ann.save([node("ask", "http_request", { url: "http://10.0.0.1/" }, { settings })]));
    expect(run).toMatchObject({ status: "failed", error: { code: "outbound_refused" }, nodes: [{ attempts: 1 }] });
  });
});

describe("a node that calls a workflow", () => {
  const call = (workflowId: string, settings: Others["settings"]) => node("call", "call_workflow", { workflowId }, { settings });

  it("calls it again when it failed, as often as its retries say", async () => {
    github.plan("Child", ["fail"]);
    const child = await ann.save([issue("open", "Child")]);
    const run = await ann.run(await ann.save([call(child, { retries: 1, retryDelay: 10 })]));
    expect(run).toMatchObject({ status: "succeeded", nodes: [{ status: "succeeded", attempts: 2 }] });
    expect(run.result).toMatchObject([{ title: "Child" }]);
    expect(titles()).toEqual(["Child", "Child"]);
    github.plan("Child", ["fail", "fail", "fail"]);
    const failed = await ann.run(await ann.save([call(child, { retries: 1, retryDelay: 10 })]));
    expect(failed).toMatchObject({ status: "failed", error: { code: "workflow_failed" }, nodes: [{ attempts: 2 }] });
  });

  it("gives up after its time, and the called run with it", async () => {
    const child = await ann.save([node("rest", "wait", { milliseconds: 60_000 }), issue("open", "Too late")], edges("rest>open"));
    const run = await ann.run(await ann.save([call(child, { timeout: 400 })]));
    expect(run).toMatchObject({ status: "failed", error: { code: "tool_timeout", nodeId: "call" } });
    expect(run.error?.message).toContain("0.4 s");
    const { body } = await ann.owner.browser.get(`${ann.path}/runs?parentRunId=${run.id}`);
    expect(body.data).toMatchObject([{ status: "cancelled" }]);
  });
});

it("the time of a node is also that of the model that fills its parameters", async () => {
  const model = await startFakeModel(async () => await delay(20_000, { title: "Too late" }, { ref: false }));
  const slow = await startWorkflowApp({ environment: { ...environment, ...model.environment } });
  onTestFinished(async () => {
    await slow.stop();
    await model.stop();
  });
  await useGithub(slow, github.url);
  const others = { instruction: "Find a title.", settings: { timeout: 400 } };
  const began = performance.now();
  const run = await slow.run(await slow.save([node("open", "github_create_issue", { owner: "acme", repo: "site" }, others)]));
  expect(run).toMatchObject({ status: "failed", error: { code: "tool_timeout" } });
  expect(run.error?.message).toContain("0.4 s");
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(titles()).toEqual([]);
});
