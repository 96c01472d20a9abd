import { setTimeout as delay } from "node:timers/promises";

const longestPauseMs = 25;

/**
 * Repeats what the database undid as a whole because it and another transaction were in each other's way. Whoever asked only sees that it
 * took longer; when the time is up, the conflict.
 */
export async function repeatAfterConflict<Result>(limitMs: number, attempt: () => Promise<Result>): Promise<Result> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || performance.now() > untilMs) throw error;
      await delay(Math.random() * longestPauseMs);
    }
  }
}

/** Nothing of it was done, and the same again may well succeed. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && conflicts.has((error as NodeJS.ErrnoException).code ?? "");

const conflicts = new Set([
  "40001", // serialization failure
  "40P01", // deadlock
]);
