import { createAddressRules } from "../../../src/base/address-rules.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";
import { createSafeFetch } from "../../../src/base/safe-fetch.ts";
import { createDeliverEvents } from "../../../src/events/deliver-events.ts";
import { createOpenSecrets } from "../../../src/events/endpoints.ts";
import { createDatabase } from "../../../src/storage/database.ts";
import { createSeal } from "../../../src/vault/seal.ts";
import type { EventWorkerTask } from "./event-workers.ts";

// A process that delivers events until it is killed or its parent ends.
const { target, masterKey, leaseMs } = JSON.parse(process.argv[2] ?? "") as EventWorkerTask;
const log = createLog("error");
const fetch = createSafeFetch({ addressRules: createAddressRules({ allowedCidrs: ["127.0.0.0/8"] }) });
const seal = createSeal(() => ({ current: Buffer.from(masterKey, "base64"), previous: [] }));
const deliverEvents = createDeliverEvents({
  db: createDatabase({ target, applicationName: "event-worker", log }),
  clock: systemClock,
  log,
  fetchFor: { https: fetch, http: fetch },
  openSecrets: createOpenSecrets(seal),
  pollMs: 50,
  leaseMs,
});
process.stdin.on("end", () => process.exit()).resume();
deliverEvents.start();
process.stdout.write("up\n");
