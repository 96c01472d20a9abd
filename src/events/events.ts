import { createAddressRules } from "../base/address-rules.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { createResolveHost } from "../base/resolve-host.ts";
import { createSafeFetch } from "../base/safe-fetch.ts";
import type { Database } from "../storage/database.ts";
import type { Seal } from "../vault/seal.ts";
import { createDeliverEvents } from "./deliver-events.ts";
import { createEventEndpoints, createOpenSecrets } from "./endpoints.ts";
import { createDeliveryRetention } from "./remove-old-deliveries.ts";

type Options = {
  db: Database;
  clock: Clock;
  log: Log;
  seal: Pick<Seal, "seal" | "open">;
  allowedCidrs: string[];
  keptDays: number;
};

/** What happened, told to the endpoints an organization registered. The SQL function publish_event writes what is to be sent. */
export function createEvents({ db, clock, log, seal, allowedCidrs, keptDays }: Options) {
  const encrypted = createAddressRules({ allowedCidrs });
  const unencrypted = createAddressRules({ allowedCidrs, isPublicAllowed: false });
  const resolveFor = { https: createResolveHost({ addressRules: encrypted }), http: createResolveHost({ addressRules: unencrypted }) };
  const fetchFor = { https: createSafeFetch({ addressRules: encrypted }), http: createSafeFetch({ addressRules: unencrypted }) };
  const deliverEvents = createDeliverEvents({ db, clock, log, fetchFor, openSecrets: createOpenSecrets(seal) });
  const retention = createDeliveryRetention({ db, log, keptDays });
  return {
    endpoints: createEventEndpoints({ db, clock, seal, resolveFor }),
    retention,

    /** What a worker does in the background. */
    start(): void {
      deliverEvents.start();
      retention.start();
    },

    async close(): Promise<void> {
      await Promise.all([deliverEvents.stop(), retention.stop()]);
      await Promise.all([fetchFor.https.close(), fetchFor.http.close()]);
    },
  };
}
