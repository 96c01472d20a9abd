import type { Log } from "../../base/log.ts";
import type { Database } from "../../storage/database.ts";
import { onPool } from "../walk/checkpoint-store.ts";
import type { Claim, RunQueue } from "./run-queue.ts";

const pauseMs = 20;

/** Removes claims of runs that have ended, many at once. A crash before costs nothing: the run is found ended, and its claim is removed then. */
export function createEndedClaims({ db, queue, log }: { db: Database; queue: RunQueue; log: Log }) {
  let ended: Claim[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function remove(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const claims = ended;
    ended = [];
    await queue
      .remove(onPool(db), claims)
      .catch((error: Error) => log.debug({ reason: error.message }, "ended claims stay for later"));
  }

  return {
    add(claim: Claim): void {
      ended.push(claim);
      timer ??= setTimeout(() => void remove(), pauseMs);
    },
    flush: remove,
  };
}
