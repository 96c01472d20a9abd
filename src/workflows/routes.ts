import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import { limitKeyPerMinute } from "../door/rate-limit.ts";

export function registerTriggerRoute(server: FastifyInstance, { keyLimitPerMinute }: { keyLimitPerMinute: number }): void {
  server.post(
    "/task-runner/trigger/:workflowId",
    {
      config: { access: { scope: "workflows:trigger" }, rateLimit: limitKeyPerMinute(keyLimitPerMinute) },
      schema: { tags: ["Runs"], summary: "Start a run of a workflow", params: z.object({ workflowId: z.string() }) },
    },
    () => {
      // No workflow can be stored yet, so every id is unknown.
      throw new Refusal("workflow_not_found", "There is no such workflow.");
    },
  );
}
