import type { Log } from "../../base/log.ts";
import type { Database, Sql } from "../../storage/database.ts";
import type { TakenClaims } from "../accept/start-run.ts";
import { type AdoptedRun, adoptRuns, asAdopted, type NewRun } from "../store.ts";
import type { Claim, RunQueue } from "./run-queue.ts";

type Options = {
  db: Database;
  queue: RunQueue;
  log: Log;
  owner: string;
  /** For how many more runs there is room, without those being claimed. */
  room: () => number;
  crowded: () => string[];
  begin: (run: AdoptedRun, claim: Claim) => void;
  /** The run has ended already. */
  drop: (claim: Claim) => void;
};

type Taken = TakenClaims & { count: number };

/** Takes claims out of the queue and adopts their runs, in a transaction of its own or in another one that is under way. */
export function createClaimRuns({ db, queue, log, owner, room: roomHere, crowded, begin, drop }: Options) {
  const { left, reserve } = createRoom(roomHere);
  let claiming: Promise<void> | undefined;
  let mustClaimAgain = false;
  /** What this process knows of the queue, until a hint or the next look. */
  const seen = { isEmpty: false, hasCrowded: false };

  /** `fresh` are runs that were stored in the same transaction, as this process's own. */
  async function claimIn(sql: Sql, fresh: NewRun[] = []): Promise<Taken | undefined> {
    const room = left();
    if (room < 1) return undefined;
    const size = chooseSize(room, fresh.length);
    const giveUp = reserve(size);
    try {
      const without = crowded();
      const claims = await queue.take(sql, { most: size, without });
      seen.isEmpty = claims.length < size;
      seen.hasCrowded = without.length > 0;
      const own = new Map(fresh.map((row) => [row.id, asAdopted(row)]));
      const others = await adoptRuns(
        sql,
        owner,
        claims.filter(({ id }) => !own.has(id)),
      );
      const adopted = new Map([...own, ...others.map((one) => [one.id, one] as const)]);
      return { giveUp, count: claims.length, begin: () => beginAll(claims, adopted, giveUp) };
    } catch (error) {
      giveUp();
      throw error;
    }
  }

  function beginAll(claims: Claim[], adopted: Map<string, AdoptedRun>, giveUp: () => void): void {
    giveUp();
    for (const claim of claims) {
      const run = adopted.get(claim.id);
      if (run) begin(run, claim);
      else drop(claim);
    }
  }

  async function claimOnce(): Promise<number> {
    let taken: Taken | undefined;
    try {
      await db.transaction(async (sql) => {
        taken?.giveUp();
        taken = await claimIn(sql);
      });
    } catch (error) {
      taken?.giveUp();
      throw error;
    }
    taken?.begin();
    return taken?.count ?? 0;
  }

  async function claimAll(): Promise<void> {
    do {
      mustClaimAgain = false;
      if ((await claimOnce()) > 0) mustClaimAgain = true;
    } while (mustClaimAgain && left() > 0);
  }

  function wake(): void {
    mustClaimAgain = true;
    if (claiming || left() < 1) return;
    claiming = claimAll()
      .catch((error: Error) => log.debug({ reason: error.message }, "no runs can be taken right now"))
      .finally(() => {
        claiming = undefined;
      });
  }

  return {
    claimIn,
    wake,
    hasRoom: () => left() > 0,
    /** There is room again, or an organization's next run would get a slot: look only when something may be there. */
    wakeIfWaiting: (reason: "room" | "slot") => {
      if (reason === "room" ? !seen.isEmpty : seen.hasCrowded) wake();
    },
    settled: async () => await claiming,
  };
}

function createRoom(roomHere: () => number) {
  let reserved = 0;
  return {
    left: (): number => roomHere() - reserved,

    /** Gives it back once, however often what it returns is called. */
    reserve(size: number): () => void {
      let kept = size;
      reserved += size;
      return () => {
        reserved -= kept;
        kept = 0;
      };
    },
  };
}

const mostAtOnce = 64;

/**
 * A power of two that fits: more than were just stored if possible, so that a queue without others is seen to be empty and nobody looks again
 * in vain; otherwise for a good part of the room, so that others can claim meanwhile.
 */
function chooseSize(room: number, freshCount: number): number {
  const enough = freshCount > 0 ? 2 ** (Math.floor(Math.log2(freshCount)) + 1) : mostAtOnce;
  return Math.min(enough, 2 ** Math.floor(Math.log2(room)));
}
