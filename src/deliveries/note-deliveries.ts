import { createBatch } from "../base/batch.ts";
import { newId } from "../base/ids.ts";
import { toStorableText } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Live } from "../records/live.ts";
import { toPayload, toStorableLine } from "../records/payload.ts";
import type { Database } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import { deliveryEventKind } from "./delivery-source.ts";
import { insertDeliveries, type NewDelivery, type Place, pruneDeliveries } from "./delivery-store.ts";
import type { WebhookDelivery, WebhookDeliveryDetail } from "./wire.ts";

export type NoteDelivery = ReturnType<typeof createNoteDeliveries>["note"];

/** What arrived, what became of it, and what the sender was told. */
export type ArrivedDelivery = Place &
  Pick<WebhookDelivery, "method" | "bytes" | "status" | "outcome"> & {
    contentType: string | undefined;
    reason?: string | undefined;
    runId?: string | undefined;
    isListened: boolean;
    /** As a run sees it; nothing of a delivery that is not believed. */
    trigger?: WebhookDeliveryDetail["data"] | undefined;
  };

type Options = { db: Database; log: Log; live: Pick<Live, "announce"> };

/** Of each trigger, and as many again of those that were refused. */
const keptPerTrigger = 100;
/** A listened event becomes data to build on, so more of it is kept. */
const [mostBytes, mostListenedBytes] = [64 * 1024, 1024 * 1024];
const previewLength = 200;
const reasonLength = 500;
const lineLength = 200;

/** Writes down what arrived, many in one commit. It is for people who look into it, so nobody who delivers waits for it or hears of a failure. */
export function createNoteDeliveries({ db, log, live }: Options) {
  const flush = async (rows: NewDelivery[]): Promise<undefined[]> => {
    await insertDeliveries(db, rows);
    live.announce(
      deliveryEventKind,
      rows.map(({ organization_id, id }) => ({ organizationId: organization_id, id })),
    );
    await pruneDeliveries(db, rows, keptPerTrigger);
    return rows.map(() => undefined);
  };
  const batch = createBatch({ flush, maxItems: 32, gatherMs: 50, isFatal: isDatabaseUnavailable });

  return {
    /** Resolves when it is stored, or cannot be. */
    async note(arrived: ArrivedDelivery): Promise<void> {
      await batch
        .add(toRow(arrived))
        .catch((error: unknown) =>
          log.warn({ err: error, triggerId: arrived.triggerId }, "A delivery could not be written down."),
        );
    },

    drain: batch.drain,
  };
}

function toRow({ trigger, ...arrived }: ArrivedDelivery): NewDelivery {
  const { reason, contentType } = arrived;
  // A run has its trigger data itself.
  const isKept = trigger && (arrived.runId === undefined || arrived.isListened);
  const kept = isKept ? keep(trigger, arrived.isListened ? mostListenedBytes : mostBytes) : undefined;
  return {
    organization_id: arrived.organizationId,
    id: newId(),
    trigger_id: arrived.triggerId,
    method: arrived.method,
    content_type: contentType === undefined ? null : toStorableLine(contentType, lineLength),
    bytes: arrived.bytes,
    status: arrived.status,
    outcome: arrived.outcome,
    reason: reason === undefined ? null : toStorableLine(reason, reasonLength),
    run_id: arrived.runId ?? null,
    is_listened: arrived.isListened,
    preview: trigger ? toStorableLine(beginningOf(trigger.payload), previewLength) : null,
    data: kept?.text ?? null,
    is_truncated: kept?.truncated ?? false,
  };
}

/** Only the payload may be large; the rest came in the head of a request. */
function keep(trigger: NonNullable<ArrivedDelivery["trigger"]>, limitBytes: number) {
  const { text, truncated } = toPayload(trigger.payload, limitBytes);
  const payload: unknown = truncated ? JSON.parse(text) : trigger.payload;
  return { text: toStorableText({ ...trigger, payload }).text, truncated };
}

const beginningOf = (payload: unknown): string => toPayload(payload, previewLength * 100).text;
