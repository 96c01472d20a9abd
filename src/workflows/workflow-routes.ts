import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { maxFieldFaults } from "../base/refusal.ts";
import { comparison } from "./comparison-wire.ts";
import { registerDefaultRoutes } from "./default-routes.ts";
import { registerDraftRoutes } from "./draft-routes.ts";
import { workflowFile, workflowImport } from "./file-wire.ts";
import { registerLabelRoutes } from "./label-routes.ts";
import { registerN8nRoutes } from "./n8n/n8n-routes.ts";
import { registerPinRoutes } from "./pin-routes.ts";
import { authorOf } from "./route-author.ts";
import { registerVariableRoutes } from "./variables/variable-routes.ts";
import * as wire from "./wire.ts";
import type { RemoveWorkflow, Workflows } from "./workflows.ts";

const tags = ["Workflows"];
const path = "/api/organizations/:organizationId/workflows";
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ workflowId: z.uuid() });
const versionNumber = z.coerce.number().int().min(1).max(2_147_483_647);
const compared = z.union([z.enum(["published", "draft"]), versionNumber]);
const ofVersion = params.extend({ version: versionNumber });
const nothing = z.undefined().describe("Nothing.");
const reading = { access: { role: "viewer" } } as const;
const writing = { access: { role: "member" } } as const;

/** What has become of workflows, all of them asked for at once. */
export type ActivityOf = (
  organizationId: string,
  workflows: Pick<wire.WorkflowHead, "id" | "version">[],
) => Promise<(workflowId: string) => wire.WorkflowActivity>;

type Options = { workflows: Workflows; activityOf: ActivityOf; remove: RemoveWorkflow };

export function registerWorkflowRoutes(server: FastifyInstance, { workflows, activityOf, remove }: Options): void {
  registerReading(server, workflows, activityOf);
  registerSaving(server, workflows, remove);
  registerDraftRoutes(server, workflows);
  registerPinRoutes(server, workflows);
  registerVersions(server, workflows);
  registerFiles(server, workflows);
  registerN8nRoutes(server, workflows);
  registerLabelRoutes(server, workflows, remove);
  registerDefaultRoutes(server, workflows);
  registerVariableRoutes(server, workflows.variables);
}

function registerReading(server: FastifyInstance, workflows: Workflows, activityOf: ActivityOf): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config: reading,
      schema: {
        tags,
        summary: "List workflows, newest change first",
        params: inOrganization,
        querystring: wire.workflowQuery,
        response: { 200: wire.workflowList },
      },
    },
    async (request) => {
      const { organizationId } = request.params;
      const { data, total } = await workflows.page(organizationId, request.query);
      const activity = await activityOf(organizationId, data);
      return { data: data.map((head) => ({ ...head, ...activity(head.id) })), total };
    },
  );

  routes.get(
    `${path}/:workflowId`,
    {
      config: reading,
      schema: { tags, summary: "Read a workflow with its canvas", params, response: { 200: wire.workflow } },
    },
    (request) => workflows.get(request.params.organizationId, request.params.workflowId),
  );

  routes.post(
    `${path}/check`,
    {
      config: { ...writing, changesNothing: true },
      schema: {
        tags,
        summary: "Check a canvas without saving it",
        params: inOrganization,
        body: wire.canvasToCheck,
        response: { 200: wire.checkResult },
      },
    },
    async (request) => {
      const { faults, warnings } = await workflows.check(request.params.organizationId, request.body.canvas);
      return { valid: faults.length === 0, errors: faults.slice(0, maxFieldFaults), warnings };
    },
  );
}

function registerSaving(server: FastifyInstance, workflows: Workflows, remove: RemoveWorkflow): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    path,
    {
      config: writing,
      schema: {
        tags,
        summary: "Create a workflow",
        params: inOrganization,
        body: wire.workflowRequest,
        response: { 201: wire.savedWorkflow },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await workflows.create(request.params.organizationId, request.body, authorOf(request))),
  );

  routes.patch(
    `${path}/:workflowId`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Change a workflow",
        params,
        body: wire.workflowChange,
        response: { 200: wire.savedWorkflow },
      },
    },
    (request) => workflows.update(request.params, request.body, authorOf(request)),
  );

  routes.delete(
    `${path}/:workflowId`,
    { config: writing, schema: { tags, summary: "Delete a workflow", params, response: { 204: nothing } } },
    async (request, reply) => {
      await remove(request.params);
      return reply.code(204).send();
    },
  );

  routes.post(
    `${path}/:workflowId/duplicate`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Duplicate a workflow",
        params,
        body: z.object({ publish: wire.workflowRequest.shape.publish }).nullish(),
        response: { 201: wire.savedWorkflow },
      },
    },
    async (request, reply) => {
      const asDraft = request.body?.publish === false;
      return reply.code(201).send(await workflows.duplicate(request.params, asDraft, authorOf(request)));
    },
  );
}

function registerVersions(server: FastifyInstance, { versions }: Workflows): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    `${path}/:workflowId/versions`,
    {
      config: reading,
      schema: {
        tags,
        summary: "List the versions of a workflow",
        params,
        querystring: wire.pageQuery,
        response: { 200: wire.versionList },
      },
    },
    (request) => versions.page(request.params, request.query),
  );

  routes.get(
    `${path}/:workflowId/versions/:version`,
    {
      config: reading,
      schema: {
        tags,
        summary: "Read a version of a workflow",
        params: ofVersion,
        response: { 200: wire.workflowVersion },
      },
    },
    (request) => versions.get(request.params, request.params.version),
  );

  routes.get(
    `${path}/:workflowId/versions/:version/compare/:otherVersion`,
    {
      config: reading,
      schema: {
        tags,
        summary: "Compare two versions of a workflow, or one with its draft",
        params: params.extend({ version: compared, otherVersion: compared }),
        response: { 200: comparison },
      },
    },
    (request) => versions.compare(request.params, request.params.version, request.params.otherVersion),
  );

  routes.post(
    `${path}/:workflowId/versions/:version/restore`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Publish an old version again, as a new one",
        params: ofVersion,
        body: z.object({ note: wire.publication.shape.note }).nullish(),
        response: { 200: wire.savedWorkflow },
      },
    },
    (request) => {
      const { version, ...place } = request.params;
      return versions.restore(place, { version, note: request.body?.note }, authorOf(request));
    },
  );
}

const fileQuery = z.object({
  draft: z.enum(["true", "false"]).optional().describe("true: its draft, where it has one, in place of what runs."),
});

function registerFiles(server: FastifyInstance, { files }: Workflows): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    `${path}/:workflowId/file`,
    {
      config: reading,
      schema: {
        tags,
        summary: "Export a workflow as a file",
        params,
        querystring: fileQuery,
        response: { 200: workflowFile },
      },
    },
    async (request, reply) => {
      const file = await files.write(request.params, request.query.draft === "true");
      return reply
        .type("application/json; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${fileNameOf(file.name)}"`)
        .serializer((value: unknown) => `${JSON.stringify(value, null, 2)}\n`)
        .send(file);
    },
  );

  routes.post(
    `${path}/import`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Create a workflow from a file",
        params: inOrganization,
        body: workflowImport,
        response: { 201: wire.savedWorkflow },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await files.read(request.params.organizationId, request.body, authorOf(request))),
  );
}

/** Only what every system takes in a file's name. */
function fileNameOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return `${plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "workflow"}.json`;
}
