import type { DeliveryRow } from "./delivery-store.ts";
import type { WebhookDelivery } from "./wire.ts";

export const toEntry = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  triggerId: row.trigger_id,
  receivedAt: row.recorded_at.toISOString(),
  method: row.method,
  contentType: row.content_type,
  bytes: row.bytes,
  status: row.status,
  outcome: row.outcome,
  reason: row.reason,
  runId: row.run_id,
  listened: row.is_listened,
  preview: row.preview,
});
