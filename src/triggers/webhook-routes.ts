import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import { abortedOnDisconnect } from "../door/aborted-on-disconnect.ts";
import type { ReceiveWebhook } from "./receive-webhook.ts";

export type WebhookRouteOptions = { receiveWebhook: ReceiveWebhook; platformBaseUrl: string; limitPerMinute: number };

const path = "/webhooks/:triggerId/:token";
const tags = ["Triggers"];
const bodyLimitBytes = 1024 * 1024;
const params = z.object({ triggerId: z.string(), token: z.string() });
const accepted = z.object({ id: z.uuid().describe("The run.") });

/** Where deliveries come in. They are signed as bytes, so in here nothing reads a body but the webhook itself. */
export async function registerWebhookRoutes(
  server: FastifyInstance,
  { receiveWebhook, platformBaseUrl, limitPerMinute }: WebhookRouteOptions,
): Promise<void> {
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.setErrorHandler((error: { code?: string }) => {
      if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
        throw new Refusal("body_too_large", "A delivery may have 1 MiB at most.");
      throw error;
    });
    const routes = scope.withTypeProvider<ZodTypeProvider>();
    // Counted by the whole address, however it is written: who does not know the token cannot use up what its sender may deliver.
    const keyGenerator = (request: FastifyRequest) => {
      const { triggerId, token } = request.params as z.infer<typeof params>;
      return `${triggerId.toLowerCase()}/${token}`;
    };
    const rateLimit = { max: limitPerMinute, timeWindow: 60_000, keyGenerator };
    const config = { access: "public", rateLimit } as const;

    const receive = async (request: FastifyRequest<{ Params: z.infer<typeof params> }>, reply: FastifyReply) => {
      const { status, contentType, body, headers } = await receiveWebhook({
        ...request.params,
        method: request.method,
        url: platformBaseUrl + request.url,
        headers: textsOf(request.headers),
        query: textsOf(request.query as Record<string, unknown>),
        queryValues: request.query as Record<string, unknown>,
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        requestId: request.id,
        trace: request.trace,
        signal: abortedOnDisconnect(reply),
      });
      reply.code(status).headers(headers ?? {});
      return status === 204 ? reply.send() : reply.type(contentType).serializer(String).send(body);
    };

    const answered = {
      description: "What the run answers, where the webhook waits for it.",
      content: { "*/*": { schema: z.string() } },
    };
    const delivering = {
      tags,
      summary: "Deliver to a webhook; the body may have any type",
      params,
      response: { 200: answered, 202: accepted },
    };
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
      routes.route({
        method,
        url: path,
        config,
        bodyLimit: bodyLimitBytes,
        schema: delivering,
        handler: receive as never,
      });
    const handshake = {
      description: "What the provider asked to be told.",
      content: { "text/plain": { schema: z.string() } },
    };
    const summary = "Deliver to a webhook that takes GET, or answer a provider's check";
    routes.get(
      path,
      { config, schema: { tags, summary, params, response: { 200: handshake, 202: accepted } } },
      receive as never,
    );
  });
}

/** Of what was sent several times the last one counts. */
const textsOf = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const text = Array.isArray(value) ? (value.at(-1) as unknown) : value;
      return typeof text === "string" ? [[name, text]] : [];
    }),
  );
