import type { FastifyInstance } from "fastify";
import { registerRemovalRoutes } from "./removal-routes.ts";
import { registerTriggerRoutes, type TriggerRouteOptions } from "./trigger-routes.ts";
import type { WebhookRemovals } from "./webhook-removals.ts";
import { registerWebhookRoutes, type WebhookRouteOptions } from "./webhook-routes.ts";

type Options = TriggerRouteOptions & WebhookRouteOptions & { webhookRemovals: WebhookRemovals };

export async function registerTriggersRoutes(
  server: FastifyInstance,
  { webhookRemovals, ...options }: Options,
): Promise<void> {
  registerTriggerRoutes(server, options);
  registerRemovalRoutes(server, webhookRemovals);
  await registerWebhookRoutes(server, options);
}
