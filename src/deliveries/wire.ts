import { z } from "zod";
import { triggerData } from "../runs/wire.ts";

// The shapes the platform API speaks about what arrived at webhooks.

const id = z.uuid();
const instant = z.iso.datetime();

export const webhookDelivery = z
  .object({
    id,
    triggerId: id,
    receivedAt: instant,
    method: z.string(),
    contentType: z.string().nullable(),
    bytes: z.int().describe("Of the body as it was sent."),
    status: z.int().describe("The HTTP status that the sender was answered with."),
    outcome: z.enum(["started", "ignored", "refused"]).describe("ignored: all is well, but no run was started."),
    reason: z.string().nullable().describe("Why it started nothing, in words."),
    runId: id.nullable().describe("The first run that it started."),
    listened: z.boolean().describe("Whether somebody listened for it."),
    preview: z.string().nullable().describe("How the body begins; null where it is not kept."),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

export const webhookDeliveryDetail = webhookDelivery
  .extend({
    data: triggerData
      .nullable()
      .describe(
        "`$trigger` as a run sees it. Null where it is not kept: deliveries that were refused, or whose run is gone.",
      ),
    truncated: z.boolean().describe("Whether the payload was too large to be kept whole."),
  })
  .meta({ id: "WebhookDeliveryDetail" });
export type WebhookDeliveryDetail = z.infer<typeof webhookDeliveryDetail>;

export const webhookDeliveryQuery = z.object({
  refused: z.enum(["true", "false"]).optional(),
  listened: z.enum(["true", "false"]).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: id.optional().describe("`nextCursor` of the page before."),
});
export type WebhookDeliveryQuery = z.infer<typeof webhookDeliveryQuery>;

export const webhookDeliveryList = z
  .object({
    data: z.array(webhookDelivery).describe("Newest first."),
    nextCursor: id.nullable(),
    listeningUntil: instant.nullable().describe("Until when the next delivery is waited for, by anybody."),
  })
  .meta({ id: "WebhookDeliveryList" });
export type WebhookDeliveryList = z.infer<typeof webhookDeliveryList>;

export const listening = z
  .object({ until: instant.describe("When listening ends by itself.") })
  .meta({ id: "WebhookListening" });
export type Listening = z.infer<typeof listening>;
