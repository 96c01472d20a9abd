import type { FastifyInstance, FastifyReply } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import { userOf } from "../door/caller.ts";
import { toolCall } from "../history/wire.ts";
import type { Replay } from "./replay.ts";
import * as wire from "./wire.ts";

export function registerReplayRoute(server: FastifyInstance, replay: Replay): void {
  server.withTypeProvider<ZodTypeProvider>().post(
    "/api/organizations/:organizationId/tool-calls/:recordId/replay",
    {
      config: { access: { role: "member" } },
      schema: {
        tags: ["History"],
        summary: "Run a recorded tool call again, edited or not",
        params: z.object({ organizationId: z.uuid(), recordId: z.uuid() }),
        body: wire.replayRequest,
        response: { 200: toolCall },
      },
    },
    (request, reply) =>
      replay({
        ...request.params,
        changes: request.body,
        user: userOf(request),
        requestId: request.id,
        signal: abortedOnDisconnect(reply),
      }),
  );
}

function abortedOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const stop = new AbortController();
  raw.once("close", () => raw.writableFinished || stop.abort(new Refusal("cancelled", "The caller cancelled the call.")));
  return stop.signal;
}
