import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import type { Access } from "../door/access.ts";
import { createOriginCheck } from "../door/host-check.ts";
import { visitorOf } from "../identity/account-routes.ts";
import type { Identity } from "../identity/identity.ts";
import { rankOf } from "../identity/organizations.ts";
import type { Role } from "../identity/wire.ts";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const uuid = z.uuid();

export type Authenticate = ReturnType<typeof createAuthenticate>;

/** Runs before the body is read, so that whoever may not call learns nothing about what a call would do. */
export function createAuthenticate({ identity, baseUrl }: { identity: Identity; baseUrl: string }) {
  const isOwnOrigin = createOriginCheck(baseUrl);

  // A browser sends the session cookie on its own, so what changes something must come from our own pages.
  function requireOwnOrigin(request: FastifyRequest, access: Access): void {
    const { origin } = request.headers;
    if (safeMethods.has(request.method) || (origin === undefined && access === "public")) return;
    if (origin === undefined || !isOwnOrigin(origin))
      throw new Refusal("origin_refused", `Changes need the header Origin: ${new URL(baseUrl).origin}.`, {
        errors: [{ pointer: "origin", detail: "is missing or foreign" }],
      });
  }

  async function readSession(request: FastifyRequest, reply: FastifyReply) {
    const { user, cookie } = await identity.accounts.authenticate(visitorOf(request));
    if (cookie !== undefined) reply.header("set-cookie", cookie);
    request.caller.user = user;
    return user;
  }

  async function readMembership(request: FastifyRequest, userId: string, atLeast: Role): Promise<void> {
    const { organizationId } = request.params as { organizationId?: string };
    const isId = uuid.safeParse(organizationId).success;
    const member = isId ? await identity.organizations.membership(organizationId as string, userId) : undefined;
    if (!member) throw new Refusal("not_found", "There is no such organization.");
    if (rankOf(member.organization.role) < rankOf(atLeast))
      throw new Refusal("role_required", `This needs the role ${atLeast} or higher.`);
    request.caller.member = member;
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.caller = {};
    const { access } = request.routeOptions.config;
    if (access === undefined || access === "operations") return;
    refuseKeyInQuery(request);
    if (typeof access === "object" && "scope" in access) {
      request.caller.key = await identity.apiKeys.verify(headerOf(request, "x-api-key"), access.scope);
      return;
    }
    requireOwnOrigin(request, access);
    if (access === "public") return;
    const user = await readSession(request, reply);
    if (typeof access === "object") await readMembership(request, user.userId, access.role);
  };
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value.trim() : undefined;
}

// Addresses end up in logs and histories, so a key there is already lost; accepting it would teach people to do it.
function refuseKeyInQuery(request: FastifyRequest): void {
  if (/[?&](api_?key|x-api-key|key)=swy_/i.test(request.url))
    throw new Refusal(
      "api_key_missing",
      "Send the API key in the X-API-Key header, never in the address. Regenerate this key.",
    );
}
