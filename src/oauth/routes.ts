import type { FastifyInstance } from "fastify";
import { registerConnectionRoutes } from "./connection-routes.ts";
import type { Connections } from "./connections.ts";
import type { Consent } from "./consent.ts";
import { registerConsentRoutes } from "./consent-routes.ts";

/** What people decide on the pages; clients speak with the authorization server, which is on the gateway. */
export function registerOAuthRoutes(
  server: FastifyInstance,
  { consent, connections }: { consent: Consent; connections: Connections },
): void {
  registerConsentRoutes(server, consent);
  registerConnectionRoutes(server, connections);
}
