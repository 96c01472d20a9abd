import type { FastifyInstance } from "fastify";
import { createAddressCount } from "../door/rate-limit.ts";
import { type AccountRouteOptions, registerAccountRoutes } from "./account-routes.ts";
import { registerApiKeyRoutes } from "./api-key-routes.ts";
import { registerOrganizationRoutes } from "./organization-routes.ts";

type Options = Omit<AccountRouteOptions, "countAddress"> & { signInAddressLimitPerMinute: number };

export function registerIdentityRoutes(
  server: FastifyInstance,
  { signInAddressLimitPerMinute, ...given }: Options,
): void {
  const options = { ...given, countAddress: createAddressCount(server, signInAddressLimitPerMinute) };
  registerAccountRoutes(server, options);
  registerOrganizationRoutes(server, options);
  registerApiKeyRoutes(server, options.identity);
}
