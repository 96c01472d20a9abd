import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { abortedOnDisconnect } from "../door/aborted-on-disconnect.ts";
import { userOf } from "../door/caller.ts";
import { toolCall } from "../history/wire.ts";
import type { Replay } from "./replay.ts";
import type { TryTool } from "./try-tool.ts";
import * as wire from "./wire.ts";

const organizationPath = "/api/organizations/:organizationId";
const inOrganization = z.object({ organizationId: z.uuid() });
const config = { access: { role: "member" } } as const;

export function registerCallRoutes(
  server: FastifyInstance,
  { replay, tryTool }: { replay: Replay; tryTool: TryTool },
): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    `${organizationPath}/tool-calls/:recordId/replay`,
    {
      config,
      schema: {
        tags: ["History"],
        summary: "Run a recorded tool call again, edited or not",
        params: inOrganization.extend({ recordId: z.uuid() }),
        body: wire.replayRequest,
        response: { 200: toolCall },
      },
    },
    (request, reply) => replay({ ...request.params, changes: request.body, ...askerOf(request, reply) }),
  );

  routes.post(
    `${organizationPath}/tools/:toolName/call`,
    {
      config,
      schema: {
        tags: ["Catalogue"],
        summary: "Call a provider's tool and read the record of the call",
        params: inOrganization.extend({ toolName: z.string() }),
        body: wire.toolCallRequest,
        response: { 200: toolCall },
      },
    },
    (request, reply) => tryTool({ ...request.params, request: request.body, ...askerOf(request, reply) }),
  );
}

const askerOf = (request: FastifyRequest, reply: FastifyReply) => ({
  user: userOf(request),
  requestId: request.id,
  trace: request.trace,
  signal: abortedOnDisconnect(reply),
});
