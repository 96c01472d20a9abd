import type { Log } from "../../base/log.ts";
import type { Database } from "../../storage/database.ts";
import { onPool } from "../walk/checkpoint-store.ts";
import type { RunQueue, Turn } from "./run-queue.ts";

const pauseMs = 20;

/** Removes turns of runs that have ended, many at once. A crash before costs nothing: the run is found ended, and its turn is removed then. */
export function createEndedTurns({ db, queue, log }: { db: Database; queue: RunQueue; log: Log }) {
  let ended: Turn[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function remove(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const turns = ended;
    ended = [];
    await queue.remove(onPool(db), turns).catch((error: Error) => log.debug({ reason: error.message }, "ended turns stay for later"));
  }

  return {
    add(turn: Turn): void {
      ended.push(turn);
      timer ??= setTimeout(() => void remove(), pauseMs);
    },
    flush: remove,
  };
}
