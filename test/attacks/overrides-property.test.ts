import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { roundsLimitMs, roundsOf } from "../support/rounds.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const ids = ["a", "b", "c", "d"];
let workflow: WorkflowApp;
let workflowId: string;
beforeAll(async () => {
  workflow = await startWorkflowApp();
  const nodes = ids.map((id) => node(id, "set_fields", { fields: { told: "$trigger.prompt" } }));
  workflowId = await workflow.save(nodes, edges("a>b", "b>c", "c>d"));
});
afterAll(() => workflow.stop());

const readSaved = async () => (await workflow.owner.browser.get(`${workflow.path}/workflows/${workflowId}`)).text;
const instruction = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
const override = fc.record({
  id: fc.constantFrom(...ids),
  nodeId: fc.constantFrom("set_fields", null, "system_wait"),
  runtimeInstruction: fc.option(instruction),
});
const asked = fc.record({
  runtimePrompt: instruction,
  nodes: fc.uniqueArray(override, { selector: ({ id }) => id, maxLength: 4 }),
});

type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never;

async function expectOwn(sent: Asked, { status, body }: Awaited<ReturnType<WorkflowApp["trigger"]>>): Promise<void> {
  const fits = sent.nodes.every(({ nodeId }) => nodeId !== "system_wait");
  expect([status, fits ? undefined : body.code]).toEqual(fits ? [202, undefined] : [400, "node_type_mismatch"]);
  if (!fits) return;
  const run = await workflow.ended(body.id);
  expect(run.overrides).toEqual(sent.nodes);
  expect((run.trigger as { prompt: string }).prompt).toBe(sent.runtimePrompt);
  for (const { outputs } of run.nodes) expect(outputs).toEqual([expect.objectContaining({ told: sent.runtimePrompt })]);
}

it(
  "what a run has otherwise is that run's alone, and the saved canvas stays as it is, byte for byte",
  async () => {
    const before = await readSaved();
    const property = fc.asyncProperty(fc.array(asked, { minLength: 2, maxLength: 6 }), async (all) => {
      const answers = await Promise.all(all.map((one) => workflow.trigger(workflowId, one)));
      for (const [index, answer] of answers.entries()) await expectOwn(all[index] as Asked, answer);
      expect(await readSaved()).toBe(before);
    });
    await fc.assert(property, { numRuns: roundsOf(10, 170) });
  },
  roundsLimitMs,
);
