import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Database } from "../../storage/database.ts";
import { lookLimitMs } from "./look-for-new.ts";
import type { MakeLook } from "./make-look.ts";
import { type ClaimedPoll, claimDue, pollTables } from "./poll-store.ts";

type Options = { db: Database; log: Log; makeLook: MakeLook };

const claimEveryMs = 1_000;
const mostLooks = 8;
const mostLooksOfOrganization = 2;
/** Longer than a look, so that one that took all its time still says how it went: otherwise a service that hangs would be asked again without a pause. */
const leaseSeconds = lookLimitMs / 1000 + 10;

/** Looks at services when it is time. Any number of processes do it: whoever claims a trigger has it until the time for a look is over. */
export function createPollServices({ db, log, makeLook }: Options) {
  const tables = pollTables(db);
  const underWay = new Map<Promise<void>, string>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | undefined;
  let claiming: Promise<number> = Promise.resolve(0);

  function begin(row: ClaimedPoll): void {
    const looking: Promise<void> = makeLook(row, signal)
      .catch((error: unknown) => log.warn({ triggerId: row.id, err: error }, "The end of a look could not be stored."))
      .finally(() => {
        underWay.delete(looking);
        // Whoever waited for the place need not wait for the next second.
        if (underWay.size === mostLooks - 1) void claim();
      });
    underWay.set(looking, row.organization_id);
  }

  /** How many looks it began. */
  function claim(): Promise<number> {
    claiming = claiming.then(claimRoom).catch((error: unknown) => {
      log.warn({ err: error }, "Polls could not be looked at.");
      return 0;
    });
    return claiming;
  }

  async function claimRoom(): Promise<number> {
    const looks = mostLooks - underWay.size;
    if (signal.aborted || looks === 0) return 0;
    const busy = new Map<string, number>();
    for (const organizationId of underWay.values()) busy.set(organizationId, (busy.get(organizationId) ?? 0) + 1);
    const rows = await claimDue(tables, { looks, busy, perOrganization: mostLooksOfOrganization, leaseSeconds });
    for (const row of rows) begin(row);
    return rows.length;
  }

  function claimAgainLater(): void {
    if (signal.aborted) return;
    timer = setTimeout(() => void claim().then(claimAgainLater), claimEveryMs);
  }

  return {
    start: claimAgainLater,

    /** Until nothing is due any more. */
    async lookAtDue(): Promise<void> {
      while ((await claim()) > 0 || underWay.size > 0) await Promise.all(underWay.keys());
    },

    /** Looks that are under way end, and are made again elsewhere. */
    async stop(): Promise<void> {
      stopping.abort(new Refusal("shutting_down", "The server is shutting down."));
      clearTimeout(timer);
      await claiming;
      await Promise.all(underWay.keys());
    },
  };
}
