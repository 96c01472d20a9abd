import { z } from "zod";
import { defineEngineNode } from "../engine-node.ts";

export const callWorkflow = defineEngineNode({
  id: "call_workflow",
  title: "Call workflow",
  section: "logic",
  synonyms: ["sub-workflow", "sub workflow", "execute workflow", "subflow", "reuse"],
  description: "Runs another workflow of the organization, waits for its end and passes on its last items.",
  reachesOut: true,
  per: "list",
  input: z.strictObject({
    workflowId: z.uuid().describe("Id of the workflow, as in the address of its page."),
    prompt: z.string().max(100_000).default("").describe("$trigger.prompt of that run."),
    payload: z
      .unknown()
      .optional()
      .describe(
        '$trigger.payload of that run, e.g. {"order": "{{ $input.id }}"}. Without it: the incoming items, as {items}.',
      ),
  }),
  run: async ({ parameters: { workflowId, prompt, payload }, items }) => ({
    startRun: { workflowId, prompt, payload: payload === undefined ? { items } : payload },
  }),
});
