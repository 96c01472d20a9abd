import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { lookFirst } from "../../src/base/effect.ts";
import { onPool, writeCheckpoints } from "../../src/runs/walk/checkpoint-store.ts";
import type { GraphNode } from "../../src/runs/walk/graph.ts";
import { describeRunning } from "../../src/runs/walk/node-rows.ts";
import type { CountingProvider } from "../support/providers/counting-provider.ts";
import { startFakeProvider } from "../support/providers/fake-provider.ts";
import { connectGithub, issue, useGithub, useHttp } from "../support/runs/github-nodes.ts";
import { setUpRuns } from "../support/runs/set-up-runs.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const environment = { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" };
let ann: WorkflowApp;
let github: CountingProvider;

setUpRuns((made) => ({ ann, github } = made));
beforeAll(() => useHttp(ann));

type Others = NonNullable<Parameters<typeof node>[3]>;
const titles = () => github.requests.map(({ title }) => title);
const send = (id: string, method: string, others: Others = {}) =>
  node(id, "http_request", { method, url: github.url, body: { title: id } }, others);

/** A provider that recognises a repetition by the key of the call, and a node that asks it for something. */
async function useStripe({ app, owner }: WorkflowApp) {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.stop());
  const data = { kind: "bearer", secretKey: "sk_test_key-of-the-test", baseUrl: provider.url };
  const { reference } = await app.parts.vault.credentials.create(owner.organizationId, {
    type: "stripe",
    name: "Stripe",
    data,
    createdBy: null,
  });
  const refund = node(
    "refund",
    "stripe_create_refund",
    { paymentIntentId: "pi_1" },
    { credentials: { stripe: reference } },
  );
  return { provider, refund };
}

/** A run that another process takes over while its requests are under way. */
async function interrupt(
  workflowId: string,
  requests = 1,
  whenReady: (runId: string) => Promise<unknown> = async () => {},
) {
  const release = github.hold();
  onTestFinished(release);
  const { body } = await ann.trigger(workflowId);
  await github.whenRunning(requests, 5_000);
  await whenReady(body.id);
  const before = (await ann.readRun(body.id)).body;
  await ann.app.database.query("UPDATE run_queue.job SET state = 'retry', start_after = now() WHERE id = $1", [
    body.id,
  ]);
  await expect.poll(async () => (await epochOf(body.id)) > 1, { timeout: 5_000 }).toBe(true);
  release();
  return { before, run: await ann.ended(body.id) };
}

async function epochOf(runId: string): Promise<number> {
  const [row] = await ann.app.database.query<{ epoch: number }>("SELECT epoch FROM run WHERE id = $1", [runId]);
  return row?.epoch ?? 0;
}

describe("a node that was under way when its process fell silent", () => {
  it("is stored as started before it reaches out, and is not done twice", async () => {
    const { before, run } = await interrupt(
      await ann.save([issue("open", "Once"), issue("next", "Next")], edges("open>next")),
    );
    expect(before).toMatchObject({
      status: "running",
      nodes: [{ status: "running", attempts: 1 }, { status: "pending" }],
    });
    expect(run).toMatchObject({
      status: "failed",
      error: { code: "interrupted", nodeId: "open" },
      startedAt: before.startedAt,
    });
    expect(run.error?.message.endsWith(`. ${lookFirst}`)).toBe(true);
    expect(run.nodes).toMatchObject([
      { status: "failed", attempts: 1, startedAt: before.nodes[0]?.startedAt, error: { code: "interrupted" } },
      { status: "skipped" },
    ]);
    expect(titles()).toEqual(["Once"]);
    const again = await ann.owner.browser.post(`${ann.path}/runs/${run.id}/rerun`, { from: "failure" });
    expect((await ann.ended(again.body.id)).status).toBe("succeeded");
    expect(titles()).toEqual(["Once", "Once", "Next"]);
  });

  it("is told of each of them, when there were several", async () => {
    const { run } = await interrupt(await ann.save([issue("a", "A"), issue("b", "B")]), 2);
    expect(run).toMatchObject({ status: "failed", error: { code: "interrupted" } });
    expect(run.nodes.map(({ error }) => (error as { code: string }).code)).toEqual(["interrupted", "interrupted"]);
    expect(titles().sort()).toEqual(["A", "B"]);
  });

  it("lets the run go on where its author said so", async () => {
    const after = node("after", "set_fields", { fields: { code: "$input.error.code" }, keepOthers: false });
    const { run } = await interrupt(
      await ann.save([issue("open", "Once", { settings: { continueOnError: true } }), after], edges("open>after")),
    );
    expect(run).toMatchObject({
      status: "succeeded",
      result: [{ code: "interrupted" }],
      nodes: [{ status: "failed" }, {}],
    });
    expect(titles()).toEqual(["Once"]);
  });

  it("is repeated where its author allowed it, as a second attempt that began when the first did", async () => {
    const { before, run } = await interrupt(
      await ann.save([issue("open", "Again", { settings: { repeatAfterInterruption: true } })]),
    );
    const startedAt = before.nodes[0]?.startedAt;
    expect(run).toMatchObject({ status: "succeeded", nodes: [{ status: "succeeded", attempts: 2, startedAt }] });
    expect(titles()).toEqual(["Again", "Again"]);
  });

  it.each(["GET", "PUT", "DELETE", "POST"])(
    "is repeated or not as the method of its request says: %s",
    async (method) => {
      const request =
        method === "GET"
          ? node("GET", "http_request", { url: github.url, query: { title: "GET" } })
          : send(method, method);
      const { before, run } = await interrupt(await ann.save([request]));
      const isRepeated = method !== "POST";
      expect(run.status).toBe(isRepeated ? "succeeded" : "failed");
      expect(run.nodes[0]).toMatchObject({ attempts: isRepeated ? 2 : 1, startedAt: before.nodes[0]?.startedAt });
      expect(titles()).toEqual(isRepeated ? [method, method] : [method]);
    },
  );

  it("is not begun anew after another node has stopped the run, whatever that one's settings say", async () => {
    const halt = node("halt", "stop", { message: "Enough." }, { settings: { continueOnError: true } });
    const id = await ann.save([send("slow", "PUT"), send("after", "PUT"), halt], edges("slow>after"));
    const text = "SELECT status FROM run_node WHERE run_id = $1 AND node_id = 'halt'";
    const { run } = await interrupt(id, 1, (runId) =>
      expect.poll(() => ann.app.database.query(text, [runId]), { timeout: 5_000 }).toEqual([{ status: "failed" }]),
    );
    expect(run).toMatchObject({ status: "failed", error: { code: "stopped_by_workflow", nodeId: "halt" } });
    expect(titles()).toEqual(["slow"]);
  });

  it("is judged by the method that its parameters had, not by how they are written", async () => {
    const request = node("send", "http_request", {
      method: "$trigger.prompt",
      url: github.url,
      body: { title: "Once" },
    });
    const id = await ann.save([request]);
    const release = github.hold();
    const { body } = await ann.trigger(id, { runtimePrompt: "POST" });
    await github.whenRunning(1, 5_000);
    const read = () =>
      ann.app.database.query("SELECT status, must_not_repeat FROM run_node WHERE run_id = $1", [body.id]);
    expect(await read()).toEqual([{ status: "running", must_not_repeat: true }]);
    // What only shows that it runs may be written late.
    const fence = { organizationId: ann.owner.organizationId, runId: body.id, epoch: await epochOf(body.id) };
    const shown = { fence, node: { id: request.id, type: request.nodeId } as GraphNode, startedAt: new Date() };
    await writeCheckpoints(
      onPool(ann.app.parts.ground.db),
      [describeRunning(shown, { attempts: 1, mustNotRepeat: false })],
      [],
    );
    expect(await read()).toEqual([{ status: "running", must_not_repeat: true }]);
    release();
    expect((await ann.ended(body.id)).status).toBe("succeeded");
  });

  it("is not stored as an earlier owner of the run knew it, although its present one stores something in the same breath", async () => {
    const id = await ann.save([send("send", "POST")]);
    const release = github.hold();
    const { body } = await ann.trigger(id, {});
    await github.whenRunning(1, 5_000);
    const fence = { organizationId: ann.owner.organizationId, runId: body.id, epoch: await epochOf(body.id) };
    const rowOf = (nodeId: string, epoch: number) =>
      describeRunning(
        { fence: { ...fence, epoch }, node: { id: nodeId, type: "stop" } as GraphNode, startedAt: new Date() },
        begun,
      );
    const begun = { attempts: 1, mustNotRepeat: false };
    const rows = [rowOf("late", fence.epoch - 1), rowOf("present", fence.epoch)];
    expect(await writeCheckpoints(onPool(ann.app.parts.ground.db), rows, [])).toEqual([fence]);
    const stored = await ann.app.database.query("SELECT node_id FROM run_node WHERE run_id = $1 ORDER BY 1", [body.id]);
    expect(stored).toEqual([{ node_id: "present" }, { node_id: "send" }]);
    release();
  });
});

describe("retries of a node that changes something", () => {
  const settings = { retries: 2, retryDelay: 10 };

  it("are for what was refused, not for what may have been done", async () => {
    const dropped = await ann.run(await ann.save([issue("open", "drop", { settings })]));
    expect(dropped).toMatchObject({
      status: "failed",
      error: { code: "provider_unreachable" },
      nodes: [{ attempts: 1 }],
    });
    expect(dropped.error?.message).toContain(lookFirst);
    const refused = await ann.run(await ann.save([issue("open", "fail", { settings })]));
    expect(refused).toMatchObject({ status: "failed", nodes: [{ attempts: 3 }] });
    expect(refused.error?.message).not.toContain(lookFirst);
    expect(titles()).toEqual(["drop", "fail", "fail", "fail"]);
  });

  it("are not for an answer that does not show what was made", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.stop());
    const { reference } = await connectGithub(ann, provider.url, "token-of-the-empty-answer");
    provider.script([{ status: 201 }]);
    const run = await ann.run(
      await ann.save([issue("open", "Once", { settings, credentials: { github: reference } })]),
    );
    expect(run).toMatchObject({ status: "failed", error: { code: "provider_error" }, nodes: [{ attempts: 1 }] });
    expect(provider.requests()).toHaveLength(1);
  });

  it("are for what is sent with the same key again, which the next run would not have", async () => {
    const { provider, refund } = await useStripe(ann);
    provider.script(Array(3).fill({ body: "<html>" }));
    const run = await ann.run(await ann.save([{ ...refund, settings }]));
    expect(run).toMatchObject({ status: "failed", nodes: [{ attempts: 3 }] });
    expect(run.error?.message).toContain(lookFirst);
    const key = `${run.id}:refund:0`;
    expect(provider.requests().map(({ headers }) => headers["idempotency-key"])).toEqual([key, key, key]);
  });

  it("are for both where its author allowed it", async () => {
    github.plan("Fickle", ["drop", "drop"]);
    const run = await ann.run(
      await ann.save([issue("open", "Fickle", { settings: { ...settings, repeatAfterInterruption: true } })]),
    );
    expect(run).toMatchObject({ status: "succeeded", nodes: [{ attempts: 3 }] });
  });

  it("are not made after the time limit, which says that it may have been done", async () => {
    const late = await ann.run(await ann.save([issue("open", "hang", { settings: { ...settings, timeout: 200 } })]));
    expect(late).toMatchObject({ status: "failed", error: { code: "tool_timeout" }, nodes: [{ attempts: 1 }] });
    expect(late.error?.message).toContain(lookFirst);
    const hurried = await startWorkflowApp({ environment: { ...environment, TASK_RUNNER_MAX_EXECUTION_TIME: "1s" } });
    onTestFinished(() => hurried.stop());
    await useGithub(hurried, github.url);
    const { provider, refund } = await useStripe(hurried);
    provider.script([{ hang: true }]);
    // A key that the provider would know again is of no use to the next run, which has another one.
    for (const cutOff of [issue("open", "hang"), refund]) {
      const run = await hurried.run(await hurried.save([cutOff]));
      expect(run).toMatchObject({ status: "failed", error: { code: "run_timeout" } });
      expect(run.error?.message).toContain(lookFirst);
    }
  });
});
