import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let flows: WorkflowApp;

beforeAll(async () => {
  flows = await startWorkflowApp({ environment: { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1" } });
});
afterAll(() => flows?.stop());

const count = async (table: string, organizationId: string) => {
  const [row] = await flows.app.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE ${table === "organization" ? "id" : "organization_id"} = $1`,
    [organizationId],
  );
  return row?.count;
};

const statusesOf = async (workflowId: string) => {
  const rows = await flows.app.database.query<{ status: string }>(
    "SELECT status FROM run WHERE workflow_id = $1 ORDER BY id",
    [workflowId],
  );
  return rows.map(({ status }) => status);
};

async function until(isSo: () => Promise<boolean>, limitMs = 15_000): Promise<void> {
  const untilMs = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > untilMs) throw new Error("it did not happen in time");
    await delay(50);
  }
}

describe("deleting a workflow", () => {
  it("cancels what is queued at once, and what has begun does no further step", async () => {
    const id = await flows.save(
      [node("wait", "system_wait", { seconds: 2 }), node("after", "set_fields", { fields: { a: 1 } })],
      edges("wait>after"),
    );
    const other = await flows.save([node("a", "set_fields", { fields: { a: 1 } })]);
    const runs = await Promise.all(Array.from({ length: 4 }, () => flows.trigger(id)));
    expect(runs.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    const foreign = await flows.trigger(other);
    expect((await flows.owner.browser.delete(`${flows.path}/workflows/${id}`)).status).toBe(204);
    expect(await statusesOf(id)).toEqual(["cancelled", "cancelled", "cancelled", "cancelled"]);
    expect((await flows.ended(foreign.body.id)).status).toBe("succeeded");
    await delay(2_500);
    const nodes = await flows.app.database.query(
      "SELECT FROM run_node WHERE node_id = 'after' AND run_id = ANY ($1::uuid[])",
      [runs.map(({ body }) => body.id)],
    );
    expect(nodes).toEqual([]);
  });

  it("wakes the run of another workflow that waits for one of it", async () => {
    const called = await flows.save([node("wait", "system_wait", { seconds: 30 })], [], "Called");
    const caller = await flows.save([node("call", "call_workflow", { workflowId: called })], [], "Caller");
    const { body } = await flows.trigger(caller);
    await until(async () => (await statusesOf(called)).length === 1);
    expect((await flows.owner.browser.delete(`${flows.path}/workflows/${called}`)).status).toBe(204);
    expect((await flows.ended(body.id)).status).toBe("failed");
    expect(await statusesOf(called)).toEqual(["cancelled"]);
  });
});

describe("deleting an organization", () => {
  it("is done at once however much is in it: nothing can be reached, and the rows go afterwards", async () => {
    const { app, createKey } = flows;
    const bob = await signUpOwner(app, "Bob");
    const { organizationId, browser } = bob;
    const path = `/api/organizations/${organizationId}`;
    const key = await createKey(organizationId);
    const { body: workflow } = await browser.post(`${path}/workflows`, {
      name: "Slow",
      canvas: { nodes: [node("wait", "system_wait", { seconds: 60 })], edges: [] },
    });
    const trigger = async () =>
      await fetch(`${app.platformUrl}/task-runner/trigger/${workflow.id}`, {
        method: "POST",
        headers: { "x-api-key": key },
      });
    for (let index = 0; index < 3; index++) expect((await trigger()).status).toBe(202);
    await app.database.query(
      `INSERT INTO workflow_version (organization_id, workflow_id, version, canvas, canvas_sha256, note)
       SELECT $1, $2, number, '{}', '', '' FROM generate_series(2, 20000) AS number`,
      [organizationId, workflow.id],
    );
    const startedAt = performance.now();
    expect((await browser.delete(path)).status).toBe(204);
    const elapsedMs = performance.now() - startedAt;
    expect(elapsedMs).toBeLessThan(2_000);
    expect(await statusesOf(workflow.id)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect((await trigger()).status).toBe(401);
    expect((await browser.get(path)).status).toBe(404);
    expect((await browser.get(`${path}/workflows`)).status).toBe(404);
    expect((await browser.get("/api/me")).body.organizations).toEqual([]);
    expect(await app.parts.identity.organizations.exists(organizationId)).toBe(false);
    expect((await app.parts.identity.organizations.listAll()).map(({ id }) => id)).not.toContain(organizationId);
    await until(async () => (await count("organization", organizationId)) === 0);
    for (const table of ["workflow", "workflow_version", "credential", "api_key", "member", "event_endpoint"])
      expect([table, await count(table, organizationId)]).toEqual([table, 0]);
  });

  it("goes on after a process died in the middle of it", async () => {
    const { app } = flows;
    const cem = await signUpOwner(app, "Cem");
    await cem.browser.post(`/api/organizations/${cem.organizationId}/workflows`, {
      name: "Left",
      canvas: { nodes: [], edges: [] },
    });
    await app.database.query("UPDATE organization SET deleted_at = now() WHERE id = $1", [cem.organizationId]);
    expect((await cem.browser.get(`/api/organizations/${cem.organizationId}/workflows`)).status).toBe(404);
    await app.removeDeleted();
    expect([await count("organization", cem.organizationId), await count("workflow", cem.organizationId)]).toEqual([
      0, 0,
    ]);
  });

  it("does not wait for another that cannot be removed", async () => {
    const { database, removeDeleted } = flows.app;
    const [dan, eva] = [await signUpOwner(flows.app, "Dan"), await signUpOwner(flows.app, "Eva")];
    await database.query(
      `CREATE FUNCTION keep_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF OLD.id = '${dan.organizationId}' THEN RAISE EXCEPTION 'kept'; END IF;
         RETURN OLD;
       END $$`,
    );
    await database.query(
      "CREATE TRIGGER keep_it BEFORE DELETE ON organization FOR EACH ROW EXECUTE FUNCTION keep_it()",
    );
    for (const { organizationId } of [dan, eva])
      await database.query("UPDATE organization SET deleted_at = clock_timestamp() WHERE id = $1", [organizationId]);
    await removeDeleted();
    expect([await count("organization", dan.organizationId), await count("organization", eva.organizationId)]).toEqual([
      1, 0,
    ]);
    await database.query("DROP FUNCTION keep_it CASCADE");
    await removeDeleted();
    expect(await count("organization", dan.organizationId)).toBe(0);
  });
});
