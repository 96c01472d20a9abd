import type { FastifyInstance } from "fastify";
import { createAddressRules } from "../base/address-rules.ts";
import { createResolveHost } from "../base/resolve-host.ts";
import { createSafeFetch } from "../base/safe-fetch.ts";
import type { Ground } from "../ground/ground.ts";
import type { Seal } from "../vault/seal.ts";
import { createDeliverEvents } from "./deliver-events.ts";
import { createEventEndpoints, createOpenSecrets } from "./endpoints.ts";
import { createDeliveryRetention } from "./remove-old-deliveries.ts";

/** What happened, told to the endpoints an organization registered. The SQL function publish_event writes what is to be sent. */
export function openEvents(
  { db, clock, log, config, isWorker }: Ground,
  { seal }: { seal: Pick<Seal, "seal" | "open"> },
) {
  const { outboundAllowedCidrs: allowedCidrs, historyRetentionDays: keptDays } = config;
  const encrypted = createAddressRules({ allowedCidrs });
  const unencrypted = createAddressRules({ allowedCidrs, isPublicAllowed: false });
  const resolveFor = {
    https: createResolveHost({ addressRules: encrypted }),
    http: createResolveHost({ addressRules: unencrypted }),
  };
  const fetchFor = {
    https: createSafeFetch({ addressRules: encrypted }),
    http: createSafeFetch({ addressRules: unencrypted }),
  };
  const deliverEvents = createDeliverEvents({ db, clock, log, fetchFor, openSecrets: createOpenSecrets(seal) });
  const retention = createDeliveryRetention({ db, log, keptDays });
  const endpoints = createEventEndpoints({ db, clock, seal, resolveFor });
  return {
    endpoints,
    retention,

    async register(server: FastifyInstance): Promise<void> {
      const { registerEventRoutes } = await import("./event-routes.ts");
      registerEventRoutes(server, endpoints);
    },

    start(): void {
      if (!isWorker) return;
      deliverEvents.start();
      retention.start();
    },

    async stop(): Promise<void> {
      await Promise.all([deliverEvents.stop(), retention.stop()]);
      await Promise.all([fetchFor.https.close(), fetchFor.http.close()]);
    },
  };
}
