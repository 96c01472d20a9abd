import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../translation-wire.ts";
import type { Workflows } from "../workflows.ts";

/** What is translated is saved like every other canvas, once somebody has read the report. */
export function registerN8nRoutes(server: FastifyInstance, { files }: Pick<Workflows, "files">): void {
  server.withTypeProvider<ZodTypeProvider>().post(
    "/api/organizations/:organizationId/workflows/import/n8n",
    {
      config: { access: { role: "member" }, changesNothing: true },
      schema: {
        tags: ["Workflows"],
        summary: "Translate a workflow file of n8n, without saving it",
        params: z.object({ organizationId: z.uuid() }),
        body: wire.n8nFile,
        response: { 200: wire.n8nConversion },
      },
    },
    (request) => files.translateN8n(request.params.organizationId, request.body.file),
  );
}
