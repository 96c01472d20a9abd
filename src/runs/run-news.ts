import { createHub } from "../base/hub.ts";
import type { Log } from "../base/log.ts";
import type { Live } from "../records/live.ts";
import type { Signs } from "./control/wait-until.ts";
import type { createDispatcher } from "./queue/dispatcher.ts";
import { runEventKind } from "./read/run-source.ts";
import type { NewRun, RunPlace } from "./store.ts";
import { calledWord } from "./walk/tell-parents.ts";
import type { RunObserver } from "./walk/walk.ts";

// Who is told what became of runs: callers in this process that wait for an end, other workers, and live streams.

export const createEnds = (log: Log): Signs["ends"] =>
  createHub({ onError: (error) => log.error({ err: error }, "nobody could be told that a run has ended") });

/** What workers tell each other: a run was cancelled, one was called that has ended, or something is in the queue. */
export function createWords(log: Log) {
  const ends = createHub<string | undefined>({
    onError: (error) => log.error({ err: error }, "a run could not be told that one it called has ended"),
  });
  return {
    onCalledEnd: ends.subscribe,
    hear:
      (dispatcher: Pick<ReturnType<typeof createDispatcher>, "cancel" | "wake">) =>
      (message: string): void => {
        const [word, id = "", calledId] = message.split(" ");
        if (word === "cancelled") dispatcher.cancel(id);
        else if (word === calledWord) ends.publish(id, calledId);
        else dispatcher.wake();
      },
  };
}

/** Tells live streams what changed, and counts what was accepted or ended. */
export function createChanges(live: Pick<Live, "announce">, observe: RunObserver) {
  const onChange = (changed: RunPlace[]): void => live.announce(runEventKind, changed);
  const onEndedAs =
    (status: "failed" | "cancelled") =>
    (changed: RunPlace[]): void => {
      observe.ended(status, { runs: changed.length });
      onChange(changed);
    };
  return {
    onChange,
    onAccepted(accepted: NewRun[]): void {
      for (const { kind } of accepted) observe.accepted(kind);
      onChange(accepted);
    },
    onFailed: onEndedAs("failed"),
    onCancelled: onEndedAs("cancelled"),
  };
}
