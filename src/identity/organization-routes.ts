import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import { memberOf, userOf } from "../door/caller.ts";
import { limitPerMinute } from "../door/rate-limit.ts";
import { type AccountRouteOptions, sendMe, toMe } from "./account-routes.ts";
import type { Identity } from "./identity.ts";
import { requireRankFor } from "./organizations.ts";
import * as wire from "./wire.ts";

const nothing = z.undefined().describe("Nothing.");
const inOrganization = z.object({ organizationId: z.uuid() });
const path = "/api/organizations/:organizationId";

export function registerOrganizationRoutes(server: FastifyInstance, options: AccountRouteOptions): void {
  registerOrganization(server, options);
  registerMembers(server, options.identity);
  registerInvitations(server, options.identity);
  registerInvitationAnswers(server, options);
}

function registerOrganization(
  server: FastifyInstance,
  { identity: { organizations }, removeOrganization }: AccountRouteOptions,
): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const tags = ["Organizations"];

  routes.post(
    "/api/organizations",
    {
      config: { access: "session" },
      schema: {
        tags,
        summary: "Create an organization",
        body: wire.organizationRequest,
        response: { 201: wire.organization },
      },
    },
    async (request, reply) => {
      const { userId } = userOf(request);
      if (!organizations.mayCreate(await organizations.listOf(userId)))
        throw new Refusal(
          "role_required",
          "Only owners and admins of an organization create further ones here. Ask one of them.",
        );
      return reply.code(201).send(await organizations.create(request.body.name, userId));
    },
  );

  routes.get(
    path,
    {
      config: { access: { role: "viewer" } },
      schema: { tags, summary: "Read an organization", params: inOrganization, response: { 200: wire.organization } },
    },
    async (request) => memberOf(request).organization,
  );

  routes.patch(
    path,
    {
      config: { access: { role: "admin" } },
      schema: {
        tags,
        summary: "Rename an organization",
        params: inOrganization,
        body: wire.organizationRequest,
        response: { 200: wire.organization },
      },
    },
    async (request) => {
      await organizations.rename(request.params.organizationId, request.body.name);
      return { ...memberOf(request).organization, name: request.body.name };
    },
  );

  routes.delete(
    path,
    {
      config: { access: { role: "owner" } },
      schema: {
        tags,
        summary: "Delete an organization and everything in it",
        params: inOrganization,
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      await removeOrganization(request.params.organizationId);
      return reply.code(204).send();
    },
  );
}

function registerMembers(server: FastifyInstance, { organizations }: Identity): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const tags = ["Members"];
  const params = inOrganization.extend({ memberId: z.uuid() });

  routes.get(
    `${path}/members`,
    {
      config: { access: { role: "viewer" } },
      schema: {
        tags,
        summary: "List members",
        params: inOrganization,
        querystring: wire.pageQuery,
        response: { 200: wire.memberList },
      },
    },
    (request) => organizations.pageOfMembers(request.params.organizationId, request.query),
  );

  routes.patch(
    `${path}/members/:memberId`,
    {
      config: { access: { role: "admin" } },
      schema: { tags, summary: "Change a member's role", params, body: wire.memberChange, response: { 204: nothing } },
    },
    async (request, reply) => {
      const { organizationId, memberId } = request.params;
      await organizations.setRole(organizationId, memberId, {
        actorId: memberOf(request).memberId,
        role: request.body.role,
      });
      return reply.code(204).send();
    },
  );

  routes.delete(
    `${path}/members/:memberId`,
    {
      config: { access: { role: "admin" } },
      schema: { tags, summary: "Remove a member", params, response: { 204: nothing } },
    },
    async (request, reply) => {
      const { organizationId, memberId } = request.params;
      await organizations.removeMember(organizationId, memberId, { actorId: memberOf(request).memberId });
      return reply.code(204).send();
    },
  );

  routes.delete(
    `${path}/members/me`,
    {
      config: { access: { role: "viewer" } },
      schema: { tags, summary: "Leave the organization", params: inOrganization, response: { 204: nothing } },
    },
    async (request, reply) => {
      const { memberId, organization } = memberOf(request);
      await organizations.removeMember(organization.id, memberId, { actorId: memberId });
      return reply.code(204).send();
    },
  );
}

function registerInvitations(server: FastifyInstance, { invitations }: Identity): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const tags = ["Members"];
  const config = { access: { role: "admin" } } as const;

  routes.get(
    `${path}/invitations`,
    {
      config,
      schema: {
        tags,
        summary: "List open invitations",
        params: inOrganization,
        querystring: wire.pageQuery,
        response: { 200: wire.invitationList },
      },
    },
    (request) => invitations.page(request.params.organizationId, request.query),
  );

  routes.post(
    `${path}/invitations`,
    {
      config,
      schema: {
        tags,
        summary: "Invite a person",
        params: inOrganization,
        body: wire.invitationRequest,
        response: { 201: wire.createdInvitation },
      },
    },
    async (request, reply) => {
      const { organization } = memberOf(request);
      requireRankFor(organization.role, request.body.role);
      return reply
        .code(201)
        .send(await invitations.create(organization, { ...request.body, invitedBy: userOf(request).userId }));
    },
  );

  routes.delete(
    `${path}/invitations/:invitationId`,
    {
      config,
      schema: {
        tags,
        summary: "Withdraw an invitation",
        params: inOrganization.extend({ invitationId: z.uuid() }),
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      await invitations.cancel(request.params.organizationId, request.params.invitationId);
      return reply.code(204).send();
    },
  );
}

/** The invited person's side. */
function registerInvitationAnswers(
  server: FastifyInstance,
  { identity, signInLimitPerMinute, countAddress }: AccountRouteOptions,
): void {
  const { invitations, accounts } = identity;
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const tags = ["Members"];
  const params = z.object({ invitationId: z.uuid() });
  const config = { access: "public", rateLimit: limitPerMinute(signInLimitPerMinute) } as const;

  routes.get(
    "/api/invitations/:invitationId",
    {
      config,
      schema: {
        tags,
        summary: "Look at an invitation",
        params,
        querystring: wire.invitationToken,
        response: { 200: wire.invitationView },
      },
    },
    (request) => invitations.view(request.params.invitationId, request.query.token),
  );

  routes.post(
    "/api/invitations/:invitationId/accept",
    {
      config: { access: "session" },
      schema: { tags, summary: "Accept an invitation", params, body: wire.invitationToken, response: { 200: wire.me } },
    },
    async (request) => {
      const user = userOf(request);
      await invitations.accept(request.params.invitationId, request.body.token, { id: user.userId, email: user.email });
      return await toMe(identity, user);
    },
  );

  routes.post(
    "/api/invitations/:invitationId/sign-up",
    {
      config,
      onRequest: countAddress,
      schema: {
        tags,
        summary: "Accept an invitation with a new account",
        params,
        body: wire.invitationSignUp,
        response: { 201: wire.me },
      },
    },
    async (request, reply) => {
      const { token, name, password } = request.body;
      const { email } = await invitations.view(request.params.invitationId, token);
      const { userId } = await accounts.create({ name, email, password });
      await invitations.accept(request.params.invitationId, token, { id: userId, email });
      return reply.code(201).send(await sendMe(identity, request, { reply, userId }));
    },
  );
}
