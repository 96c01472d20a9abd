import type { Poll } from "../../contract/poll.ts";

type Looked = {
  everySeconds: Poll["everySeconds"] | undefined;
  /** The trigger's own longest pause. */
  mostSeconds: number | null;
  /** The pause before this look; 0 before the first. */
  waitedSeconds: number;
  hasFailed: boolean;
  started: number;
  hasMore: boolean;
  retryAfterMs: number | undefined;
};

const hourInSeconds = 3600;
/** What a service asks for beyond that is rather a mistake, such as a time in milliseconds, and would end the polling without a word. */
const mostAskedForSeconds = 24 * hourInSeconds;

/** For how long a service is left alone that asked for it. */
export const toSeconds = (retryAfterMs: number): number =>
  Math.min(Math.ceil(retryAfterMs / 1000), mostAskedForSeconds);

/** The pause after a look, and when the next is due: soon while something comes, seldom while nothing does, and later still while it fails. */
export function choosePause(looked: Looked): { waitSeconds: number; nextInSeconds: number } {
  const { everySeconds, mostSeconds, waitedSeconds, hasFailed, started, hasMore, retryAfterMs = 0 } = looked;
  const { least, usual } = everySeconds ?? { least: 60, usual: 900 };
  const waitSeconds = hasFailed ? afterFailure() : started > 0 || waitedSeconds === 0 ? least : afterNothing();
  if (hasMore && !hasFailed) return { waitSeconds, nextInSeconds: 0 };
  return { waitSeconds, nextInSeconds: Math.max(waitSeconds, toSeconds(retryAfterMs)) };

  function afterFailure(): number {
    // One item that cannot be taken must not keep those that come after it waiting.
    if (started > 0) return Math.max(least, waitedSeconds);
    return Math.max(least, Math.min(waitedSeconds * 2, hourInSeconds));
  }

  function afterNothing(): number {
    return Math.max(least, Math.min(Math.ceil(waitedSeconds * 1.5), mostSeconds ?? usual));
  }
}
