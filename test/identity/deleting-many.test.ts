import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let flows: WorkflowApp;

beforeAll(async () => {
  flows = await startWorkflowApp({ environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1" } });
});
afterAll(() => flows?.stop());

async function until(isSo: () => Promise<boolean>, limitMs = 15_000): Promise<void> {
  const untilMs = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > untilMs) throw new Error("it did not happen in time");
    await delay(50);
  }
}

/** Runs in the queue of an organization, as many as nobody would wait for in a request. Those that are claimed first are the last by id. */
async function plantQueued(organizationId: string, workflowId: string, howMany: number): Promise<void> {
  await flows.app.database.query(
    `INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, queued_at)
     SELECT $1, uuidv7(), $2, 1, 'api', 'pending', '{"source":"api","sender":null,"prompt":"","payload":null}', now() FROM generate_series(1, $3::int)`,
    [organizationId, workflowId, howMany],
  );
  await flows.app.database.query(
    `INSERT INTO run_queue.job (id, name, group_id, heartbeat_seconds, retry_limit) SELECT id, 'run', $1, 10, 20 FROM run WHERE workflow_id = $2 ORDER BY id DESC`,
    [organizationId, workflowId],
  );
}

describe("deleting what has very many runs in the queue", () => {
  const countBy = async (workflowId: string) => {
    const text = "SELECT status, count(*)::int AS count FROM run WHERE workflow_id = $1 GROUP BY status";
    const rows = await flows.app.database.query<{ status: string; count: number }>(text, [workflowId]);
    return Object.fromEntries(rows.map(({ status, count: howMany }) => [status, howMany]));
  };

  it.each(["workflow", "organization"])(
    "answers at once for a %s, ends all of them and begins none",
    { timeout: 60_000 },
    async (what) => {
      const { app } = flows;
      const { browser, organizationId } = await signUpOwner(app, `Many ${what}`.replace(" ", ""));
      const path = `/api/organizations/${organizationId}`;
      const slow = { name: "Slow", canvas: { nodes: [node("wait", "system_wait", { seconds: 60 })], edges: [] } };
      const busy = await browser.post(`${path}/workflows`, slow);
      await browser.post(`${path}/workflows/${busy.body.id}/runs`, {});
      const { body } = await browser.post(`${path}/workflows`, { ...slow, name: "Many" });
      await until(async () => (await countBy(busy.body.id)).running === 1);
      await plantQueued(organizationId, body.id, 20_000);
      // Claimed before it is deleted, and waiting for the slot that the busy one has.
      const claimed = "SELECT FROM run_queue.job WHERE group_id = $1 AND state = 'active'";
      await until(async () => (await app.database.query(claimed, [organizationId])).length > 1);
      const startedAt = performance.now();
      expect((await browser.delete(what === "workflow" ? `${path}/workflows/${body.id}` : path)).status).toBe(204);
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      await until(async () => (await countBy(body.id)).pending === undefined, 40_000);
      if (what === "workflow")
        expect([await countBy(body.id), await countBy(busy.body.id)]).toEqual([{ cancelled: 20_000 }, { running: 1 }]);
      expect(
        await app.database.query("SELECT FROM run_node WHERE run_id IN (SELECT id FROM run WHERE workflow_id = $1)", [
          body.id,
        ]),
      ).toEqual([]);
      if (what === "workflow") await browser.delete(path);
    },
  );

  it("ends a run whose turn comes before it could be ended", async () => {
    const id = await flows.save([node("wait", "system_wait", { seconds: 2 })]);
    await flows.app.database.query("UPDATE workflow SET deleted_at = now() WHERE id = $1", [id]);
    await plantQueued(flows.owner.organizationId, id, 1);
    const [run] = await flows.app.database.query<{ id: string }>("SELECT id FROM run WHERE workflow_id = $1", [id]);
    const last = await flows.ended(run?.id ?? "");
    expect(last).toMatchObject({
      status: "cancelled",
      error: { code: "cancelled", message: "The workflow was deleted." },
    });
    expect(last.nodes.every(({ startedAt }) => startedAt === null)).toBe(true);
  });
});
