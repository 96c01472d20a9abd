import type { FastifyInstance } from "fastify";
import type { Ground } from "../ground/ground.ts";
import { createProcesses } from "./processes.ts";
import { createReadSlotUse } from "./read-slot-use.ts";
import { type CapOf, createSlots } from "./slots.ts";

/** The slots of organizations, and the words between processes that go the same way. */
export function openSlots({ db, target, log, config, metrics }: Ground, { capOf }: { capOf: CapOf }) {
  const slots = createSlots({ target, capOf, queueLimit: config.maxQueuedExecutions, log });
  metrics.watchSlots(() => ({ ...slots.counts(), cap: slots.cap() }));
  return {
    ...slots,
    processes: createProcesses({ db, slots }),

    async register(server: FastifyInstance): Promise<void> {
      const { registerSlotRoutes } = await import("./slot-routes.ts");
      registerSlotRoutes(server, createReadSlotUse({ db, slots, capOf }));
    },

    stop: slots.close,
  };
}
