import { z } from "zod";

// The shapes the platform API speaks about what runs at this moment.

export const slotUse = z
  .object({
    cap: z.int().describe("How many runs and calls of the organization may be under way at the same time."),
    inUse: z.int().describe("Of other processes also what they keep for a few seconds after use."),
    waiting: z.int().describe("Runs and calls that wait for a slot."),
    oldestWaitMs: z.int().nullable().describe("How long the first of them has been waiting."),
    byKind: z
      .object({ runs: z.int(), calls: z.int() })
      .nullable()
      .describe("What the slots are used by; null while other processes hold some, because only they know."),
  })
  .meta({ id: "SlotUse" });
export type SlotUse = z.infer<typeof slotUse>;
