import type { TriggerRow, TriggerUpdate } from "../store.ts";
import type { TriggerChange } from "../wire.ts";

/** Whether parameters say the same as those of a trigger, with what is left out filled in. */
export type SaysSame = (row: TriggerRow, parameters: Record<string, unknown>) => boolean;

type Changing = { now: Date; saysSame: SaysSame };

/** What a change of a poll means for its row as it is at that moment. */
export function changePoll(row: TriggerRow, change: TriggerChange, { now, saysSame }: Changing): TriggerUpdate {
  const { active = row.is_active, credentialId = row.credential_id, poll = {} } = change;
  const { event = row.poll_id, parameters } = poll;
  const isSame = parameters === undefined || (event === row.poll_id && saysSame(row, parameters));
  const update = {
    credential_id: credentialId,
    poll_id: event,
    poll_parameters: isSame ? row.poll_parameters : JSON.stringify(parameters),
    poll_every_seconds: poll.everySeconds === undefined ? row.poll_every_seconds : poll.everySeconds,
    poll_takes_existing: poll.takesExisting ?? row.poll_takes_existing,
  };
  const isElsewhere = looksElsewhere(row, update);
  const isFirst = isElsewhere || (active && !row.is_active);
  return {
    ...update,
    // What it was answered last is kept when it is turned on again: what came while it was off starts nothing.
    ...(isElsewhere
      ? { last_polled_at: null, last_error: null, poll_not_before: null, own_sender: null, own_sender_asked_at: null }
      : {}),
    ...(isFirst ? { poll_mark: null, poll_round: row.poll_round + 1, poll_wait_seconds: 0 } : {}),
    next_poll_at: active ? findNext({ ...row, ...update }, { isElsewhere, isFirst, now }) : null,
  };
}

type Looks = Pick<TriggerRow, "credential_id" | "poll_id" | "poll_parameters">;

/** Whether it looks somewhere else, where the same ids may name other items. */
export const looksElsewhere = (before: Looks, after: Looks): boolean =>
  (["credential_id", "poll_id", "poll_parameters"] as const).some((column) => before[column] !== after[column]);

type Begun = { isElsewhere: boolean; isFirst: boolean; now: Date };

/** At once where it begins anew, but no sooner than the service wants it. */
function findNext(row: TriggerRow, { isElsewhere, isFirst, now }: Begun): Date {
  const next = isFirst ? now : noLaterThan(row, now);
  const notBefore = isElsewhere ? null : row.poll_not_before;
  return notBefore !== null && notBefore > next ? notBefore : next;
}

function noLaterThan({ next_poll_at: next, poll_every_seconds: everySeconds }: TriggerRow, now: Date): Date {
  const latest = everySeconds === null ? Number.POSITIVE_INFINITY : now.getTime() + everySeconds * 1000;
  return new Date(Math.min((next ?? now).getTime(), latest));
}
