import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Database } from "../../storage/database.ts";
import { choosePause, toSeconds } from "./choose-pause.ts";
import type { Polls, Target } from "./find-poll.ts";
import type { Looked, LookForNew } from "./look-for-new.ts";
import { type ClaimedPoll, endLook, pollTables } from "./poll-store.ts";
import { wordsOf } from "./words-of.ts";

export type MakeLook = ReturnType<typeof createMakeLook>;

type Options = { db: Database; log: Log; polls: Pick<Polls, "targetOf">; lookForNew: LookForNew };

/** Makes the look of a trigger, and says in its row how that went and when the next is due. */
export function createMakeLook({ db, log, polls, lookForNew }: Options) {
  const tables = pollTables(db);

  async function tryToLook(row: ClaimedPoll, signal: AbortSignal): Promise<Looked & { target: Target | null }> {
    let target: Target | null = null;
    try {
      target = polls.targetOf(row);
      return { target, ...(await lookForNew(row, target, signal)) };
    } catch (error) {
      return { target, started: 0, hasMore: false, failure: error, fault: null };
    }
  }

  function tell({ id, organization_id }: ClaimedPoll, failure: unknown): void {
    const facts = { triggerId: id, organizationId: organization_id };
    if (!(failure instanceof Refusal)) log.warn({ ...facts, err: failure }, "A service could not be looked at.");
    else if (failure.status >= 500)
      log.info({ ...facts, reason: failure.message }, "A service could not be looked at.");
  }

  return async (row: ClaimedPoll, signal: AbortSignal): Promise<void> => {
    const { target, failure, fault, started, hasMore } = await tryToLook(row, signal);
    const hasStarted = started > 0;
    if (failure instanceof Refusal && failure.code === "trigger_off") return;
    if (failure !== null && signal.aborted) {
      // The service is not to blame, and another process looks at once.
      await endLook(tables, row, {
        waitSeconds: row.poll_wait_seconds,
        nextInSeconds: 0,
        error: row.last_error,
        hasStarted,
      });
      return;
    }
    const reason = failure ?? fault;
    if (reason !== null) tell(row, reason);
    const retryAfterMs = askedForMs(failure);
    const pause = choosePause({
      everySeconds: target?.poll.everySeconds,
      mostSeconds: row.poll_every_seconds,
      waitedSeconds: row.poll_wait_seconds,
      hasFailed: failure !== null,
      started,
      hasMore,
      retryAfterMs,
    });
    const aloneForSeconds = retryAfterMs && toSeconds(retryAfterMs);
    await endLook(tables, row, {
      ...pause,
      aloneForSeconds,
      error: reason === null ? null : wordsOf(reason),
      hasStarted,
    });
  };
}

/** How long the service wants to be left alone. */
const askedForMs = (failure: unknown): number | undefined =>
  failure instanceof Refusal ? failure.provider?.retryAfterMs : undefined;
