import type { NodeOverride } from "../workflows/wire.ts";
import { nextFireTimes } from "./next-fire-times.ts";
import type { NamedTriggerRow, TriggerRow } from "./store.ts";
import type { Trigger, TriggerSummary, WebhookMethod } from "./wire.ts";

export const shownFireTimes = 5;

/** With the next five times, which are computed; for one trigger at a time. */
export const toTrigger = (row: NamedTriggerRow): Trigger => ({ ...toListed(row), nextFireTimes: fireTimesOf(row) });

/** With what is stored, so that a long list costs no more than reading it. */
export function toListed(row: NamedTriggerRow): Trigger {
  return {
    ...toSummary(row),
    name: row.name,
    prompt: row.prompt,
    overrides: JSON.parse(row.overrides) as NodeOverride[],
    nextFireTimes: row.next_fire_at === null ? [] : [row.next_fire_at.toISOString()],
    provider: row.provider_id,
    credentialId: row.credential_id,
    signature: signatureOf(row),
    methods: row.kind === "webhook" ? methodsOf(row) : null,
    answerWithinSeconds: row.answer_within_seconds,
    takesBots: row.takes_bots,
    events: JSON.parse(row.events) as string[],
    places: JSON.parse(row.places) as string[],
    filter: row.filter,
    lastError: row.last_error,
    isRegistered: row.registered_place !== null,
    stoppedReason: row.stopped_reason,
    poll: pollOf(row),
    updatedAt: row.updated_at.toISOString(),
  };
}

export const toSummary = (row: NamedTriggerRow): TriggerSummary => ({
  id: row.id,
  workflowId: row.workflow_id,
  workflowName: row.workflow_name,
  kind: row.kind,
  active: row.is_active,
  cron: row.cron,
  timeZone: row.time_zone,
  nextRunAt: row.next_fire_at?.toISOString() ?? null,
  lastRunAt: row.last_fired_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
});

function fireTimesOf({ next_fire_at, cron, time_zone }: TriggerRow): string[] {
  if (next_fire_at === null || cron === null || time_zone === null) return [];
  const following = nextFireTimes({ cron, timeZone: time_zone }, next_fire_at, shownFireTimes - 1);
  return [next_fire_at, ...following].map((time) => time.toISOString());
}

export const methodsOf = ({ methods }: Pick<TriggerRow, "methods">): WebhookMethod[] =>
  methods.split(",") as WebhookMethod[];

function pollOf(row: NamedTriggerRow): Trigger["poll"] {
  if (row.poll_id === null || row.poll_parameters === null) return null;
  return {
    event: row.poll_id,
    parameters: JSON.parse(row.poll_parameters) as Record<string, unknown>,
    everySeconds: row.poll_every_seconds,
    takesExisting: row.poll_takes_existing,
    lastPolledAt: row.last_polled_at?.toISOString() ?? null,
    nextPollAt: row.next_poll_at?.toISOString() ?? null,
    faultyItems: row.faulty_items ?? { waiting: 0, givenUp: 0, lastFault: null },
  };
}

function signatureOf({ kind, provider_id, secret_sealed }: TriggerRow): Trigger["signature"] {
  if (kind !== "webhook") return null;
  if (provider_id !== null) return "provider";
  return secret_sealed === null ? "none" : "standard";
}
