import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { startFakeModel } from "../support/providers/fake-model.ts";
import { startFakeProvider } from "../support/providers/fake-provider.ts";
import { connectGithub, issue, useGithub, useHttp } from "../support/runs/github-nodes.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

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
  ann.save(
    [node("list", "loop", { list: JSON.stringify(list) }), issue("each", "{{ $input.value }}", { settings })],
    edges("list>each"),
  );

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
    await ann.app.database.query("UPDATE run_queue.job SET state = 'retry', start_after = now() WHERE id = $1", [
      body.id,
    ]);
    await github.whenRunning(2, 5_000);
    release();
    expect(await ann.ended(body.id)).toMatchObject({
      status: "succeeded",
      nodes: [{ status: "succeeded", attempts: 3 }],
    });
  });

  it("wait as long as the provider asks for", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.stop());
    const { reference } = await connectGithub(ann, provider.url, "token-of-the-busy-one");
    provider.script([
      { status: 429, headers: { "retry-after": "1" }, json: { message: "Slow down" } },
      { status: 201, json: { number: 1, title: "Later" } },
    ]);
    // Longer than the call itself may wait for it.
    const settings = { retries: 1, retryDelay: 10, timeout: 900 };
    const began = performance.now();
    const run = await ann.run(
      await ann.save([issue("open", "Later", { settings, credentials: { github: reference } })]),
    );
    expect(run).toMatchObject({ status: "succeeded", nodes: [{ attempts: 2 }] });
    expect(performance.now() - began).toBeGreaterThan(1_000);
  });

  it("wait a day at most, and the run stands aside meanwhile", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.stop());
    const { reference } = await connectGithub(ann, provider.url, "token-of-the-closed-one");
    provider.script([{ status: 429, headers: { "retry-after": "9999999" }, json: { message: "Not this year" } }]);
    const settings = { retries: 1, retryDelay: 10 };
    const { body } = await ann.trigger(
      await ann.save([issue("open", "Later", { settings, credentials: { github: reference } })]),
    );
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
  const call = (workflowId: string, settings: Others["settings"]) =>
    node("call", "call_workflow", { workflowId }, { settings });

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

  it("calls it again when it could not be started, as often as its retries say", async () => {
    const child = await ann.save([issue("open", "Begun")]);
    const query = (text: string) => ann.app.database.query(text);
    await query(
      "CREATE FUNCTION refuse_called() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$",
    );
    onTestFinished(async () => void (await query("DROP FUNCTION IF EXISTS refuse_called CASCADE")));
    await query(
      "CREATE TRIGGER refuse_called BEFORE INSERT ON run FOR EACH ROW WHEN (NEW.parent_run_id IS NOT NULL) EXECUTE FUNCTION refuse_called()",
    );
    const { body } = await ann.trigger(await ann.save([call(child, { retries: 1, retryDelay: 1_500 })]));
    await expect
      .poll(async () => (await ann.readRun(body.id)).body.nodes[0], { timeout: 5_000 })
      .toMatchObject({ status: "retrying" });
    await query("DROP FUNCTION refuse_called CASCADE");
    expect(await ann.ended(body.id)).toMatchObject({
      status: "succeeded",
      nodes: [{ attempts: 2 }],
      result: [{ title: "Begun" }],
    });
    expect(titles()).toEqual(["Begun"]);
  });

  it("is not called again when it is turned off", async () => {
    const child = await ann.save([issue("open", "Child")]);
    await ann.owner.browser.patch(`${ann.path}/workflows/${child}`, { isActive: false });
    const run = await ann.run(await ann.save([call(child, { retries: 3, retryDelay: 10 })]));
    expect(run).toMatchObject({ status: "failed", error: { code: "workflow_inactive" }, nodes: [{ attempts: 1 }] });
  });

  it("gives up after its time, and the called run with it", async () => {
    const child = await ann.save(
      [node("rest", "wait", { milliseconds: 60_000 }), issue("open", "Too late")],
      edges("rest>open"),
    );
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
  const run = await slow.run(
    await slow.save([node("open", "github_create_issue", { owner: "acme", repo: "site" }, others)]),
  );
  expect(run).toMatchObject({ status: "failed", error: { code: "tool_timeout" } });
  expect(run.error?.message).toContain("0.4 s");
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(titles()).toEqual([]);
});

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
const rerunOf = async (runId: string) => {
  const { body } = await ann.owner.browser.post(`${ann.path}/runs/${runId}/rerun`, { from: "failure" });
  return await ann.ended(body.id);
};
const takeAway = (runId: string) =>
  ann.app.database.query("UPDATE run_queue.job SET state = 'retry', start_after = now() WHERE id = $1", [runId]);

describe("items at once", () => {
  it("are as many as the node says, and come out in the order in which they came in", async () => {
    github.takeTime(40);
    for (const title of ["3", "7"]) github.plan(title, ["fail"]);
    const release = github.hold();
    const { body } = await ann.trigger(await saveEach(numbers(12), { itemsAtOnce: 4, retries: 1, retryDelay: 10 }));
    await github.whenRunning(4, 5_000);
    release();
    const run = await ann.ended(body.id);
    expect(run).toMatchObject({
      status: "succeeded",
      nodes: [{ items: null }, { attempts: 2, items: { done: 12, total: 12 } }],
    });
    expect(run.nodes[1]?.outputs?.map(({ title }) => title)).toEqual(numbers(12));
    expect(github.seen.most).toBe(4);
    github.forget();
    await ann.run(await saveEach(numbers(4)));
    expect(github.seen.most).toBe(1);
  });

  it("are at most 32", async () => {
    await expect(saveEach(["1"], { itemsAtOnce: 33 })).rejects.toThrow("itemsAtOnce");
  });

  it("are told while they are worked on", async () => {
    github.takeTime(500);
    const { body } = await ann.trigger(await saveEach(numbers(8), { itemsAtOnce: 2 }));
    const read = async () => (await ann.readRun(body.id)).body.nodes[1];
    await expect
      .poll(async () => ((await read())?.items as { done: number } | null)?.done, { timeout: 10_000 })
      .toBeGreaterThan(0);
    expect(await read()).toMatchObject({ status: "running", items: { total: 8 } });
    expect((await ann.ended(body.id)).nodes[1]).toMatchObject({ items: { done: 8, total: 8 } });
  });

  it("end with the run when it is cancelled, and no further one begins", async () => {
    const release = github.hold();
    onTestFinished(release);
    const { body } = await ann.trigger(await saveEach(numbers(9), { itemsAtOnce: 3 }));
    await github.whenRunning(3, 5_000);
    expect((await ann.owner.browser.post(`${ann.path}/runs/${body.id}/cancel`, {})).status).toBe(200);
    await expect.poll(() => github.brokenOff.length, { timeout: 5_000 }).toBe(3);
    release();
    await delay(300);
    expect(titles().sort()).toEqual(["1", "2", "3"]);
  });
});

describe("an item that fails", () => {
  it("leaves what the others gave, and only it and those after it are done again from the failed node", async () => {
    github.plan("2", ["fail"]);
    const after = node("after", "set_fields", { fields: { title: "$input.title" }, keepOthers: false });
    const id = await ann.save(
      [node("list", "loop", { list: "['1', '2', '3']" }), issue("each", "{{ $input.value }}"), after],
      edges("list>each", "each>after"),
    );
    const run = await ann.run(id);
    expect(run).toMatchObject({
      status: "failed",
      nodes: [{}, { status: "failed", items: { done: 1, total: 3 } }, { status: "skipped" }],
    });
    expect(run.nodes[1]?.outputs).toMatchObject([{ title: "1" }]);
    const again = await rerunOf(run.id);
    expect(again).toMatchObject({ status: "succeeded", result: [{ title: "1" }, { title: "2" }, { title: "3" }] });
    expect(again.nodes[1]).toMatchObject({ attempts: 1, items: { done: 3, total: 3 } });
    expect(titles()).toEqual(["1", "2", "2", "3"]);
  });

  it("is done again from the failed node also where the run went on after it", async () => {
    github.plan("2", ["fail"]);
    const id = await saveEach(["1", "2", "3"], { continueOnError: true });
    const run = await ann.run(id);
    expect(run).toMatchObject({ status: "succeeded", nodes: [{}, { status: "failed" }] });
    expect(run.result).toMatchObject([
      { title: "1" },
      { error: { code: "provider_error" }, item: { value: "2" } },
      { title: "3" },
    ]);
    const again = await rerunOf(run.id);
    expect(again.result?.map(({ title }) => title)).toEqual(["1", "2", "3"]);
    expect(titles()).toEqual(["1", "2", "3", "2"]);
  });

  it("is told of when its process ended meanwhile, and the others are kept or go on", async () => {
    for (const continueOnError of [false, true]) {
      github.forget();
      const { body } = await ann.trigger(await saveEach(["1", "2", "hang", "4"], { continueOnError }));
      await expect.poll(titles, { timeout: 5_000 }).toEqual(["1", "2", "hang"]);
      await takeAway(body.id);
      const run = await ann.ended(body.id);
      const cutOff = { error: { code: "interrupted" }, item: { value: "hang" } };
      expect(run.nodes[1]).toMatchObject({ status: "failed", error: { code: "interrupted" } });
      expect(run.nodes[1]?.outputs).toMatchObject([
        { title: "1" },
        { title: "2" },
        ...(continueOnError ? [cutOff, { title: "4" }] : []),
      ]);
      expect(titles()).toEqual(["1", "2", "hang", ...(continueOnError ? ["4"] : [])]);
    }
  });
});
