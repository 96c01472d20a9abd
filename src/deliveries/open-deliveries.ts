import type { FastifyInstance } from "fastify";
import { repeatWork } from "../base/repeat-work.ts";
import type { Ground } from "../ground/ground.ts";
import type { Live } from "../records/live.ts";
import { createDeliveries } from "./deliveries.ts";
import { deliveryTables, removeOldDeliveries } from "./delivery-store.ts";
import { createNoteDeliveries } from "./note-deliveries.ts";

export type OpenedDeliveries = ReturnType<typeof openDeliveries>;

const keptDays = 7;
const batchSize = 1000;

/** What arrived at webhooks: written down, shown, listened for, and removed when it is old. */
export function openDeliveries({ db, log, isWorker }: Ground, { history: { live } }: { history: { live: Live } }) {
  const deliveries = createDeliveries({ db });
  const { note, drain } = createNoteDeliveries({ db, log, live });
  const retention = repeatWork({
    log,
    intervalMs: 300_000,
    work: (isStopping) => removeOld(deliveryTables(db), isStopping),
    failure: "old deliveries of webhooks were not removed",
  });
  return {
    ...deliveries,
    note,
    removeOld: retention.run,

    async register(server: FastifyInstance): Promise<void> {
      const { registerDeliveryRoutes } = await import("./delivery-routes.ts");
      registerDeliveryRoutes(server, deliveries);
    },

    start(): void {
      if (isWorker) retention.start();
    },

    async stop(): Promise<void> {
      await Promise.all([drain(), retention.stop()]);
    },
  };
}

async function removeOld(tables: ReturnType<typeof deliveryTables>, isStopping: () => boolean): Promise<number> {
  let removed = 0;
  while (!isStopping()) {
    const count = await removeOldDeliveries(tables, { keptDays, limit: batchSize });
    removed += count;
    if (count < batchSize) break;
  }
  return removed;
}
