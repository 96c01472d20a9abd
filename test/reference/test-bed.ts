import { useGithub } from "../support/runs/github-nodes.ts";
import { startWorkflowApp } from "../support/runs/workflow-app.ts";
import { startOutside } from "./outside.ts";
import { watchEnds } from "./watch-ends.ts";

export type TestBed = Awaited<ReturnType<typeof startTestBed>>;

/** The product in this process, and the provider that its nodes ask. */
export async function startTestBed(environment: Record<string, string> = {}) {
  const outside = await startOutside();
  const app = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", ...environment } });
  await useGithub(app, outside.url);
  return {
    app,
    outside,
    ends: watchEnds(app),
    async stop(): Promise<void> {
      await app.stop();
      await outside.stop();
    },
  };
}

/** So many runs at once that none of them waits for a slot. */
export const manySlots = { SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "64" };
