import type { Log } from "../base/log.ts";

export type SlowStatements = ReturnType<typeof createSlowStatements>;

type Options = { log: Log; limitMs: number; onSlow: () => void };

const sameAgainMs = 60_000;
const mostKnown = 200;
const longestText = 2_000;

/** Warns of statements that take too long: their text and never their values, and each text at most once a minute. */
export function createSlowStatements({ log, limitMs, onSlow }: Options) {
  const known = new Map<string, { warnedAtMs: number; unsaid: number }>();

  function warn(text: string, elapsedMs: number): void {
    onSlow();
    const nowMs = performance.now();
    const before = known.get(text);
    if (before && nowMs - before.warnedAtMs < sameAgainMs) return void before.unsaid++;
    if (known.size >= mostKnown) known.clear();
    known.set(text, { warnedAtMs: nowMs, unsaid: 0 });
    const statement = text.replaceAll(/\s+/g, " ").trim().slice(0, longestText);
    log.warn(
      { statement, elapsedMs: Math.round(elapsedMs), unsaid: before?.unsaid ?? 0 },
      "a database statement was slow",
    );
  }

  return {
    note(text: string, elapsedMs: number): void {
      if (elapsedMs >= limitMs) warn(text, elapsedMs);
    },
  };
}
