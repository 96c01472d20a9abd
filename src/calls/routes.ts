import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { abortedOnDisconnect } from "../door/aborted-on-disconnect.ts";
import { userOf } from "../door/caller.ts";
import { limitPerMinute } from "../door/rate-limit.ts";
import { toolCall } from "../history/wire.ts";
import type { LookUpChoices } from "./look-up-choices.ts";
import type { Replay } from "./replay.ts";
import type { TryTool } from "./try-tool.ts";
import * as wire from "./wire.ts";

const organizationPath = "/api/organizations/:organizationId";
const inOrganization = z.object({ organizationId: z.uuid() });
const config = { access: { role: "member" } } as const;

/** Each may be a request to the provider, out of the account's quota. */
const lookUpsPerMinute = 120;

type Options = { replay: Replay; tryTool: TryTool; lookUpChoices: LookUpChoices };

export function registerCallRoutes(server: FastifyInstance, { replay, tryTool, lookUpChoices }: Options): void {
  registerLookUp(server, lookUpChoices);
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
    (request, reply) => tryTool({ ...request.params, request: request.body ?? {}, ...askerOf(request, reply) }),
  );
}

function registerLookUp(server: FastifyInstance, lookUpChoices: LookUpChoices): void {
  server.withTypeProvider<ZodTypeProvider>().post(
    `${organizationPath}/credentials/:credentialId/choices/:list`,
    {
      // Those who fill in forms with the account.
      config: { ...config, rateLimit: limitPerMinute(lookUpsPerMinute) },
      schema: {
        tags: ["Credentials"],
        summary: "Look up what an account offers for a field",
        params: inOrganization.extend({
          credentialId: z.uuid(),
          list: z.string().min(1).max(100).describe("`choices` in the schema of the field."),
        }),
        body: wire.choicesRequest.nullish(),
        response: { 200: wire.choiceList },
      },
    },
    (request, reply) => lookUpChoices({ ...request.params, request: request.body ?? {}, ...askerOf(request, reply) }),
  );
}

const askerOf = (request: FastifyRequest, reply: FastifyReply) => ({
  user: userOf(request),
  requestId: request.id,
  trace: request.trace,
  signal: abortedOnDisconnect(reply),
});
