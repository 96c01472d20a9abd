import type { Trigger } from "../../../src/triggers/wire.ts";

/** Such as `30 seconds`, `5 minutes` or `1 hour 30 minutes`. */
export function describePause(seconds: number): string {
  let rest = seconds;
  const parts = units.flatMap(({ name, length }) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? [] : `${count} ${name}${count === 1 ? "" : "s"}`;
  });
  return parts.join(" ");
}

const units = [
  { name: "day", length: 86_400 },
  { name: "hour", length: 3_600 },
  { name: "minute", length: 60 },
  { name: "second", length: 1 },
] as const;

const offered = [30, 60, 2 * 60, 5 * 60, 10 * 60, 15 * 60, 30 * 60, 3_600, 3 * 3_600, 6 * 3_600, 12 * 3_600, 86_400];

/** What a poll can have as its longest pause; what it has stays among them. */
export const listPauses = (least: number, chosen: number | null): number[] =>
  [...new Set([...offered.filter((seconds) => seconds >= least), ...(chosen === null ? [] : [chosen])])].sort(
    (one, other) => one - other,
  );

type Looking = Pick<Trigger, "active" | "lastError" | "poll">;

/** Nobody tells a page that a poll has looked and found nothing, so it asks: soon where somebody waits for a look, and not at all without a poll. */
export function pauseBetweenReads(triggers: readonly Looking[], nowMs = Date.now()): number | false {
  const polls = triggers.filter(({ active, poll }) => active && poll);
  const isAwaited = ({ lastError, poll }: Looking) =>
    Date.parse(poll?.nextPollAt ?? "") <= nowMs || (poll?.lastPolledAt === null && lastError === null);
  return polls.length > 0 && (polls.some(isAwaited) ? 2_000 : 10_000);
}
