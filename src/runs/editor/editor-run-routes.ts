import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { toAcceptedRun } from "../accept/accepted-run.ts";
import { readWait, signalOf } from "../accept/prefer-wait.ts";
import { acceptedEditorRun, editorRunBody } from "../editor-wire.ts";
import { personOf } from "../person-of.ts";
import type { Runs } from "../runs.ts";
import { run } from "../wire.ts";

type Options = { runs: Pick<Runs, "startInEditor" | "waitForEnd">; platformBaseUrl: string };

export function registerEditorRunRoutes(server: FastifyInstance, { runs, platformBaseUrl }: Options): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    "/api/organizations/:organizationId/workflows/:workflowId/draft/runs",
    {
      config: { access: { role: "member" } },
      schema: {
        tags: ["Runs"],
        summary: "Run the draft of a workflow, or a step of it",
        params: z.object({ organizationId: z.uuid(), workflowId: z.uuid() }),
        body: editorRunBody,
        response: { 200: run, 202: acceptedEditorRun },
      },
    },
    async (request, reply) => {
      const { organizationId, workflowId } = request.params;
      const { mode, nodeId, prompt, payload, allowRepeat } = request.body;
      const { nodes, ...started } = await runs.startInEditor({
        organizationId,
        workflowId,
        mode,
        nodeId,
        prompt,
        payload,
        allowRepeat,
        user: personOf(request),
        requestId: request.id,
        trace: request.trace,
      });
      const waitMs = readWait(request.headers.prefer);
      const limit = { limitMs: waitMs, signal: signalOf(reply), isFresh: true };
      const ended = waitMs > 0 ? await runs.waitForEnd(organizationId, started.id, limit) : undefined;
      if (ended)
        return reply
          .code(200)
          .header("Preference-Applied", `wait=${waitMs / 1000}`)
          .send(ended);
      const accepted = toAcceptedRun(platformBaseUrl, { ...started, organizationId, workflowId });
      return reply.code(202).send({ ...accepted, nodes });
    },
  );
}
