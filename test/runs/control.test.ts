import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRunRetention } from "../../src/runs/retention.ts";
import { followEvents } from "../support/events/follow-events.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { issue, useGithub } from "../support/runs/github-nodes.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { silentLog } from "../support/storage/test-postgres.ts";

let ann: WorkflowApp;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let github: CountingProvider;

beforeAll(async () => {
  github = await startCountingProvider();
  ann = await startWorkflowApp({
    environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "2" },
  });
  bob = await signUpOwner(ann.app, "Bob");
  await useGithub(ann, github.url);
});
afterAll(async () => {
  await ann?.stop();
  await github?.stop();
});
beforeEach(() => github.forget());

const titles = () => github.requests.map(({ title }) => title);
const cancel = (id: string) => ann.owner.browser.post(`${ann.path}/runs/${id}/cancel`);
const rerun = (id: string, body?: object) => ann.owner.browser.post(`${ann.path}/runs/${id}/rerun`, body);
const becomes = (id: string, status: string) =>
  expect.poll(async () => (await ann.readRun(id)).body.status, { timeout: 10_000, interval: 20 }).toBe(status);

/** Everything the database has of a run. */
const rowsOf = (id: string) =>
  Promise.all([
    ann.app.database.query("SELECT * FROM run WHERE id = $1", [id]),
    ann.app.database.query("SELECT * FROM run_node WHERE run_id = $1 ORDER BY node_id", [id]),
    ann.app.database.query("SELECT id, state FROM run_queue.job WHERE id = $1", [id]),
  ]);

async function expectCancelled(id: string): Promise<void> {
  const { status, body } = await cancel(id);
  const stored = await rowsOf(id);
  expect([status, body.status, body.error?.code]).toEqual([200, "cancelled", "cancelled"]);
  expect(stored[2]).toEqual([]);
  await delay(500);
  expect(await rowsOf(id)).toEqual(stored);
  expectProblem(await cancel(id), { status: 409, code: "run_finished" });
}

describe("cancelling a run", () => {
  it("in the middle of a node breaks off its request, and nothing is written afterwards", async () => {
    const { body } = await ann.trigger(
      await ann.save([issue("open", "hang"), issue("next", "Next")], edges("open>next")),
    );
    await becomes(body.id, "running");
    await expectCancelled(body.id);
    await expect.poll(() => github.brokenOff, { timeout: 2_000 }).toEqual(["hang"]);
    expect((await ann.readRun(body.id)).body.nodes.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect(titles()).toEqual(["hang"]);
  });

  it("that waits or has not begun leaves nothing that could begin later", async () => {
    const { body: waiting } = await ann.trigger(
      await ann.save([node("rest", "wait", { milliseconds: 700 }), issue("next", "Next")], edges("rest>next")),
    );
    await becomes(waiting.id, "waiting");
    await expectCancelled(waiting.id);
    const release = github.hold();
    const busy = await ann.save([issue("open", "Busy")]);
    const ids = [(await ann.trigger(busy)).body.id, (await ann.trigger(busy)).body.id];
    await github.whenRunning(2, 5_000);
    const { body: pending } = await ann.trigger(await ann.save([issue("open", "Pending")]));
    await expectCancelled(pending.id);
    release();
    for (const id of ids) expect((await ann.ended(id)).status).toBe("succeeded");
    await delay(500);
    expect(titles()).toEqual(["Busy", "Busy"]);
  });

  it("cancels the runs it waits for, and tells the run that waits for it", async () => {
    const below = await ann.save([issue("open", "hang")], [], "Below");
    const above = await ann.save([node("call", "call_workflow", { workflowId: below })]);
    const childOf = async (runId: string) => {
      const { body } = await ann.owner.browser.get(`${ann.path}/runs?workflowId=${below}&limit=1`);
      return body.data.find(({ parentRunId }: { parentRunId: string }) => parentRunId === runId)?.id as string;
    };
    const { body: first } = await ann.trigger(above);
    await github.whenRunning(1, 5_000);
    const child = await childOf(first.id);
    expect((await cancel(first.id)).status).toBe(200);
    expect((await ann.readRun(child)).body.status).toBe("cancelled");
    const { body: second } = await ann.trigger(above);
    await expect.poll(() => titles().length, { timeout: 5_000 }).toBe(2);
    await becomes(second.id, "waiting");
    expect((await cancel(await childOf(second.id))).status).toBe(200);
    expect(await ann.ended(second.id)).toMatchObject({
      status: "failed",
      error: { code: "workflow_failed", nodeId: "call" },
    });
  });
});

describe("running again", () => {
  const settings = { continueOnError: false };

  it("does all of it, or only what had not been finished, with what was there before or with something else", async () => {
    const id = await ann.save(
      [
        issue("first", "First {{ $trigger.prompt }}"),
        issue("second", "{{ $trigger.prompt }}", { settings }),
        issue("third", "{{ $nodes.first.first.title }}!"),
      ],
      edges("first>second", "second>third"),
    );
    const failed = await ann.run(id, { runtimePrompt: "fail" });
    expect([failed.status, titles()]).toEqual(["failed", ["First fail", "fail"]]);

    github.forget();
    const again = await rerun(failed.id);
    expect([again.status, again.body.status]).toEqual([202, "pending"]);
    expect(await ann.ended(again.body.id)).toMatchObject({
      status: "failed",
      executionType: "manual",
      rerunOf: failed.id,
      userName: "Ann",
    });
    expect(titles()).toEqual(["First fail", "fail"]);

    github.forget();
    const mended = await ann.ended((await rerun(failed.id, { from: "failure", prompt: "works" })).body.id);
    expect([mended.status, titles()]).toEqual(["succeeded", ["works", "First fail!"]]);
    expect(mended).toMatchObject({
      trigger: { prompt: "works", source: "api" },
      nodes: [{ status: "succeeded" }, { status: "succeeded" }, { status: "succeeded" }],
    });

    github.forget();
    const edited = await ann.ended((await rerun(failed.id, { prompt: "all", payload: { a: 1 } })).body.id);
    expect([edited.status, titles()]).toEqual(["succeeded", ["First all", "all", "First all!"]]);
    expect((await ann.readRun(failed.id)).body).toEqual(failed);
  });

  it("follows the canvas of the first run, and is refused while that has not ended, or with what does not fit", async () => {
    const id = await ann.save([node("say", "set_fields", { fields: { version: 1 } })]);
    const run = await ann.run(id);
    const canvas = { nodes: [node("say", "set_fields", { fields: { version: 2 } })], edges: [] };
    await ann.owner.browser.patch(`${ann.path}/workflows/${id}`, { canvas, expectedVersion: 1 });
    expect((await ann.ended((await rerun(run.id)).body.id)).result).toEqual([{ version: 1 }]);
    expect((await ann.run(id)).result).toEqual([{ version: 2 }]);
    expectProblem(await rerun(run.id, { nodes: [{ id: "nobody" }] }), { code: "unknown_node" });
    const { body: waiting } = await ann.trigger(await ann.save([node("rest", "wait", { milliseconds: 60_000 })]));
    await becomes(waiting.id, "waiting");
    expectProblem(await rerun(waiting.id, { from: "failure" }), { code: "run_not_finished" });
    await cancel(waiting.id);
  });

  it("is refused while the workflow is turned off, as a start is, and after it was deleted", async () => {
    const id = await ann.save([node("say", "stop", { message: "No" })]);
    const at = `${ann.path}/workflows/${id}`;
    const failed = await ann.run(id);
    await ann.owner.browser.patch(at, { isActive: false });
    for (const from of ["start", "failure"])
      expect(expectProblem(await rerun(failed.id, { from }), { status: 409, code: "workflow_inactive" }).detail).toBe(
        "This workflow is turned off.",
      );
    await ann.owner.browser.patch(at, { isActive: true });
    for (const from of ["start", "failure"]) expect((await rerun(failed.id, { from })).status).toBe(202);
    await ann.owner.browser.delete(at);
    expectProblem(await rerun(failed.id), { status: 404, code: "workflow_not_found" });
    const { body } = await ann.owner.browser.get(`${ann.path}/runs?workflowId=${id}`);
    expect(body.data).toHaveLength(3);
  });
});

describe("the list of runs", () => {
  it("is filtered and comes in pages that stay as they are when runs are added", async () => {
    const id = await ann.save([node("say", "stop", { message: "A needle {{ $trigger.prompt }}" })], [], "Haystack");
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) ids.unshift((await ann.run(id, { runtimePrompt: String(index) })).id);
    const manual = await ann.owner.browser.post(`${ann.path}/workflows/${id}/runs`, {
      prompt: "by hand",
      payload: { x: 1 },
    });
    expect(manual.status).toBe(202);
    expect(await ann.ended(manual.body.id)).toMatchObject({
      executionType: "manual",
      userName: "Ann",
      trigger: { payload: { x: 1 } },
    });
    const list = async (query: string) =>
      (await ann.owner.browser.get(`${ann.path}/runs?workflowId=${id}&${query}`)).body;
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map((one) => one.id);
    const first = await list("limit=2&executionType=api");
    await ann.run(id);
    const second = await list(`limit=2&executionType=api&cursor=${first.nextCursor}`);
    const third = await list(`limit=2&executionType=api&cursor=${second.nextCursor}`);
    expect([first, second, third].flatMap(idsOf)).toEqual(ids);
    expect(third.nextCursor).toBeNull();
    expect(idsOf(await list("executionType=manual"))).toEqual([manual.body.id]);
    expect(idsOf(await list("status=succeeded"))).toEqual([]);
    expect(idsOf(await list("search=needle%203"))).toEqual([ids[1]]);
    expect(idsOf(await list("search=haystack&limit=1"))).toHaveLength(1);
    expect(idsOf(await list(`to=${new Date(Date.now() - 3_600_000).toISOString()}`))).toEqual([]);
    expect((await ann.owner.browser.get(`${ann.path}/runs?cursor=nonsense`)).status).toBe(400);
  });

  it("is open to viewers, who can change nothing, and closed to other organizations", async () => {
    const id = await ann.save([node("a", "start")]);
    const run = await ann.run(id);
    const viewer = await signUpMember(ann.app, ann.owner.organizationId, "Vera", "viewer");
    expect((await viewer.browser.get(`${ann.path}/runs/${run.id}`)).body).toEqual(run);
    const paths = [`workflows/${id}/runs`, `runs/${run.id}/rerun`, `runs/${run.id}/cancel`];
    for (const one of paths) expectProblem(await viewer.browser.post(`${ann.path}/${one}`), { code: "role_required" });
    const strangers = `/api/organizations/${bob.organizationId}`;
    for (const one of paths) expect((await bob.browser.post(`${strangers}/${one}`)).status).toBe(404);
    for (const one of paths) expect((await bob.browser.post(`${ann.path}/${one}`)).status).toBe(404);
    expect((await bob.browser.get(`${strangers}/runs/${run.id}`)).status).toBe(404);
    expect((await bob.browser.get(`${strangers}/runs?workflowId=${id}`)).body.data).toEqual([]);
    expect((await bob.browser.post(`${strangers}/runs/${randomUUID()}/cancel`)).status).toBe(404);
  });
});

describe("whoever listens", () => {
  it("sees a run begin and end as it happens", async () => {
    const stream = await followEvents(ann.app.platformUrl, ann.owner.browser, ann.owner.organizationId);
    const id = await ann.save([issue("open", "Live")]);
    const release = github.hold();
    const { body } = await ann.trigger(id);
    const states = () =>
      stream.events.filter(({ name, data }) => name === "run" && data.id === body.id).map(({ data }) => data.status);
    // A run that begins at once may not be seen before.
    await expect.poll(states, { timeout: 2_000, interval: 10 }).toContain("running");
    release();
    await ann.ended(body.id);
    await expect.poll(() => states().at(-1), { timeout: 2_000, interval: 10 }).toBe("succeeded");
    stream.kill();
  });

  it("is sent the end of every run", async () => {
    const types = ["run.succeeded", "run.failed", "run.cancelled"];
    const { status, body: endpoint } = await ann.owner.browser.post(`${ann.path}/event-endpoints`, {
      url: "http://127.0.0.1:9/",
      types,
    });
    expect([status, endpoint]).toMatchObject([201, {}]);
    const good = await ann.run(await ann.save([node("a", "start")], [], "Good"));
    const bad = await ann.run(await ann.save([node("a", "stop", { message: "No." })]));
    const { body: cancelled } = await ann.trigger(await ann.save([node("rest", "wait", { milliseconds: 60_000 })]));
    await becomes(cancelled.id, "waiting");
    await cancel(cancelled.id);
    const rows = await ann.app.database.query<{ type: string; payload: string }>(
      "SELECT type, payload FROM event_delivery ORDER BY id",
    );
    expect(rows.map(({ type, payload }) => [type, JSON.parse(payload).runId])).toEqual([
      ["run.succeeded", good.id],
      ["run.failed", bad.id],
      ["run.cancelled", cancelled.id],
    ]);
    expect(JSON.parse(rows[0]?.payload ?? "{}")).toMatchObject({
      workflowName: "Good",
      status: "succeeded",
      error: null,
    });
    expect(JSON.parse(rows[1]?.payload ?? "{}")).toMatchObject({
      error: { code: "stopped_by_workflow", message: "No." },
    });
  });
});

describe("old runs", () => {
  it("are removed with their nodes and keys, but never one that has not ended", async () => {
    const { database, parts } = ann.app;
    const context = { db: parts.ground.db, partitions: parts.history.partitions, log: silentLog, keptDays: 90 };
    const old = "01900000-0000-7000-8000-00000000000";
    const organizationId = ann.owner.organizationId;
    for (const [index, status] of ["succeeded", "failed", "cancelled", "waiting"].entries()) {
      await database.query(
        `INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, queued_at) VALUES ($1, $2, $3, 1, 'api', $4, '{}', now())`,
        [organizationId, `${old}${index}`, randomUUID(), status],
      );
      await database.query(
        `INSERT INTO run_node (organization_id, run_id, node_id, node_type, status, attempts, done, started_at, duration_ms) VALUES ($1, $2, 'a', 'start', 'succeeded', 1, 0, now(), 1)`,
        [organizationId, `${old}${index}`],
      );
    }
    await ann.trigger(await ann.save([node("a", "start")]), {}, { "idempotency-key": "kept" });
    await ann.trigger(await ann.save([node("a", "start")]), {}, { "idempotency-key": "gone" });
    await database.query("UPDATE run_once SET created_at = now() - interval '26 hours' WHERE key = 'api:gone'");
    expect(await createRunRetention({ ...context, keptRuns: 1_000_000 }).run()).toBe(3);
    expect(
      await database.query(
        "SELECT run.id FROM run JOIN run_node AS node ON node.run_id = run.id WHERE run.id < '01910000-0000-7000-8000-000000000000'",
      ),
    ).toEqual([{ id: `${old}3` }]);
    expect(await database.query("SELECT key FROM run_once WHERE key IN ('api:kept', 'api:gone')")).toEqual([
      { key: "api:kept" },
    ]);
    await createRunRetention({ ...context, keptRuns: 2 }).run();
    expect(
      (await database.query("SELECT FROM run WHERE status IN ('succeeded', 'failed', 'cancelled')")).length,
    ).toBeLessThanOrEqual(2);
    expect(
      await database.query("SELECT FROM run_node WHERE NOT EXISTS (SELECT FROM run WHERE run.id = run_node.run_id)"),
    ).toEqual([]);
  });

  it("that no process can bring to an end are ended as failed", async () => {
    const { body } = await ann.trigger(await ann.save([node("rest", "wait", { milliseconds: 600_000 })]));
    await becomes(body.id, "waiting");
    await ann.app.database.query(
      "UPDATE run_queue.job SET state = 'active', retry_count = 20, started_on = now(), heartbeat_on = now() - interval '1 minute' WHERE id = $1",
      [body.id],
    );
    expect(await ann.ended(body.id, 30_000)).toMatchObject({ status: "failed", error: { code: "internal_error" } });
  });
});
