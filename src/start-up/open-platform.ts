import type { FastifyInstance } from "fastify";
import type { ServerEntry } from "../catalog/wire.ts";
import type { Doctor } from "../doctor/doctor.ts";
import { registerDoctorRoutes } from "../doctor/doctor-routes.ts";
import type { DoorOptions } from "../door/create-door.ts";
import type { Parts } from "../parts.ts";
import { createAuthenticate } from "../platform/authenticate.ts";
import { createPlatformServer } from "../platform/server.ts";
import type { Running } from "../running.ts";
import { registerUsageRoutes } from "../usage/routes.ts";
import type { ReadUsage } from "../usage/usage.ts";

type Opened = {
  parts: Parts;
  running: Running;
  servers: ServerEntry[];
  doctor: Doctor;
  readUsage: ReadUsage;
};

/** The platform with what every feature opens on it, in the order of the documentation. */
export function openPlatform(door: Omit<DoorOptions, "name">, { parts, running, ...made }: Opened): Promise<FastifyInstance> {
  const { ground, identity, catalog, vault, workflows, history, events, oauth } = parts;
  const { version } = ground;
  const { runs, triggers, removals } = running;
  const authenticate = createAuthenticate({ identity, baseUrl: door.baseUrl });
  return createPlatformServer({
    door,
    version,
    authenticate,
    features: [
      (server) => identity.register(server, removals),
      (server) => catalog.register(server, made),
      workflows.registerNodes,
      (server) => vault.register(server, { workflows: workflows.usesOfCredential, triggers: triggers.usesOfCredential }),
      (server) => history.register(server, { requireAccess: authenticate }),
      running.calls.register,
      running.slots.register,
      (server) => registerUsageRoutes(server, made.readUsage),
      (server) =>
        workflows.register(server, { lastRunsOf: runs.list.lastOf, countTriggersOf: triggers.countOf, remove: removals.removeWorkflow }),
      events.register,
      oauth.register,
      (server) => registerDoctorRoutes(server, made.doctor),
      runs.register,
      triggers.register,
    ],
  });
}
