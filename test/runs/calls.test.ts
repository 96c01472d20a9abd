import { describe, expect, it, onTestFinished } from "vitest";
import { createTracing } from "../../src/base/tracing.ts";
import type { CountingProvider } from "../support/providers/counting-provider.ts";
import { issue } from "../support/runs/github-nodes.ts";
import { setUpRuns } from "../support/runs/set-up-runs.ts";
import { edges, node, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let github: CountingProvider;

setUpRuns(
  (made) => {
    ({ ann, github } = made);
  },
  { environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "8" } },
);

const titles = () => github.requests.map(({ title }) => title);
const call = (id: string, workflowId: string) => node(id, "call_workflow", { workflowId });
const childrenOf = async (
  runId: string,
): Promise<{ id: string; status: string; error: { code: string; message: string } | null }[]> =>
  (await ann.owner.browser.get(`${ann.path}/runs?parentRunId=${runId}`)).body.data;
const statuses = (run: Awaited<ReturnType<WorkflowApp["run"]>>) =>
  Object.fromEntries(run.nodes.map(({ id, status }) => [id, status]));

describe("what follows a called workflow", () => {
  it("begins at once, although the run is busy elsewhere", async () => {
    const below = await ann.save([node("rest", "wait", { milliseconds: 300 })], [], "Below");
    const id = await ann.save(
      [issue("slow", "Slow"), call("call", below), issue("after", "After")],
      edges("call>after"),
    );
    const release = github.hold();
    const { body } = await ann.trigger(id);
    await github.whenRunning(2, 4_000);
    expect(titles()).toEqual(["Slow", "After"]);
    release();
    expect((await ann.ended(body.id)).status).toBe("succeeded");
    expect(titles()).toEqual(["Slow", "After"]);
  });

  it("begins at once, although another called one goes on and the run has just stopped working itself", async () => {
    const [quick, slow] = [
      await ann.save([node("rest", "wait", { milliseconds: 200 })], [], "Quick"),
      await ann.save([node("rest", "wait", { milliseconds: 3_000 })], [], "Slow"),
    ];
    const nodes = [issue("busy", "Busy"), call("quick", quick), call("slow", slow), issue("after", "After")];
    const release = github.hold();
    const { body } = await ann.trigger(await ann.save(nodes, edges("quick>after")));
    await expect
      .poll(async () => (await childrenOf(body.id)).map(({ status }) => status), { timeout: 2_500 })
      .toContain("succeeded");
    release();
    const run = await ann.ended(body.id);
    expect([run.status, titles()]).toEqual(["succeeded", ["Busy", "After"]]);
    const moment = (id: string, field: string) => Date.parse(run.nodes.find((one) => one.id === id)?.[field] as string);
    expect(moment("after", "startedAt")).toBeLessThan(moment("slow", "completedAt") - 1_000);
  });

  it("is told at once that it was cancelled, although the run is busy elsewhere", async () => {
    const below = await ann.save([node("rest", "wait", { milliseconds: 60_000 })], [], "Below");
    const careful = { ...call("call", below), settings: { continueOnError: true } };
    const id = await ann.save([issue("slow", "Slow"), careful, issue("after", "After")], edges("call>after"));
    const release = github.hold();
    const { body } = await ann.trigger(id);
    await expect.poll(() => childrenOf(body.id), { timeout: 5_000 }).toHaveLength(1);
    const [child] = await childrenOf(body.id);
    await ann.owner.browser.post(`${ann.path}/runs/${child?.id}/cancel`);
    await expect.poll(titles, { timeout: 4_000 }).toEqual(["Slow", "After"]);
    release();
    expect((await ann.ended(body.id)).status).toBe("succeeded");
  });
});

describe("a run that fails", () => {
  it("cancels the workflows it called, with those that they called", async () => {
    const deepest = await ann.save([issue("open", "hang"), issue("next", "Never")], edges("open>next"), "Deepest");
    const below = await ann.save([call("call", deepest)], [], "Below");
    const id = await ann.save(
      [call("call", below), node("rest", "wait", { milliseconds: 700 }), node("halt", "stop", { message: "Enough." })],
      edges("rest>halt"),
    );
    const run = await ann.run(id);
    expect(run).toMatchObject({ status: "failed", error: { message: "Enough.", nodeId: "halt" } });
    expect(statuses(run)).toMatchObject({ call: "cancelled" });
    const [child] = await childrenOf(run.id);
    expect(child).toMatchObject({
      status: "cancelled",
      error: { code: "cancelled", message: "The run that called this one failed." },
    });
    const [grandchild] = await childrenOf(child?.id ?? "");
    expect(grandchild).toMatchObject({ status: "cancelled" });
    await expect.poll(() => github.brokenOff, { timeout: 5_000 }).toEqual(["hang"]);
    expect(titles()).toEqual(["hang"]);
  });

  it("with one called workflow cancels the others", async () => {
    const fails = await ann.save([node("halt", "stop", { message: "No." })], [], "Fails");
    const rests = await ann.save([node("rest", "wait", { milliseconds: 60_000 })], [], "Rests");
    const run = await ann.run(await ann.save([call("bad", fails), call("one", rests), call("other", rests)]));
    expect(run).toMatchObject({ status: "failed", error: { code: "workflow_failed", nodeId: "bad" } });
    expect((await childrenOf(run.id)).map(({ status }) => status).sort()).toEqual(["cancelled", "cancelled", "failed"]);
  });
});

describe("a run that another organization names as its caller", () => {
  it("is refused, also beside runs that it did call", async () => {
    const { body: parent } = await ann.trigger(await ann.save([node("rest", "wait", { milliseconds: 60_000 })]));
    const { body: other } = await ann.owner.browser.post("/api/organizations", { name: "Others" });
    const canvas = { nodes: [node("a", "start")], edges: [] };
    const { body: foreign } = await ann.owner.browser.post(`/api/organizations/${other.id}/workflows`, {
      name: "Foreign",
      canvas,
    });
    const own = await ann.save([node("a", "start")]);
    const trace = createTracing().follow();
    const start = (organizationId: string, workflowId: string) =>
      ann.app.runs.startRun({
        organizationId,
        workflowId,
        kind: "workflow",
        trace,
        trigger: { source: "workflow", sender: null, prompt: "", payload: null },
        parent: { runId: parent.id, depth: 0 },
      });
    const both = () => [start(ann.owner.organizationId, own), start(other.id, foreign.id)];
    const started = await Promise.allSettled(Array.from({ length: 6 }, both).flat());
    expect(started.map(({ status }) => status)).toEqual(
      Array.from({ length: 6 }, () => ["fulfilled", "rejected"]).flat(),
    );
    for (const one of started)
      if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "run_finished" });
  });
});

describe("what a called workflow gave", () => {
  const query = <Row extends object>(text: string) => ann.app.database.query<Row>(text);

  it("is read without what its other nodes gave", async () => {
    await query(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.node_id = 'large' THEN NEW.outputs := 'no JSON'; END IF;
      RETURN NEW; END $$`);
    await query("CREATE TRIGGER spoil BEFORE INSERT OR UPDATE ON run_node FOR EACH ROW EXECUTE FUNCTION spoil()");
    onTestFinished(async () => void (await query("DROP FUNCTION spoil CASCADE")));
    const below = await ann.save(
      [
        node("large", "loop", { list: "[1..100]" }),
        node("sum", "transform", { over: "list", expression: '{ "sum": $sum($input.value) }' }),
      ],
      edges("large>sum"),
      "Below",
    );
    const above = await ann.save([call("call", below)]);
    expect((await ann.run(above)).result).toEqual([{ sum: 5050 }]);
  });
});
