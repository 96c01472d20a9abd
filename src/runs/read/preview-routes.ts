import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { abortedOnDisconnect } from "../../door/aborted-on-disconnect.ts";
import * as wire from "../wire.ts";
import type { Preview } from "./preview.ts";

const tags = ["Workflows"];
const path = "/api/organizations/:organizationId/workflows/:workflowId";
const params = z.object({ organizationId: z.uuid(), workflowId: z.uuid() });
const editing = { access: { role: "member" } } as const;

export function registerPreviewRoutes(server: FastifyInstance, preview: Preview): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    `${path}/preview-scope`,
    {
      config: { access: { role: "viewer" } },
      schema: {
        tags,
        summary: "Read what a run left for references",
        params,
        querystring: wire.previewScopeQuery,
        response: { 200: wire.previewScope },
      },
    },
    (request) => preview.scope(request.params, request.query.runId),
  );

  routes.post(
    `${path}/preview-value`,
    {
      config: { ...editing, changesNothing: true },
      schema: {
        tags,
        summary: "Show what a parameter would be with the data of a run",
        params,
        body: wire.valuePreviewRequest,
        response: { 200: wire.valuePreview },
      },
    },
    (request, reply) => preview.value(request.params, request.body, abortedOnDisconnect(reply)),
  );

  routes.post(
    `${path}/preview-fill`,
    {
      config: editing,
      schema: {
        tags,
        summary: "Let a language model fill the empty parameters of a node",
        params,
        body: wire.fillPreviewRequest,
        response: { 200: wire.fillPreview },
      },
    },
    (request, reply) => preview.fill(request.params, request.body, abortedOnDisconnect(reply)),
  );
}
