import { afterAll, beforeAll, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { deliver, startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

let hooks: WebhookApp;

beforeAll(async () => {
  hooks = await startWebhookApp();
});
afterAll(() => hooks?.stop());

const starts = (since: string, workflowId = hooks.workflowId) =>
  hooks.owner.browser.get(`${hooks.flows.path}/workflows/${workflowId}/starts?since=${since}`);

it("counts what started a workflow since a moment: a trigger, a key, a person", async () => {
  const asked = { workflowId: hooks.workflowId, kind: "webhook", name: "Hook", signature: "none" };
  const { body: hook } = await hooks.owner.browser.post(hooks.path, asked);
  const others = await hooks.flows.save([{ id: "a", nodeId: "set_fields", parameters: { fields: { x: "1" } } }]);
  const since = new Date(Date.now() - 60_000).toISOString();
  await deliver(hook.webhookUrl, "{}");
  await deliver(hook.webhookUrl, "{}");
  await hooks.flows.run(hooks.workflowId);
  await hooks.flows.run(others);
  await hooks.owner.browser.post(`${hooks.flows.path}/workflows/${hooks.workflowId}/runs`, {});
  const { body } = await starts(since);
  expect(body.isMore).toBe(false);
  expect(body.data).toHaveLength(3);
  expect(body.data).toEqual(
    expect.arrayContaining([
      { executionType: "webhook", triggerId: hook.id, count: 2 },
      { executionType: "api", triggerId: null, count: 1 },
      { executionType: "manual", triggerId: null, count: 1 },
    ]),
  );
  expect((await starts(new Date(Date.now() + 60_000).toISOString())).body.data).toEqual([]);
});

it("knows no workflow of others, and wants a moment", async () => {
  const unknown = crypto.randomUUID();
  expectProblem(await starts(new Date().toISOString(), unknown), { status: 404, code: "workflow_not_found" });
  expectProblem(await starts("yesterday"), { status: 400, code: "validation_failed" });
});
