import { isDeepStrictEqual } from "node:util";
import type { TriggerRow, TriggerUpdate } from "../store.ts";
import type { TriggerChange } from "../wire.ts";

/** What a change of a poll means for its row as it is at that moment. */
export function changePoll(row: TriggerRow, { active = row.is_active, credentialId, poll = {} }: TriggerChange, now: Date): TriggerUpdate {
  const update = {
    credential_id: credentialId ?? row.credential_id,
    poll_id: poll.event ?? row.poll_id,
    poll_parameters: writeParameters(row, poll.parameters),
    poll_every_seconds: poll.everySeconds === undefined ? row.poll_every_seconds : poll.everySeconds,
    poll_takes_existing: poll.takesExisting ?? row.poll_takes_existing,
  };
  const isElsewhere = looksElsewhere(row, update);
  const isFirst = isElsewhere || (active && !row.is_active);
  return {
    ...update,
    // What it was answered last is kept when it is turned on again: what came while it was off starts nothing.
    ...(isElsewhere ? { last_polled_at: null, last_error: null, own_sender: null, own_sender_asked_at: null } : {}),
    ...(isFirst ? { poll_mark: null, poll_round: row.poll_round + 1, poll_wait_seconds: 0 } : {}),
    next_poll_at: active ? (isFirst ? now : noLaterThan(row, update.poll_every_seconds, now)) : null,
  };
}

type Looks = Pick<TriggerRow, "credential_id" | "poll_id" | "poll_parameters">;

/** Whether it looks somewhere else, where the same ids may name other items. */
export const looksElsewhere = (before: Looks, after: Looks): boolean =>
  (["credential_id", "poll_id", "poll_parameters"] as const).some((column) => before[column] !== after[column]);

/** The same text where it says the same. */
function writeParameters({ poll_parameters: before }: TriggerRow, wanted: Record<string, unknown> | undefined): string | null {
  if (wanted === undefined || before === null || isDeepStrictEqual(JSON.parse(before), wanted)) return before;
  return JSON.stringify(wanted);
}

function noLaterThan({ next_poll_at: next }: TriggerRow, everySeconds: number | null, now: Date): Date {
  const latest = everySeconds === null ? Number.POSITIVE_INFINITY : now.getTime() + everySeconds * 1000;
  return new Date(Math.min((next ?? now).getTime(), latest));
}
