import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { keyOf } from "../../door/caller.ts";
import { limitKeyPerMinute } from "../../door/rate-limit.ts";
import type { Runs } from "../runs.ts";
import * as wire from "../wire.ts";
import { readWait, signalOf } from "./prefer-wait.ts";
import type { RunRequest } from "./run-request.ts";

type Options = { runs: Runs; platformBaseUrl: string; keyLimitPerMinute: number };

const tags = ["Runs"];
const longestKey = 255;

/** What a machine with an API key may do: start a run, and ask what became of it. */
export function registerTaskRunnerRoutes(server: FastifyInstance, options: Options): void {
  void server.register(async (scope) => {
    scope.addContentTypeParser("*", { parseAs: "buffer" }, acceptNothing);
    registerRoutes(scope, options);
  });
}

/** A body is optional, and some clients name a type also when they send none. */
function acceptNothing(
  _request: FastifyRequest,
  body: string | Buffer,
  done: (error: Error | null, body?: undefined) => void,
): void {
  done(body.length === 0 ? null : new Refusal("unsupported_media_type", "Send the body as application/json."));
}

function registerRoutes(server: FastifyInstance, { runs, platformBaseUrl, keyLimitPerMinute }: Options): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const config = { access: { scope: "workflows:trigger" }, rateLimit: limitKeyPerMinute(keyLimitPerMinute) } as const;
  const selfLink = (id: string) => `${platformBaseUrl}/task-runner/executions/${id}`;

  routes.post(
    "/task-runner/trigger/:workflowId",
    {
      config,
      schema: {
        tags,
        summary: "Start a run of a workflow",
        params: z.object({ workflowId: z.string() }),
        body: wire.triggerBody,
        response: { 200: wire.run, 202: wire.acceptedRun },
      },
    },
    async (request, reply) => {
      const { organizationId } = keyOf(request);
      const { workflowId } = request.params;
      const waitMs = readWait(request.headers.prefer);
      const { id, createdAt, isReplay } = await runs.startRun(toRunRequest(request, workflowId));
      reply.header("Location", selfLink(id));
      if (isReplay) reply.header("Idempotent-Replay", "true");
      const limit = { limitMs: waitMs, signal: signalOf(reply), isFresh: !isReplay };
      const ended = waitMs > 0 ? await runs.waitForEnd(organizationId, id, limit) : undefined;
      if (ended) {
        // Its type is that of the schema; to go through the schema once more takes as long as all the rest of the answer.
        reply.code(200).serializer(JSON.stringify);
        return reply.header("Preference-Applied", `wait=${waitMs / 1000}`).send(ended);
      }
      const links = { self: selfLink(id), ui: `${platformBaseUrl}/o/${organizationId}/runs/${id}` };
      return reply
        .code(202)
        .send({ id, status: "pending" as const, workflowId, createdAt: createdAt.toISOString(), links });
    },
  );

  routes.get(
    "/task-runner/executions/:executionId",
    {
      config,
      schema: { tags, summary: "Read a run", params: z.object({ executionId: z.uuid() }), response: { 200: wire.run } },
    },
    (request) => runs.list.get(keyOf(request).organizationId, request.params.executionId),
  );

  routes.get(
    "/task-runner/executions/:executionId/nodes/:nodeId",
    {
      config,
      schema: {
        tags,
        summary: "Read one node of a run",
        params: z.object({ executionId: z.uuid(), nodeId: z.string().max(200) }),
        response: { 200: wire.runNode },
      },
    },
    (request) => runs.list.readNode(keyOf(request).organizationId, request.params.executionId, request.params.nodeId),
  );
}

function toRunRequest(request: FastifyRequest, workflowId: string): RunRequest {
  const { organizationId, apiKeyId, apiKeyName } = keyOf(request);
  const { runtimePrompt, nodes } = (request.body ?? {}) as NonNullable<z.infer<typeof wire.triggerBody>>;
  const idempotencyKey = readIdempotencyKey(request.headers["idempotency-key"]);
  return {
    organizationId,
    workflowId,
    kind: "api",
    trigger: { source: "api", sender: { apiKeyId, apiKeyName }, prompt: runtimePrompt ?? "", payload: null },
    overrides: nodes ?? [],
    apiKey: { id: apiKeyId, name: apiKeyName },
    requestId: request.id,
    trace: request.trace,
    ...(idempotencyKey === undefined
      ? {}
      : {
          once: { key: `api:${idempotencyKey}`, requestSha256: hashOf([workflowId, runtimePrompt ?? "", nodes ?? []]) },
        }),
  };
}

const hashOf = (asked: unknown): Buffer => createHash("sha256").update(JSON.stringify(asked)).digest();

function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header).trim();
  if (key !== "" && key.length <= longestKey && /^[\x20-\x7e]+$/.test(key)) return key;
  const detail = `must have 1 to ${longestKey} printable ASCII characters`;
  throw new Refusal("validation_failed", `Idempotency-Key ${detail}.`, {
    errors: [{ pointer: "idempotency-key", detail }],
  });
}
