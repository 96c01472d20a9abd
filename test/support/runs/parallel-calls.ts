import { expect } from "vitest";
import type { CountingProvider } from "../providers/counting-provider.ts";
import { issue } from "./github-nodes.ts";
import { node, type WorkflowApp } from "./workflow-app.ts";

/** Starts workflows that each call another one many times side by side, and compares what the provider saw with what was wanted. */
export async function checkParallelCalls(
  ann: WorkflowApp,
  provider: CountingProvider,
  { parents, children, limitMs = 60_000 }: { parents: number; children: number; limitMs?: number },
): Promise<void> {
  const below = await ann.save([issue("open", "{{ $trigger.prompt }}")], [], "Below");
  const nodeIds = Array.from({ length: children }, (_, index) => `call${index}`);
  const call = (id: string) => node(id, "call_workflow", { workflowId: below, prompt: `{{ $trigger.prompt }} ${id}` });
  const above = await ann.save(nodeIds.map(call), [], "Above");
  const prompts = Array.from({ length: parents }, (_, index) => `parent${index}`);
  const ids = await Promise.all(
    prompts.map(async (runtimePrompt) => (await ann.trigger(above, { runtimePrompt })).body.id),
  );
  for (const id of ids) {
    const run = await ann.ended(id, limitMs);
    expect([run.status, run.error]).toEqual(["succeeded", null]);
  }
  const wanted = prompts.flatMap((prompt) => nodeIds.map((id) => `${prompt} ${id}`));
  // What was repeated after a deadlock is not seen at the provider.
  expect(await ann.app.database.query(deadlocks)).toEqual([{ deadlocks: "0" }]);
  expect(provider.requests.map(({ title }) => title).sort()).toEqual(wanted.sort());
}

const deadlocks = "SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()";
