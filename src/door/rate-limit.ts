import { isIPv6 } from "node:net";
import rateLimit, { type RateLimitOptions } from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../base/refusal.ts";
import { keyOf } from "./caller.ts";
import type { SharedCounts } from "./shared-counts.ts";

type Door = { name: string; siblings?: { counts: SharedCounts } | undefined };

/** Must be registered before the routes it limits. Each process counts for itself, or with those that a supervisor started beside it. */
export async function registerRateLimit(server: FastifyInstance, { name, siblings }: Door): Promise<void> {
  await server.register(rateLimit, {
    global: false,
    enableDraftSpec: true,
    ...(siblings ? { store: siblings.counts.storeOf(name) } : {}),
    errorResponseBuilder: (_request, { ttl }) => tooMany(Math.ceil(ttl / 1000)),
  });
}

/** Counts one more of what a caller asks for, as often as it is called, and refuses what is too many. */
export function createCount(
  server: FastifyInstance,
  limits: { maxPerMinute: number; callerOf: (request: FastifyRequest) => string },
) {
  const count = server.createRateLimit({ max: limits.maxPerMinute, timeWindow: 60_000, keyGenerator: limits.callerOf });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const state = await count(request);
    if (state.isAllowed) return;
    const { max, remaining, ttlInSeconds } = state;
    reply.headers({ "RateLimit-Limit": max, "RateLimit-Remaining": remaining, "RateLimit-Reset": ttlInSeconds });
    if (state.isExceeded) throw tooMany(ttlInSeconds);
  };
}

/** Counts what comes from one address, whichever of the routes that have it as `onRequest` is asked. */
export const createAddressCount = (server: FastifyInstance, maxPerMinute: number) =>
  createCount(server, { maxPerMinute, callerOf: ({ ip }) => networkOf(ip) });

export type AddressCount = ReturnType<typeof createAddressCount>;

const tooMany = (seconds: number) =>
  new Refusal("rate_limited", `Too many requests. Try again in ${seconds} s.`, {
    headers: { "Retry-After": String(seconds) },
  });

/** Counts per caller address and, when given, per what the request is about. */
export function limitPerMinute(max: number, subjectOf?: (request: FastifyRequest) => string): RateLimitOptions {
  return {
    max,
    timeWindow: 60_000,
    hook: subjectOf ? "preValidation" : "onRequest",
    keyGenerator: (request) => `${networkOf(request.ip)} ${subjectOf?.(request) ?? ""}`,
  };
}

/** Counts per API key, wherever its calls come from. */
export const limitKeyPerMinute = (max: number): RateLimitOptions => ({
  max,
  timeWindow: 60_000,
  keyGenerator: (request) => keyOf(request).apiKeyId,
});

// An IPv6 customer owns a whole /64, so single addresses say nothing.
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const tailGroups = tail === "" ? [] : tail.split(":");
    groups.push(...Array.from({ length: 8 - groups.length - tailGroups.length }, () => "0"), ...tailGroups);
  }
  return groups.slice(0, 4).join(":");
}
