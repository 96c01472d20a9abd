import type { Target } from "./find-poll.ts";
import type { OpenAccount } from "./open-account.ts";
import type { ClaimedPoll } from "./poll-store.ts";

/** A look of a trigger that is under way, and what came of it so far. */
export type Look = {
  row: ClaimedPoll;
  target: Target;
  account: Awaited<ReturnType<OpenAccount>>;
  signal: AbortSignal;
  started: number;
  /** How many items need not be looked at again: they have their run, or start none. */
  doneWith: number;
  /** What is wrong with the first item that did not get its run; null where nothing is. */
  fault: unknown;
};

/** Whether there is no time left for more of it. */
export const isOver = ({ signal, account }: Look): boolean => signal.aborted || account.isTooLate();
