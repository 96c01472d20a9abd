import { z } from "zod";

// The shapes the platform API speaks about how much an organization does.

const count = z.int();
const instant = z.iso.datetime();

export const usageQuery = z.object({
  days: z
    .enum(["1", "7", "30"])
    .default("7")
    .transform((text): 1 | 7 | 30 => periods[text])
    .describe("How far back, until now."),
});
const periods = { "1": 1, "7": 7, "30": 30 } as const;
export type UsageDays = z.infer<typeof usageQuery>["days"];

const bucket = z.object({
  at: instant.describe("When the bucket begins."),
  calls: z.object({ success: count, failed: count.describe("Timed out ones too."), refused: count, other: count }),
  runs: z.object({ succeeded: count, failed: count, other: count }),
});
export type UsageBucket = z.infer<typeof bucket>;

const duration = z.int().nullable().describe("Rounded to two digits; null when no call ended.");

export const usage = z
  .object({
    from: instant,
    to: instant,
    bucketMinutes: count,
    total: z.object({ calls: count, runs: count }),
    series: z.array(bucket).describe("Every bucket of the period in UTC, oldest first; the last one is not over yet."),
    byTool: z
      .array(
        z.object({
          serverId: z.string(),
          tool: z.string(),
          calls: count,
          failed: count,
          p50Ms: duration,
          p95Ms: duration,
        }),
      )
      .describe("Most used first, at most 50."),
    byKey: z
      .array(
        z.object({
          apiKeyId: z.uuid().nullable().describe("Null: not with a key."),
          name: z.string(),
          calls: count,
          runs: count,
        }),
      )
      .describe("Most used first, at most 50."),
    byStatus: z.array(z.object({ status: z.string(), calls: count })).describe("Most frequent first."),
    byWorkflow: z
      .array(z.object({ workflowId: z.uuid(), workflowName: z.string(), runs: count, failed: count }))
      .describe("Most used first, at most 50."),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof usage>;
