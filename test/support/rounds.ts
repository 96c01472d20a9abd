import { expect } from "vitest";

const isFull = process.env.SWITCHYARD_ROUNDS === "full";

/** How often a fault is repeated: a few times with every `npm test`, and with SWITCHYARD_ROUNDS=full as often as the promise says. */
export const roundsOf = (quick: number, full: number): number => (isFull ? full : quick);

/** What the choices of a test are drawn from: the same with every `npm test`, others each time in the long form unless SWITCHYARD_SEED says which. */
export const seed = Number(process.env.SWITCHYARD_SEED ?? roundsOf(1, Math.trunc(Math.random() * 2 ** 31)));

export const roundsLimitMs = roundsOf(60_000, 3_600_000);

/** What the long form found, for people to read. */
export function reportRounds(figures: Record<string, unknown>): void {
  if (isFull) process.stdout.write(`${expect.getState().currentTestName}: ${JSON.stringify(figures)}\n`);
}
