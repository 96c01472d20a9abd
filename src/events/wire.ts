import { z } from "zod";

// The shapes the platform API speaks about outbound events. The web UI imports only this file.

const id = z.uuid();
const instant = z.iso.datetime();

export const eventTypes = [
  "run.succeeded",
  "run.failed",
  "run.cancelled",
  "tool.failed",
  "credential.needs_reconnect",
] as const;
export const eventType = z.enum(eventTypes).meta({ id: "EventType" });

export const testType = "test";

const url = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .describe("https, or http to an address that OUTBOUND_ALLOWED_CIDRS allows.");
const types = z.array(eventType).min(1).max(eventTypes.length);
const description = z.string().trim().max(200);

export const eventEndpointRequest = z.object({ url, types, description: description.optional() });
export type EventEndpointRequest = z.infer<typeof eventEndpointRequest>;

export const eventEndpointChange = z
  .object({
    url: url.optional(),
    types: types.optional(),
    description: description.optional(),
    isActive: z.boolean().optional(),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    "needs url, types, description or isActive",
  );
export type EventEndpointChange = z.infer<typeof eventEndpointChange>;

export const eventEndpoint = z
  .object({
    id,
    url: z.string(),
    types: z.array(eventType),
    description: z.string(),
    isActive: z.boolean(),
    disabledReason: z.string().nullable().describe("Why the server switched it off by itself."),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: "EventEndpoint" });
export type EventEndpoint = z.infer<typeof eventEndpoint>;
export const eventEndpointList = z.object({ data: z.array(eventEndpoint) });

export const eventEndpointWithSecret = eventEndpoint.extend({
  secret: z.string().describe("What deliveries are signed with, as Standard Webhooks writes it. Shown this once."),
});
export type EventEndpointWithSecret = z.infer<typeof eventEndpointWithSecret>;

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;
export const deliveryStatus = z.enum(deliveryStatuses).meta({ id: "EventDeliveryStatus" });

export const eventDelivery = z
  .object({
    id,
    eventId: id.describe("The header webhook-id, the same in every attempt."),
    type: z.enum([...eventTypes, testType]),
    status: deliveryStatus,
    attempts: z.int(),
    nextAttemptAt: instant.nullable(),
    lastStatus: z.int().nullable().describe("The HTTP status of the last answer; null when there was none."),
    lastError: z.string().nullable(),
    createdAt: instant,
    deliveredAt: instant.nullable(),
    data: z.unknown().describe("What happened, as it is sent."),
  })
  .meta({ id: "EventDelivery" });
export type EventDelivery = z.infer<typeof eventDelivery>;

export const eventDeliveryQuery = z.object({
  status: deliveryStatus.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: id.optional().describe("`nextCursor` of the page before."),
});
export type EventDeliveryQuery = z.infer<typeof eventDeliveryQuery>;

export const eventDeliveryList = z
  .object({ data: z.array(eventDelivery).describe("Newest first."), nextCursor: id.nullable() })
  .meta({ id: "EventDeliveryList" });
export type EventDeliveryList = z.infer<typeof eventDeliveryList>;
