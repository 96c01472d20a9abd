import type { createHub } from "../../base/hub.ts";
import type { Live } from "../../records/live.ts";
import { runEventKind } from "../read/run-source.ts";
import type { RunPlace } from "../store.ts";
import type { NodeRow } from "../walk/checkpoint-store.ts";

export type Signs = {
  /** Runs that ended in this process, with all that is stored of their nodes where it is known. */
  ends: ReturnType<typeof createHub<NodeRow[] | undefined>>;
  live: Pick<Live, "onHint">;
};

export type Limit = {
  limitMs: number;
  signal: AbortSignal;
  /** Accepted just now: it has not ended before somebody listens, so that nobody has to ask. */
  isFresh?: boolean;
};

/** Then it is asked all the same, once: a sign of another process may have come before anybody listened. */
const firstLookMs = 250;

type Waiting = {
  /** Whether it has come true; asked at first unless the run is fresh, at every sign, and now and then, because a sign may be lost. */
  isTrue: (place: RunPlace) => Promise<boolean>;
  lookEveryMs: number;
};

/** Something about a run came true, or the run ended. */
export type Sign = { nodes?: NodeRow[] | undefined };

/** Undefined when it does not come true, and the run does not end, before the time is up. */
export const createWaitUntil =
  ({ ends, live }: Signs, { isTrue, lookEveryMs }: Waiting) =>
  async (place: RunPlace, { limitMs, signal, isFresh = false }: Limit): Promise<Sign | undefined> => {
    const { promise, resolve } = Promise.withResolvers<Sign | undefined>();
    const giveUp = () => resolve(undefined);
    // Nobody is kept waiting for a database that is away: the run was accepted, and its address is what there is to say.
    const look = () => void isTrue(place).then((isSo) => isSo && resolve({}), giveUp);
    const unsubscribes = [
      ends.subscribe(place.id, (nodes) => resolve({ nodes })),
      live.onHint(runEventKind, place.id, look),
    ];
    const timers = [setTimeout(giveUp, limitMs), setInterval(look, lookEveryMs)];
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      if (signal.aborted) return undefined;
      if (isFresh) timers.push(setTimeout(look, firstLookMs));
      else look();
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      for (const timer of timers) clearTimeout(timer);
      for (const unsubscribe of unsubscribes) unsubscribe();
    }
  };
