import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import { userOf } from "../door/caller.ts";
import { type DefaultRouteOptions, registerDefaultCredentialRoutes } from "./default-credential-routes.ts";
import type { Vault } from "./vault.ts";
import * as wire from "./wire.ts";

const tags = ["Credentials"];
const path = "/api/organizations/:organizationId/credentials";
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ credentialId: z.uuid() });
const config = { access: { role: "admin" } } as const;
const nothing = z.undefined().describe("Nothing.");

type Finder<Use> = (organizationId: string, credentialId: string) => Promise<Use[]>;

/** Name what stops working without a credential, or stays behind. */
export type Uses = { [Kind in "workflows" | "triggers" | "webhooks"]: Finder<wire.CredentialUses[Kind][number]> } & {
  /** After it was deleted all the same. */
  loseAccount: (organizationId: string, credentialId: string) => Promise<unknown>;
};

type Options = Pick<DefaultRouteOptions, "requireApiKey"> & { vault: Vault; uses: Uses };

export function registerVaultRoutes(server: FastifyInstance, { vault, uses, requireApiKey }: Options): void {
  registerCredentials(server, vault);
  registerCredential(server, vault);
  registerUses(server, vault, uses);
  registerDeletion(server, vault, uses);
  registerConnect(server, vault);
  registerDefaultCredentialRoutes(server, { defaults: vault.defaults, requireApiKey });
}

function registerCredentials(server: FastifyInstance, { credentials }: Vault): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config: { access: { role: "viewer" } },
      schema: {
        tags,
        summary: "List credentials",
        params: inOrganization,
        querystring: wire.credentialQuery,
        response: { 200: wire.credentialList },
      },
    },
    (request) => credentials.page(request.params.organizationId, request.query),
  );

  routes.post(
    path,
    {
      config,
      schema: {
        tags,
        summary: "Create a credential",
        params: inOrganization,
        body: wire.credentialRequest,
        response: { 201: wire.credential },
      },
    },
    async (request, reply) => {
      const createdBy = userOf(request).userId;
      return reply
        .code(201)
        .send(await credentials.create(request.params.organizationId, { ...request.body, createdBy }));
    },
  );
}

function registerCredential(server: FastifyInstance, { credentials, health }: Vault): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    `${path}/:credentialId`,
    {
      config,
      schema: { tags, summary: "Read a credential; secrets are masked", params, response: { 200: wire.credential } },
    },
    (request) => credentials.get(request.params),
  );

  routes.patch(
    `${path}/:credentialId`,
    {
      config,
      schema: {
        tags,
        summary: "Rename or change a credential",
        params,
        body: wire.credentialChange,
        response: { 200: wire.credential },
      },
    },
    (request) => credentials.update(request.params, request.body),
  );

  routes.post(
    `${path}/:credentialId/test`,
    {
      config,
      schema: {
        tags,
        summary: "Test whether the provider accepts a credential",
        params,
        response: { 200: wire.testResult },
      },
    },
    async (request) => await health.test(await credentials.checkOwn(request.params)),
  );
}

function registerUses(server: FastifyInstance, { credentials, defaults }: Vault, uses: Uses): void {
  server.withTypeProvider<ZodTypeProvider>().get(
    `${path}/:credentialId/uses`,
    {
      config: { access: { role: "viewer" } },
      schema: { tags, summary: "Read what uses a credential", params, response: { 200: wire.credentialUses } },
    },
    async (request) => {
      const { organizationId, credentialId } = request.params;
      await credentials.find(request.params);
      const [workflows, triggers, webhooks, asDefault] = await Promise.all([
        uses.workflows(organizationId, credentialId),
        uses.triggers(organizationId, credentialId),
        uses.webhooks(organizationId, credentialId),
        defaults.usesOf(request.params),
      ]);
      return { workflows, triggers, webhooks, defaults: asDefault };
    },
  );
}

function registerDeletion(server: FastifyInstance, { credentials }: Vault, uses: Omit<Uses, "triggers">): void {
  server.withTypeProvider<ZodTypeProvider>().delete(
    `${path}/:credentialId`,
    {
      config,
      schema: {
        tags,
        summary: "Delete a credential",
        params,
        querystring: wire.credentialDeletion,
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      const { organizationId, credentialId } = request.params;
      if (request.query.force !== "true") {
        const workflows = await uses.workflows(organizationId, credentialId);
        const webhooks = await uses.webhooks(organizationId, credentialId);
        if (workflows.length + webhooks.length > 0) throw inUse(workflows, webhooks);
      }
      await credentials.remove(request.params);
      await uses.loseAccount(organizationId, credentialId);
      return reply.code(204).send();
    },
  );
}

const namedUses = 10;

function inUse(workflows: wire.CredentialUses["workflows"], webhooks: wire.CredentialUses["webhooks"]): Refusal {
  const users = workflows.map(({ name }) => `"${name}"`);
  const left = webhooks.map(({ providerTitle, place, triggerName }) => `${providerTitle} (${place ?? triggerName})`);
  const use = users.length > 0 ? `Workflows use this credential: ${listSome(users)}. ` : "";
  const stay =
    left.length > 0
      ? `Webhooks that were set up with it stay at their services, where only you can remove them then: ${listSome(left)}. `
      : "";
  return new Refusal("credential_in_use", `${use}${stay}With force=true it is deleted anyway.`);
}

function listSome(names: string[]): string {
  const more = names.length > namedUses ? ` and ${names.length - namedUses} more` : "";
  return names.slice(0, namedUses).join(", ") + more;
}

function registerConnect(server: FastifyInstance, { connect }: Vault): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    `${path}/connect`,
    {
      config,
      schema: {
        tags,
        summary: "Create a credential and connect it at the provider",
        params: inOrganization,
        body: wire.connectRequest,
        response: { 201: wire.connectStart },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await connect.startNew(request.params.organizationId, request.body, userOf(request))),
  );

  routes.post(
    `${path}/:credentialId/connect`,
    {
      config,
      schema: {
        tags,
        summary: "Connect a credential at the provider again",
        params,
        response: { 200: wire.connectStart },
      },
    },
    async (request) => ({
      credentialId: request.params.credentialId,
      authorizeUrl: await connect.start(request.params, userOf(request)),
    }),
  );

  routes.get(
    "/api/oauth/callback",
    {
      config: { access: "session" },
      schema: {
        tags,
        summary: "Where a provider sends the browser back to",
        querystring: wire.connectAnswer,
        response: { 302: nothing },
      },
    },
    async (request, reply) => reply.redirect(await connect.finish(request.query, userOf(request)), 302),
  );
}
