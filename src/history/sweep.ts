import { lookFirst } from "../base/effect.ts";
import type { Log } from "../base/log.ts";
import type { Database } from "../storage/database.ts";
import type { CallPlace, Recorder } from "./record.ts";
import { beat, interruptAbandonedCalls, removeRecorder, removeSilentRecorders } from "./upkeep-store.ts";

type SweepOptions = {
  db: Database;
  recorder: Recorder;
  log: Log;
  onChange: (changed: CallPlace[]) => void;
  beatIntervalMs?: number;
  /** How long a process must have been silent to count as dead. */
  silentMs?: number;
};

const batchSize = 1000;
const message = `The process that ran this call ended before the call did. ${lookFirst}`;

/** Says that this process lives, and closes the open rows of processes that have said nothing for a while. */
export function createSweep({ db, recorder, log, onChange, beatIntervalMs = 10_000, silentMs = 35_000 }: SweepOptions) {
  let reachableSince: number | undefined;
  let lastTickAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  async function sweep(): Promise<void> {
    for (;;) {
      const changed = await interruptAbandonedCalls(db, { silentSeconds: silentMs / 1000, limit: batchSize, message });
      if (changed.length > 0) log.warn({ calls: changed.length }, "calls of a dead process were closed as interrupted");
      onChange(changed);
      if (changed.length < batchSize) return;
    }
  }

  // After an outage of the database everybody looks dead until everybody had the time to say otherwise.
  async function tick(): Promise<void> {
    const now = performance.now();
    if (now - lastTickAt > 2 * beatIntervalMs) reachableSince = undefined;
    lastTickAt = now;
    try {
      if (recorder.hasOpened()) await beat(db, recorder.owner);
      await removeSilentRecorders(db);
      await recorder.settle();
      reachableSince ??= now;
      if (now - reachableSince >= silentMs) await sweep();
    } catch (error) {
      reachableSince = undefined;
      log.warn({ reason: (error as Error).message }, "the heartbeat of the history failed");
    }
  }

  const runTick = (): void => {
    running ??= tick().finally(() => (running = undefined));
  };

  return {
    start(): void {
      timer = setInterval(runTick, beatIntervalMs);
      timer.unref();
      runTick();
    },

    /** Whatever this process still has open is nobody's from here on. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await running;
      if (!recorder.hasOpened()) return;
      await recorder.settle();
      await removeRecorder(db, recorder.owner).catch(() => {});
    },
  };
}
