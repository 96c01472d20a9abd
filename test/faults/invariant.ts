import { createHash } from "node:crypto";
import { expect, it, type TestContext } from "vitest";
import { roundsLimitMs, roundsOf } from "../support/rounds.ts";
import { createRandom, type Random } from "./random.ts";

declare module "vitest" {
  interface TaskMeta {
    invariant?: { id: string; promise: string; rounds: number; violations: number; planted?: string; seed: number };
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
  /** Says what was seen against the promise, one line each. */
  check: (trial: Trial) => Promise<string[]>;
};

const isPlanted = process.env.SWITCHYARD_PLANTED === "1";
const seed = Number(process.env.SWITCHYARD_SEED ?? Math.trunc(Math.random() * 2 ** 31));

/** One promise of the product under faults. With a planted fault it must be seen broken, otherwise the check proves nothing. */
export function invariant(id: string, { promise, rounds: { quick, full }, planted, check }: Invariant): void {
  it(`${id}: ${promise}`, { timeout: roundsLimitMs }, async ({ task }: TestContext) => {
    const rounds = isPlanted ? quick : roundsOf(quick, full);
    const violations = await check({ rounds, random: createRandom(seedOf(id)), isPlanted });
    task.meta.invariant = { id, promise, rounds, violations: violations.length, seed, ...(isPlanted ? { planted } : {}) };
    if (isPlanted) expect(violations, `not seen: ${planted}`).not.toEqual([]);
    else expect(violations, `seed ${seed}`).toEqual([]);
  });
}

// Each invariant draws its own numbers, so that one of them alone can be repeated.
const seedOf = (id: string): number => createHash("sha256").update(`${seed} ${id}`).digest().readInt32LE();
