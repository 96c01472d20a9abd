import type { FastifyRequest } from "fastify";
import type { Organization } from "../identity/wire.ts";

export type UserCaller = { userId: string; name: string; email: string; createdAt: Date; sessionId: string };
/** Who an API key speaks for. */
export type KeyCaller = { organizationId: string; apiKeyId: string; apiKeyName: string };
export type MemberCaller = { memberId: string; organization: Organization };

declare module "fastify" {
  interface FastifyRequest {
    /** Filled in by the door before the handler runs, according to the route's declared access. */
    caller: { user?: UserCaller; member?: MemberCaller; key?: KeyCaller };
  }
}

export const userOf = (request: FastifyRequest): UserCaller => declared(request.caller.user, request);
export const memberOf = (request: FastifyRequest): MemberCaller => declared(request.caller.member, request);
export const keyOf = (request: FastifyRequest): KeyCaller => declared(request.caller.key, request);

function declared<Value>(value: Value | undefined, request: FastifyRequest): Value {
  if (value === undefined)
    throw new Error(`The route ${request.routeOptions.url} reads a caller that its access does not declare.`);
  return value;
}
