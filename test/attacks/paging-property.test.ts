import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "../../src/base/ids.ts";
import { roundsLimitMs, roundsOf } from "../support/rounds.ts";
import { plantWorkflow } from "../support/runs/plant-workflow.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let workflow: WorkflowApp;
let workflowId: string;
beforeAll(async () => {
  workflow = await startWorkflowApp();
  workflowId = await workflow.save([node("a", "start")]);
});
afterAll(() => workflow.stop());

/** Rows as the product writes them, without the work of making them. */
const plants = {
  "tool-calls": async (organizationId: string, id: string) =>
    await workflow.app.database.query(
      `INSERT INTO tool_call (id, organization_id, source, server_id, tool, status, parameters, credentials, queued_at, queue_ms, truncated, sanitized, owner)
       VALUES ($1, $2, 'mcp', 'system', 'system_date_time', 'success', '{}', '{}', now(), 0, false, false, $1)`,
      [id, organizationId],
    ),
  runs: async (organizationId: string, id: string) =>
    await workflow.app.database.query(
      `INSERT INTO run (id, organization_id, workflow_id, workflow_version, kind, status, trigger_data, queued_at, completed_at)
       VALUES ($1, $2, $3, 1, 'manual', 'succeeded', '{"source":"manual","sender":null,"prompt":"","payload":null}', now(), now())`,
      [id, organizationId, workflowId],
    ),
  triggers: async (organizationId: string, id: string) =>
    await workflow.app.database.query(
      `INSERT INTO trigger (id, organization_id, workflow_id, kind, name, is_active, overrides, cron, time_zone)
       VALUES ($1, $2, $3, 'schedule', 'paged', false, '[]', '* * * * *', 'UTC')`,
      [id, organizationId, await plantWorkflow(workflow.app.database, organizationId)],
    ),
};

type Page = { data: { id: string }[]; nextCursor: string | null };

it.each(Object.keys(plants) as (keyof typeof plants)[])(
  "%s are listed once each and without gaps, whatever the size of a page and whatever is added meanwhile",
  async (list) => {
    const property = fc.asyncProperty(
      fc.nat({ max: 12 }),
      fc.array(fc.record({ limit: fc.integer({ min: 1, max: 7 }), added: fc.nat({ max: 3 }) }), {
        minLength: 1,
        maxLength: 30,
      }),
      async (present, steps) => {
        const organizationId = randomUUID();
        await workflow.app.database.query("INSERT INTO organization (id, name) VALUES ($1, 'paged')", [organizationId]);
        await workflow.app.database.query(
          "INSERT INTO member (id, organization_id, user_id, role) VALUES ($1, $2, $3, 'owner')",
          [...[randomUUID(), organizationId, workflow.owner.userId]],
        );
        const add = async () => {
          const id = newId();
          await plants[list](organizationId, id);
          return id;
        };
        const first: string[] = [];
        for (let index = 0; index < present; index++) first.unshift(await add());
        const seen: string[] = [];
        let cursor: string | null = "";
        for (let step = 0; cursor !== null; step++) {
          const { limit, added } = steps[step % steps.length] as (typeof steps)[number];
          const query: string = `?limit=${limit}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
          const page = (await workflow.owner.browser.get(`/api/organizations/${organizationId}/${list}${query}`))
            .body as Page;
          expect(page.data.length).toBeLessThanOrEqual(limit);
          seen.push(...page.data.map(({ id }) => id));
          cursor = page.nextCursor;
          // What is added after the first page is newer than all of it, so it belongs before the list.
          for (let index = 0; index < added; index++) await add();
        }
        expect(seen).toEqual(first);
      },
    );
    await fc.assert(property, { numRuns: roundsOf(12, 300) });
  },
  roundsLimitMs,
);
