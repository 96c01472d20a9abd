import type { FastifyRequest } from "fastify";
import { Refusal } from "../base/refusal.ts";

/** Guards against DNS rebinding: a page of another name that resolves to this server is not answered. */
export function createHostCheck(publicUrls: string[]) {
  const ownHosts = new Set(publicUrls.map((url) => new URL(url).host));
  return (request: FastifyRequest): void => {
    const host = request.headers.host?.toLowerCase();
    if (host === undefined) throw new Refusal("malformed_request", "The header host is missing.");
    if (ownHosts.has(host) || isLoopbackHost(host)) return;
    throw new Refusal(
      "host_refused",
      "This server is not reached under this name. Set its public address in the configuration.",
    );
  };
}

/** Whether a browser page of this origin is our own page: the public address, or the same port on a loopback name. */
export function createOriginCheck(baseUrl: string) {
  const own = new URL(baseUrl);
  const isLoopback = isLoopbackHost(own.host);
  return (origin: string): boolean => {
    if (origin === own.origin) return true;
    const given = URL.parse(origin);
    return (
      isLoopback &&
      given !== null &&
      given.protocol === own.protocol &&
      given.port === own.port &&
      isLoopbackHost(given.host)
    );
  };
}

const isLoopbackHost = (host: string): boolean => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);
