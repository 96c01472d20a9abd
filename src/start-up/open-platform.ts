import type { FastifyInstance } from "fastify";
import type { ServerEntry } from "../catalog/wire.ts";
import type { DoorOptions } from "../door/create-door.ts";
import type { Parts } from "../parts.ts";
import { createAuthenticate } from "../platform/authenticate.ts";
import { createPlatformServer } from "../platform/server.ts";
import type { Running } from "../running.ts";

type Opened = {
  parts: Parts;
  running: Running;
  servers: ServerEntry[];
};

/** The platform with what every feature opens on it, in the order of the documentation. */
export function openPlatform(door: Omit<DoorOptions, "name">, { parts, running, ...made }: Opened): Promise<FastifyInstance> {
  const { ground, identity, catalog, vault, workflows, history, events, oauth } = parts;
  const { version } = ground;
  const { slots, calls, runs, triggers, removals, usage, doctor } = running;
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
      calls.register,
      slots.register,
      usage.register,
      (server) =>
        workflows.register(server, { lastRunsOf: runs.list.lastOf, countTriggersOf: triggers.countOf, remove: removals.removeWorkflow }),
      events.register,
      oauth.register,
      doctor.register,
      runs.register,
      triggers.register,
    ],
  });
}
