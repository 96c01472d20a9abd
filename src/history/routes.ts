import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { userOf } from "../door/caller.ts";
import { copyCall } from "./copy-call.ts";
import type { History } from "./history.ts";
import * as wire from "./wire.ts";

const tags = ["History"];
const organizationPath = "/api/organizations/:organizationId";
const path = `${organizationPath}/tool-calls`;
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ recordId: z.uuid() });
const config = { access: { role: "viewer" } } as const;

/** Asks again whether the caller of a request may make it; rejects when not. */
export type RequireAccess = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export function registerHistoryRoutes(server: FastifyInstance, history: History, requireAccess: RequireAccess): void {
  registerReading(server, history);
  registerExport(server, history);
  registerEvents(server, history, requireAccess);
}

function registerReading(server: FastifyInstance, { calls, serverUrlTemplate }: History): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config,
      schema: {
        tags,
        summary: "List tool calls, newest first",
        params: inOrganization,
        querystring: wire.toolCallQuery,
        response: { 200: wire.toolCallList },
      },
    },
    (request) => calls.list(request.params.organizationId, request.query),
  );

  routes.get(
    `${path}/:recordId`,
    {
      config,
      schema: {
        tags,
        summary: "Read a tool call with what it was sent and answered",
        params,
        response: { 200: wire.toolCall },
      },
    },
    (request) => calls.get(request.params.organizationId, request.params.recordId),
  );

  const asText = {
    description: "The call with a placeholder for the key.",
    content: { "text/plain": { schema: z.string() } },
  };
  routes.get(
    `${path}/:recordId/copy`,
    {
      config,
      schema: {
        tags,
        summary: "Copy a tool call as curl or MCP JSON",
        params,
        querystring: wire.copyQuery,
        response: { 200: asText },
      },
    },
    async (request, reply) => {
      const call = await calls.get(request.params.organizationId, request.params.recordId);
      return reply.type("text/plain; charset=utf-8").send(copyCall(call, { as: request.query.as, serverUrlTemplate }));
    },
  );
}

function registerExport(server: FastifyInstance, { calls }: History): void {
  const lines = {
    description: "One record as JSON per line.",
    content: { "application/x-ndjson": { schema: z.string() } },
  };
  server.withTypeProvider<ZodTypeProvider>().get(
    `${path}/export`,
    {
      config: { access: { role: "member" } },
      schema: {
        tags,
        summary: "Export tool calls as JSON lines",
        params: inOrganization,
        querystring: wire.toolCallFilter,
        response: { 200: lines },
      },
    },
    async (request, reply) =>
      reply
        .type("application/x-ndjson; charset=utf-8")
        .header("Content-Disposition", 'attachment; filename="tool-calls.jsonl"')
        .send(asBody(Readable.from(calls.exportLines(request.params.organizationId, request.query)))),
  );
}

const eventId = z.string().max(40);

function registerEvents(server: FastifyInstance, { streams }: History, requireAccess: RequireAccess): void {
  const events = {
    description:
      "Server-Sent Events. `tool-call`, `run` and `webhook-delivery` carry an entry of their list; `reload` says that lists must be read anew.",
    content: { "text/event-stream": { schema: z.string() } },
  };
  // Otherwise the stop would wait for streams that never end by themselves.
  server.addHook("preClose", async () => streams.endAll());

  server.withTypeProvider<ZodTypeProvider>().get(
    `${organizationPath}/events`,
    {
      config,
      schema: {
        tags,
        summary: "Follow what happens in an organization",
        params: inOrganization,
        headers: z.object({ "last-event-id": eventId.optional() }),
        querystring: z.object({
          lastEventId: eventId
            .optional()
            .describe("As the header, which goes before it: a browser cannot send that with a new stream."),
        }),
        response: { 200: events },
      },
    },
    async (request, reply) => {
      const stream = await streams.open({
        organizationId: request.params.organizationId,
        userId: userOf(request).userId,
        lastEventId: request.headers["last-event-id"] ?? request.query.lastEventId,
        requireAccess: () => requireAccess(request, reply),
      });
      return reply.type("text/event-stream; charset=utf-8").header("X-Accel-Buffering", "no").send(asBody(stream));
    },
  );
}

/** The types know a body only as what its schema describes, and a stream of text is described as text. */
const asBody = (stream: Readable): string => stream as unknown as string;
