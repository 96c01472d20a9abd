import type { Span } from "../base/tracing.ts";
import type { Poll } from "../contract/poll.ts";
import type { RunRequest } from "../runs/accept/run-request.ts";
import type { TriggerData } from "../workflows/engine-node.ts";
import type { NodeOverride } from "../workflows/wire.ts";
import { deliveryOf } from "./provider-deliveries.ts";
import type { TriggerRow } from "./store.ts";

/** The run that a schedule starts at a moment. */
export const requestOfTick = (row: TriggerRow, tick: Date, trace: Span): RunRequest => ({
  ...requestOf(row),
  trace,
  trigger: { source: "schedule", sender: null, prompt: row.prompt, payload: { scheduledAt: tick.toISOString() } },
});

/** The run that a webhook starts for what was delivered. */
export function requestOfDelivery(row: TriggerRow, { event, payload, request }: Delivered, trace: Span): RunRequest {
  const special = deliveryOf(row.provider_id);
  return {
    ...requestOf(row),
    trace,
    trigger: {
      source: row.provider_id ?? "webhook",
      sender: special?.sender?.(payload) ?? null,
      prompt: row.prompt || (special?.prompt(payload, event) ?? ""),
      payload,
      ...(row.provider_id === null ? {} : { event }),
      ...request,
    },
  };
}

/** The run that an item starts which a poll found. */
export function requestOfItem(
  row: TriggerRow,
  { poll, payload }: { poll: Poll; payload: unknown },
  trace: Span,
): RunRequest {
  const sender = poll.senderOf?.(payload) ?? null;
  const prompt = row.prompt || (poll.promptOf(payload) ?? "");
  return {
    ...requestOf(row),
    trace,
    trigger: { source: row.provider_id ?? "", sender, prompt, payload, event: poll.id },
  };
}

type Delivered = { event: string | null; payload: unknown; request: Pick<TriggerData, "method" | "query" | "headers"> };

const requestOf = (row: TriggerRow) => ({
  organizationId: row.organization_id,
  workflowId: row.workflow_id,
  kind: row.kind,
  overrides: JSON.parse(row.overrides) as NodeOverride[],
  triggerId: row.id,
});
