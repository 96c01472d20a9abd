import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLog } from "../../src/base/log.ts";
import { createTracing } from "../../src/base/tracing.ts";
import type { StartRun } from "../../src/runs/accept/start-run.ts";
import { createErrorWorkflows } from "../../src/runs/errors/start-error-workflows.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;

beforeAll(async () => {
  ann = await startWorkflowApp();
});
afterAll(() => ann?.stop());

type Entry = { id: string; workflowId: string; executionType: string; status: string };

const failing = node("stop", "stop", { message: "Out of paper" }, { name: "Give up" });
const report = node("report", "set_fields", { fields: { text: "{{ $trigger.payload.error.message }}" } });
const at = (id: string) => `${ann.path}/workflows/${id}`;
const change = (id: string, body: object) => ann.owner.browser.patch(at(id), body);
const setDefault = (errorWorkflowId: string | null) =>
  ann.owner.browser.send("PUT", `${ann.path}/workflow-defaults`, { errorWorkflowId });
const runsOf = async (workflowId: string) =>
  (await ann.owner.browser.get(`${ann.path}/runs?workflowId=${workflowId}`)).body.data as Entry[];
const fail = async (id: string) => {
  const run = await ann.run(id);
  expect(run.status).toBe("failed");
  return run;
};
/** Nothing is left to be started, and what was started has ended. */
async function settled(): Promise<void> {
  const left = async () => (await ann.app.database.query("SELECT run_id FROM failed_run")).length;
  await expect.poll(left, { timeout: 10_000 }).toBe(0);
  const open = async () =>
    (await ann.app.database.query("SELECT id FROM run WHERE status IN ('pending', 'running', 'waiting')")).length;
  await expect.poll(open, { timeout: 10_000 }).toBe(0);
}

describe("the error workflow of a workflow", () => {
  it("is started once when a run fails, and told of what, where, why and when", async () => {
    const id = await ann.save([failing], [], "Print");
    const errorId = await ann.save([report], [], "Tell");
    expect((await change(id, { errorWorkflow: errorId.toUpperCase() })).body.errorWorkflow).toBe(errorId);
    const failed = await fail(id);
    await settled();
    const [told, ...others] = await runsOf(errorId);
    expect([told, others]).toEqual([expect.objectContaining({ executionType: "error", status: "succeeded" }), []]);
    const { body } = await ann.owner.browser.get(`${ann.path}/runs/${told?.id}`);
    expect(body.trigger).toEqual({
      source: "error",
      sender: null,
      prompt: "Print failed: Out of paper",
      payload: {
        workflow: { id, name: "Print", version: 1 },
        run: {
          id: failed.id,
          executionType: "api",
          createdAt: expect.stringMatching(/Z$/),
          startedAt: expect.stringMatching(/Z$/),
        },
        node: { id: "stop", name: "Give up", type: "stop" },
        error: { code: "stopped_by_workflow", message: "Out of paper" },
        failedAt: expect.stringMatching(/Z$/),
        link: `${ann.app.platformUrl}/o/${ann.owner.organizationId}/runs/${failed.id}`,
      },
    });
    expect(body.result).toMatchObject([{ text: "Out of paper" }]);
  });

  it("is not started for runs that succeed or are cancelled, nor for what is tried in the editor", async () => {
    const errorId = await ann.save([report], [], "Quiet");
    const well = await ann.save([node("well", "set_fields", { fields: { text: "well" } })], [], "Well");
    await change(well, { errorWorkflow: errorId });
    expect((await ann.run(well)).status).toBe("succeeded");
    const waits = await ann.save([node("wait", "wait", { milliseconds: 600_000 })], [], "Waits");
    await change(waits, { errorWorkflow: errorId });
    const { body: waiting } = await ann.trigger(waits, {});
    await ann.owner.browser.post(`${ann.path}/runs/${waiting.id}/cancel`);
    const id = await ann.save([failing], [], "Tried");
    await change(id, { errorWorkflow: errorId });
    for (const body of [{ mode: "all" }, { mode: "node", nodeId: "stop" }]) {
      const started = await ann.owner.browser.post(`${at(id)}/draft/runs`, body);
      expect((await ann.ended(started.body.id)).status).toBe("failed");
    }
    await settled();
    expect(await runsOf(errorId)).toEqual([]);
  });

  it("is never started for its own failures, not even in a circle or through what it calls", async () => {
    const one = await ann.save([failing], [], "One");
    const calls = [node("call", "call_workflow", { workflowId: one })];
    const two = await ann.save(calls, [], "Two");
    await change(one, { errorWorkflow: two });
    await change(two, { errorWorkflow: one });
    await setDefault(two);
    await fail(one);
    await settled();
    expect((await runsOf(two)).map(({ executionType }) => executionType)).toEqual(["error"]);
    // The one that failed, and the one that its error workflow called.
    expect((await runsOf(one)).map(({ executionType }) => executionType)).toEqual(["workflow", "api"]);
    await setDefault(null);
  });

  it("is the organization's unless the workflow says otherwise", async () => {
    const errorId = await ann.save([report], [], "Of all");
    const [usual, silent] = [await ann.save([failing], [], "Usual"), await ann.save([failing], [], "Silent")];
    expect((await setDefault(errorId)).body).toEqual({ errorWorkflowId: errorId });
    await change(silent, { errorWorkflow: "none" });
    await fail(silent);
    await fail(usual);
    await settled();
    const told = await runsOf(errorId);
    expect(told).toHaveLength(1);
    const { body } = await ann.owner.browser.get(`${ann.path}/runs/${told[0]?.id}`);
    expect(body.trigger.payload.workflow.name).toBe("Usual");
    expect((await ann.owner.browser.delete(at(errorId))).status).toBe(204);
    expect((await ann.owner.browser.get(`${ann.path}/workflow-defaults`)).body).toEqual({ errorWorkflowId: null });
  });

  it("is told of a called workflow through the one that called it, once", async () => {
    const errorId = await ann.save([report], [], "Once");
    const inner = await ann.save([failing], [], "Inner");
    const outer = await ann.save([node("call", "call_workflow", { workflowId: inner })], edges(), "Outer");
    await change(inner, { errorWorkflow: errorId });
    await change(outer, { errorWorkflow: errorId });
    await fail(outer);
    await settled();
    expect(await runsOf(errorId)).toHaveLength(1);
  });

  it("that is turned off is left alone, and nothing waits for it", async () => {
    const id = await ann.save([failing], [], "Alone");
    const errorId = await ann.save([report], [], "Off");
    await change(errorId, { isActive: false });
    await change(id, { errorWorkflow: errorId });
    await fail(id);
    await settled();
    expect(await runsOf(errorId)).toEqual([]);
  });
});

describe("whoever starts error workflows", () => {
  type Started = (start: StartRun) => StartRun;
  const looker = (around: Started = (start) => start) =>
    createErrorWorkflows({
      db: ann.app.parts.ground.db,
      startRun: around(ann.app.runs.startRun),
      workflows: ann.app.parts.workflows,
      log: createLog("silent"),
      tracing: createTracing(),
      platformBaseUrl: ann.app.platformUrl,
      lookEveryMs: 1,
    });
  const plantFailure = async (name: string) => {
    const id = await ann.save([failing], [], name);
    const errorId = await ann.save([report], [], `${name}, told`);
    await change(id, { errorWorkflow: errorId });
    return { id, errorId };
  };

  it("does so once for each run, however many there are at the same time", async () => {
    const { id, errorId } = await plantFailure("Crowded");
    const tried: string[] = [];
    const counting: Started = (start) => (request) => {
      tried.push(JSON.stringify(request.trigger));
      return start(request);
    };
    const lookers = Array.from({ length: 6 }, () => looker(counting));
    for (const one of lookers) one.start();
    const failed = await Promise.all(Array.from({ length: 12 }, () => fail(id)));
    await settled();
    for (const one of lookers) await one.stop();
    const told = await Promise.all(
      (await runsOf(errorId)).map(async (run) => (await ann.owner.browser.get(`${ann.path}/runs/${run.id}`)).body),
    );
    expect(told.map(({ trigger }) => trigger.payload.run.id).sort()).toEqual(failed.map((run) => run.id).sort());
    // Whoever tries in vain undoes the starts of others that are accepted together with it.
    expect(tried).toHaveLength(new Set(tried).size);
  });

  it("stops at 20 in a minute for one workflow, and nothing waits for the others", async () => {
    const { id, errorId } = await plantFailure("Endless");
    await Promise.all(Array.from({ length: 24 }, () => fail(id)));
    await settled();
    expect(await runsOf(errorId)).toHaveLength(20);
  });

  it("dies before or after the start, and there is one run all the same", async () => {
    const id = await ann.save([failing], [], "Deadly");
    await change(id, { errorWorkflow: "none" });
    const errorId = await ann.save([report], [], "Deadly, told");
    const deaths: string[] = [];
    const dying = looker((start) => async (request) => {
      const isAfter = deaths.length % 2 === 1;
      deaths.push(isAfter ? "after" : "before");
      if (isAfter) await start(request);
      throw new Error("the process is gone");
    });
    dying.start();
    const failed: string[] = [];
    // The application looks for them too, so that not each of them meets the one that dies.
    while (deaths.length < 2) {
      failed.push((await fail(id)).id);
      const plant = "INSERT INTO failed_run (organization_id, run_id, error_workflow_id) VALUES ($1, $2, $3)";
      await ann.app.database.query(plant, [ann.owner.organizationId, failed.at(-1), errorId]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await dying.stop();
    await ann.app.database.query("UPDATE failed_run SET due_at = now()");
    await settled();
    expect(new Set(deaths)).toEqual(new Set(["before", "after"]));
    const told = await Promise.all(
      (await runsOf(errorId)).map(async (run) => (await ann.owner.browser.get(`${ann.path}/runs/${run.id}`)).body),
    );
    expect(told.map(({ trigger }) => trigger.payload.run.id).sort()).toEqual(failed.sort());
  });
});

describe("naming an error workflow", () => {
  it("refuses itself, one that there is not, and one of another organization", async () => {
    const id = await ann.save([failing], [], "Named");
    const eve = await signUpOwner(ann.app, "Eve");
    const { body: foreign } = await eve.browser.post(`/api/organizations/${eve.organizationId}/workflows`, {
      name: "Foreign",
      canvas: { nodes: [report], edges: [] },
    });
    const gone = await ann.save([report], [], "Gone");
    await ann.owner.browser.delete(at(gone));
    for (const errorWorkflow of [id, id.toUpperCase(), foreign.id, gone])
      expectProblem(await change(id, { errorWorkflow }), { status: 400, code: "validation_failed" });
    for (const errorWorkflowId of [foreign.id, gone])
      expectProblem(await setDefault(errorWorkflowId), { status: 400, code: "validation_failed" });
    expect((await ann.owner.browser.get(at(id))).body.errorWorkflow).toBe("default");
  });

  it("for all is for admins; everybody may read it", async () => {
    const member = await signUpMember(ann.app, ann.owner.organizationId, "member", "member");
    const put = await member.browser.send("PUT", `${ann.path}/workflow-defaults`, { errorWorkflowId: null });
    expectProblem(put, { status: 403, code: "role_required" });
    expect((await member.browser.get(`${ann.path}/workflow-defaults`)).status).toBe(200);
  });

  it("goes into the file by its name, and comes back where exactly one workflow has it", async () => {
    const errorId = await ann.save([report], [], "Only one of this name");
    const id = await ann.save([failing], [], "Carried");
    await change(id, { errorWorkflow: errorId });
    const { body: file } = await ann.owner.browser.get(`${at(id)}/file`);
    expect(file.errorWorkflow).toEqual({ name: "Only one of this name" });
    const again = await ann.owner.browser.post(`${ann.path}/workflows/import`, file);
    expect([again.body.errorWorkflow, again.body.warnings]).toEqual([errorId, []]);
    await ann.save([report], [], "Only one of this name");
    const unsure = await ann.owner.browser.post(`${ann.path}/workflows/import`, file);
    expect([unsure.body.errorWorkflow, unsure.body.warnings]).toEqual([
      "default",
      [
        {
          pointer: "/errorWorkflow",
          detail: "is left to the organization's error workflow: more than one workflow has this name",
        },
      ],
    ]);
  });
});
