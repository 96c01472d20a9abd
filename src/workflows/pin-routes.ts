import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "./pin-wire.ts";
import { authorOf } from "./route-author.ts";
import type { Workflows } from "./workflows.ts";

const tags = ["Workflows"];
const path = "/api/organizations/:organizationId/workflows/:workflowId/draft/pins";
const ofWorkflow = z.object({ organizationId: z.uuid(), workflowId: z.uuid() });
const params = ofWorkflow.extend({ nodeId: z.string().max(200).describe("Canvas id of the node, or $trigger.") });
const reading = { access: { role: "viewer" } } as const;
const writing = { access: { role: "member" } } as const;

/** What is pinned is for runs of the editor; published runs never look at it. */
export function registerPinRoutes(server: FastifyInstance, { pins }: Pick<Workflows, "pins">): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config: reading,
      schema: { tags, summary: "List nodes with pinned data", params: ofWorkflow, response: { 200: wire.pinList } },
    },
    (request) => pins.list(request.params),
  );

  routes.get(
    `${path}/:nodeId`,
    {
      config: reading,
      schema: { tags, summary: "Read the pinned data of a node", params, response: { 200: wire.pin } },
    },
    (request) => pins.get(request.params),
  );

  routes.put(
    `${path}/:nodeId`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Pin data to a node, for runs of the editor",
        params,
        body: wire.pinRequest,
        response: { 200: wire.pin },
      },
    },
    (request) => pins.put(request.params, request.body, authorOf(request)),
  );

  routes.delete(
    `${path}/:nodeId`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Remove the pinned data of a node",
        params,
        response: { 204: z.undefined().describe("Nothing.") },
      },
    },
    async (request, reply) => {
      await pins.remove(request.params);
      return reply.code(204).send();
    },
  );
}
