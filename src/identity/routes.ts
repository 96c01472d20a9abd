import type { FastifyInstance } from "fastify";
import { type AccountRouteOptions, registerAccountRoutes } from "./account-routes.ts";
import { registerApiKeyRoutes } from "./api-key-routes.ts";
import { registerOrganizationRoutes } from "./organization-routes.ts";

export function registerIdentityRoutes(server: FastifyInstance, options: AccountRouteOptions): void {
  registerAccountRoutes(server, options);
  registerOrganizationRoutes(server, options);
  registerApiKeyRoutes(server, options.identity);
}
