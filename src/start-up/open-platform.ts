import type { FastifyInstance } from "fastify";
import type { openDoctor } from "../doctor/open-doctor.ts";
import type { DoorOptions } from "../door/create-door.ts";
import type { openGateway } from "../gateway/open-gateway.ts";
import { createAuthenticate } from "../platform/authenticate.ts";
import { createPlatformServer } from "../platform/server.ts";
import type { Parts } from "./open-parts.ts";
import type { Running } from "./open-running.ts";

// Each feature loads its routes when it registers them. Named here they come with this file, which is loaded while the database still starts.
import "../calls/routes.ts";
import "../catalog/routes.ts";
import "../deliveries/delivery-routes.ts";
import "../doctor/doctor-routes.ts";
import "../events/event-routes.ts";
import "../history/routes.ts";
import "../identity/routes.ts";
import "../oauth/routes.ts";
import "../runs/routes.ts";
import "../slots/slot-routes.ts";
import "../triggers/routes.ts";
import "../usage/routes.ts";
import "../vault/routes.ts";
import "../workflows/engine-node-routes.ts";
import "../workflows/workflow-routes.ts";

type Features = Parts & Running & { gateway: ReturnType<typeof openGateway>; doctor: ReturnType<typeof openDoctor> };

/** The platform with what every feature opens on it, in the order of the documentation. */
export function openPlatform(door: Omit<DoorOptions, "name">, features: Features): Promise<FastifyInstance> {
  const { ground, identity, catalog, vault, workflows, history, events, oauth } = features;
  const { slots, calls, runs, deliveries, triggers, removals, usage, doctor, gateway } = features;
  const authenticate = createAuthenticate({ identity, baseUrl: door.baseUrl });
  return createPlatformServer({
    door,
    version: ground.version,
    authenticate,
    features: [
      (server) => identity.register(server, removals),
      (server) => catalog.register(server, { servers: gateway.listServers() }),
      workflows.registerNodes,
      (server) =>
        vault.register(server, {
          workflows: workflows.usesOfCredential,
          triggers: triggers.usesOfCredential,
          webhooks: triggers.webhookRemovals.needing,
          loseAccount: triggers.webhookRemovals.loseAccount,
        }),
      (server) => history.register(server, { requireAccess: authenticate }),
      calls.register,
      slots.register,
      usage.register,
      (server) =>
        workflows.register(server, {
          lastRunsOf: runs.list.lastOf,
          countTriggersOf: triggers.countOf,
          remove: removals.removeWorkflow,
        }),
      events.register,
      oauth.register,
      doctor.register,
      runs.register,
      triggers.register,
      deliveries.register,
    ],
  });
}
