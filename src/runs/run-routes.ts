import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { toAcceptedRun } from "./accept/accepted-run.ts";
import { personOf } from "./person-of.ts";
import type { Runs } from "./runs.ts";
import * as wire from "./wire.ts";

type Options = { runs: Runs; platformBaseUrl: string };

const tags = ["Runs"];
const organizationPath = "/api/organizations/:organizationId";
const path = `${organizationPath}/runs`;
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ runId: z.uuid() });
const reading = { access: { role: "viewer" } } as const;
const running = { access: { role: "member" } } as const;

export function registerRunRoutes(server: FastifyInstance, { runs, platformBaseUrl }: Options): void {
  registerReading(server, runs);
  registerRunning(server, { runs, platformBaseUrl });
}

function registerReading(server: FastifyInstance, { list, files }: Runs): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config: reading,
      schema: {
        tags,
        summary: "List runs, newest first",
        params: inOrganization,
        querystring: wire.runQuery,
        response: { 200: wire.runList },
      },
    },
    (request) => list.list(request.params.organizationId, request.query),
  );

  routes.get(
    `${path}/:runId`,
    { config: reading, schema: { tags, summary: "Read a run with every node", params, response: { 200: wire.run } } },
    (request) => list.get(request.params.organizationId, request.params.runId),
  );

  routes.get(
    `${path}/:runId/nodes/:nodeId`,
    {
      config: reading,
      schema: {
        tags,
        summary: "Read one node of a run",
        params: params.extend({ nodeId: z.string().max(200) }),
        response: { 200: wire.runNode },
      },
    },
    ({ params: { organizationId, runId, nodeId } }) => list.readNode(organizationId, runId, nodeId),
  );

  const bytes = {
    description: "The bytes of the file.",
    content: { "application/octet-stream": { schema: z.string() } },
  };
  routes.get(
    `${path}/:runId/files/:fileNumber`,
    {
      config: reading,
      schema: {
        tags,
        summary: "Read a file of a run: one that started it, or that a node gave",
        params: params.extend({ fileNumber: z.coerce.number().int().min(1).max(999_999) }),
        response: { 200: bytes },
      },
    },
    async (request, reply) => {
      const { name, contentBase64 } = await files.read({ ...request.params, number: request.params.fileNumber });
      // Never as what it says it is: a page of a stranger must not be one of this server's.
      const disposition = `attachment; filename*=UTF-8''${encodeURIComponent((name ?? "file").toWellFormed()).replaceAll("'", "%27")}`;
      reply.type("application/octet-stream").header("Content-Disposition", disposition);
      return reply.send(Buffer.from(contentBase64, "base64") as never);
    },
  );
}

function registerRunning(server: FastifyInstance, { runs, platformBaseUrl }: Options): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    `${organizationPath}/workflows/:workflowId/runs`,
    {
      config: running,
      schema: {
        tags,
        summary: "Run a workflow now",
        params: inOrganization.extend({ workflowId: z.uuid() }),
        body: wire.startBody,
        response: { 202: wire.acceptedRun },
      },
    },
    async (request, reply) => {
      const { organizationId, workflowId } = request.params;
      const { prompt = "", payload = null, nodes = [] } = request.body ?? {};
      const user = personOf(request);
      const trigger = { source: "manual", sender: user, prompt, payload };
      const started = await runs.startRun({
        organizationId,
        workflowId,
        kind: "manual",
        trigger,
        overrides: nodes,
        user,
        requestId: request.id,
        trace: request.trace,
      });
      return reply.code(202).send(toAcceptedRun(platformBaseUrl, { ...started, organizationId, workflowId }));
    },
  );

  routes.post(
    `${path}/:runId/rerun`,
    {
      config: running,
      schema: {
        tags,
        summary: "Run again, edited or not",
        params,
        body: wire.rerunBody,
        response: { 202: wire.acceptedRun },
      },
    },
    async (request, reply) => {
      const { organizationId, runId } = request.params;
      const { version = "same", from = "start", nodeId = "", prompt, payload } = request.body ?? {};
      const { nodes: overrides, allowRepeat = false } = request.body ?? {};
      const started = await runs.rerun({
        organizationId,
        runId,
        version,
        from: from === "node" ? { nodeId } : from,
        prompt,
        payload,
        overrides,
        allowRepeat,
        user: personOf(request),
        trace: request.trace,
      });
      return reply.code(202).send(toAcceptedRun(platformBaseUrl, { ...started, organizationId }));
    },
  );

  routes.post(
    `${path}/:runId/cancel`,
    { config: running, schema: { tags, summary: "Cancel a run", params, response: { 200: wire.run } } },
    async (request) => {
      const { organizationId, runId } = request.params;
      await runs.list.readStates(organizationId, runId);
      await runs.cancel({ organizationId, id: runId });
      return await runs.list.get(organizationId, runId);
    },
  );
}
