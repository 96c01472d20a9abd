import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import { type UserCaller, userOf } from "../door/caller.ts";
import { type AddressCount, limitPerMinute } from "../door/rate-limit.ts";
import type { Visitor } from "./entrance.ts";
import type { Identity } from "./identity.ts";
import * as wire from "./wire.ts";

export type AccountRouteOptions = {
  identity: Identity;
  isSignUpOpen: boolean;
  signInLimitPerMinute: number;
  /** For everything that hashes a password or sends a mail: addresses of people can be invented, that of a caller cannot. */
  countAddress: AddressCount;
  /** Together with its runs, which identity knows nothing of. */
  removeOrganization: (organizationId: string) => Promise<void>;
};

const tags = ["Accounts"];
const nothing = z.undefined().describe("Nothing.");

export function registerAccountRoutes(server: FastifyInstance, options: AccountRouteOptions): void {
  registerFirstRoutes(server, options);
  registerSignIn(server, options);
  registerProfileRoutes(server, options);
}

/** What a person without a session may do is counted by account and by address. */
const limitEntry = ({ signInLimitPerMinute }: AccountRouteOptions) =>
  ({ access: "public", rateLimit: limitPerMinute(signInLimitPerMinute, accountOf) }) as const;

/** Ways to an account of one's own. */
function registerFirstRoutes(server: FastifyInstance, options: AccountRouteOptions): void {
  const { isSignUpOpen, countAddress: onRequest } = options;
  const { accounts, setup } = options.identity;
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const config = limitEntry(options);

  routes.get(
    "/api/setup",
    {
      config: { access: "public" },
      schema: { tags, summary: "Is the first account still missing?", response: { 200: wire.setupState } },
    },
    () => setup.state(),
  );

  routes.post(
    "/api/setup",
    {
      config,
      onRequest,
      schema: {
        tags,
        summary: "Create the first account",
        body: wire.setupRequest,
        response: { 201: wire.setupResult },
      },
    },
    async (request, reply) => {
      const { setupToken, name, ...rest } = request.body;
      const owner = { name, ...rest };
      const result = await setup.createFirst(owner, setupToken);
      const { cookie } = await accounts.enter(result.userId, visitorOf(request));
      return reply.code(201).header("set-cookie", cookie).send(result);
    },
  );

  routes.post(
    "/api/sign-up",
    {
      config,
      onRequest,
      schema: {
        tags,
        summary: "Create an account (hosted service)",
        body: wire.signUpRequest,
        response: { 201: wire.setupResult },
      },
    },
    async (request, reply) => {
      if (!isSignUpOpen) throw new Refusal("sign_up_closed", "Accounts are created by invitation here.");
      const result = await setup.createOwner(request.body);
      const { cookie } = await accounts.enter(result.userId, visitorOf(request));
      return reply.code(201).header("set-cookie", cookie).send(result);
    },
  );
}

/** Ways back to it. */
function registerSignIn(server: FastifyInstance, options: AccountRouteOptions): void {
  const { identity, countAddress: onRequest } = options;
  const { accounts } = identity;
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const config = limitEntry(options);

  routes.post(
    "/api/sign-in",
    { config, onRequest, schema: { tags, summary: "Sign in", body: wire.signInRequest, response: { 200: wire.me } } },
    async (request, reply) => {
      const { cookie } = await accounts.signIn(visitorOf(request), request.body);
      return await answerWithMe(identity, reply, cookie);
    },
  );

  routes.post(
    "/api/password-reset",
    {
      config,
      onRequest,
      schema: {
        tags,
        summary: "Ask for a link to reset a password",
        body: wire.passwordResetRequest,
        response: { 202: nothing },
      },
    },
    async (request, reply) => {
      await accounts.requestPasswordReset(request.body.email);
      return reply.code(202).send();
    },
  );

  routes.post(
    "/api/password-reset/confirm",
    {
      config,
      onRequest,
      schema: { tags, summary: "Choose a new password", body: wire.passwordResetConfirm, response: { 204: nothing } },
    },
    async (request, reply) => {
      await accounts.resetPassword(request.body);
      return reply.code(204).send();
    },
  );
}

function registerProfileRoutes(
  server: FastifyInstance,
  { identity, signInLimitPerMinute, countAddress }: AccountRouteOptions,
): void {
  const { accounts, sessions } = identity;
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const config = { access: "session" } as const;

  routes.post(
    "/api/sign-out",
    { config, schema: { tags, summary: "Sign out", response: { 204: nothing } } },
    async (request, reply) => {
      reply.header("set-cookie", await accounts.signOut(visitorOf(request)));
      return reply.code(204).send();
    },
  );

  routes.get(
    "/api/me",
    { config, schema: { tags, summary: "Who am I?", response: { 200: wire.me } } },
    async (request) => {
      return await toMe(identity, userOf(request));
    },
  );

  routes.patch(
    "/api/me",
    { config, schema: { tags, summary: "Change my name", body: wire.profileChange, response: { 200: wire.me } } },
    async (request) => {
      const user = userOf(request);
      await accounts.rename(user.userId, request.body.name);
      return await toMe(identity, { ...user, name: request.body.name });
    },
  );

  routes.post(
    "/api/me/password",
    {
      config: { ...config, rateLimit: limitPerMinute(signInLimitPerMinute, (request) => userOf(request).userId) },
      onRequest: countAddress,
      schema: {
        tags,
        summary: "Change my password; ends my other sessions",
        body: wire.passwordChange,
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      const cookie = await accounts.changePassword(userOf(request).userId, request.body, visitorOf(request));
      reply.header("set-cookie", cookie);
      return reply.code(204).send();
    },
  );

  routes.get(
    "/api/me/sessions",
    { config, schema: { tags, summary: "Where I am signed in", response: { 200: wire.sessionList } } },
    async (request) => {
      const { userId, sessionId } = userOf(request);
      return { data: await sessions.list(userId, sessionId) };
    },
  );

  routes.delete(
    "/api/me/sessions",
    { config, schema: { tags, summary: "Sign out everywhere else", response: { 204: nothing } } },
    async (request, reply) => {
      const { userId, sessionId } = userOf(request);
      await sessions.endOthers(userId, sessionId);
      return reply.code(204).send();
    },
  );

  routes.delete(
    "/api/me/sessions/:sessionId",
    {
      config,
      schema: {
        tags,
        summary: "End one session",
        params: z.object({ sessionId: z.uuid() }),
        response: { 204: nothing },
      },
    },
    async (request, reply) => {
      await sessions.end(userOf(request).userId, request.params.sessionId);
      return reply.code(204).send();
    },
  );
}

export const visitorOf = (request: FastifyRequest): Visitor => ({
  cookies: request.headers.cookie,
  address: request.ip,
  userAgent: request.headers["user-agent"],
});

/** The answer to a person who has just come in, with the cookie of the new session. */
export async function sendMe(
  identity: Identity,
  request: FastifyRequest,
  { reply, userId }: { reply: FastifyReply; userId: string },
) {
  const { cookie } = await identity.accounts.enter(userId, visitorOf(request));
  return await answerWithMe(identity, reply, cookie);
}

async function answerWithMe(identity: Identity, reply: FastifyReply, cookie: string): Promise<wire.Me> {
  const [cookies] = cookie.split(";", 1);
  const { user } = await identity.accounts.authenticate({ cookies });
  reply.header("set-cookie", cookie);
  return await toMe(identity, user);
}

export async function toMe({ organizations }: Pick<Identity, "organizations">, user: UserCaller): Promise<wire.Me> {
  const memberships = await organizations.listOf(user.userId);
  return {
    user: { id: user.userId, name: user.name, email: user.email, createdAt: user.createdAt.toISOString() },
    sessionId: user.sessionId,
    organizations: memberships,
    mayCreateOrganizations: organizations.mayCreate(memberships),
  };
}

// Before validation: whatever was sent as e-mail address counts, so that a wrong form is limited too.
function accountOf(request: FastifyRequest): string {
  const { email } = (request.body ?? {}) as { email?: unknown };
  return typeof email === "string" ? email.trim().toLowerCase().slice(0, 254) : "";
}
