import { createHash } from "node:crypto";
import { expect, it, type TestContext } from "vitest";
import { roundsLimitMs, roundsOf, seed } from "../support/rounds.ts";
import { createRandom, type Random } from "./random.ts";

declare module "vitest" {
  interface TaskMeta {
    invariant?: { id: string; promise: string; rounds: number; violations: number; planted?: string };
  }
}

export type Trial = {
  /** How often the fault is to happen. */
  rounds: number;
  random: Random;
  /** The suite was asked to do wrong itself, to show that this check sees it. */
  isPlanted: boolean;
};

type Invariant = {
  promise: string;
  rounds: { quick: number; full: number };
  /** What the suite does wrong when it is asked to, in words. */
  planted: string;
  /** Says what was seen against the promise, one line each, and how often it was put to the test when that is not known before. */
  check: (trial: Trial) => Promise<string[] | { rounds: number; violations: string[] }>;
};

export const isPlanted = process.env.SWITCHYARD_PLANTED === "1";

/** One promise of the product under faults. With a planted fault it must be seen broken, otherwise the check proves nothing. */
export function invariant(id: string, { promise, rounds: { quick, full }, planted, check }: Invariant): void {
  it(`${id}: ${promise}`, { timeout: roundsOf(180_000, roundsLimitMs) }, async ({ task }: TestContext) => {
    const wanted = isPlanted ? quick : roundsOf(quick, full);
    const seen = await check({ rounds: wanted, random: randomOf(id), isPlanted });
    const { rounds, violations } = Array.isArray(seen) ? { rounds: wanted, violations: seen } : seen;
    task.meta.invariant = { id, promise, rounds, violations: violations.length, ...(isPlanted ? { planted } : {}) };
    expect(rounds, "nothing was put to the test").toBeGreaterThan(0);
    if (isPlanted) expect(violations, `not seen: ${planted}`).not.toEqual([]);
    else expect(violations, `seed ${seed}`).toEqual([]);
  });
}

// Each invariant draws its own numbers, so that one of them alone can be repeated.
export const randomOf = (id: string): Random =>
  createRandom(createHash("sha256").update(`${seed} ${id}`).digest().readInt32LE());
