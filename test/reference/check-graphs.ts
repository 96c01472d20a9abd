import fc from "fast-check";
import { type Case, toCanvas } from "./flow.ts";
import { generateCase } from "./generate-graph.ts";
import { findDifferences } from "./run-cases.ts";
import type { TestBed } from "./test-bed.ts";

type GraphRequest = {
  seed: number;
  count: number /** Only this one, as an earlier check named it. */;
  path?: string | undefined;
};

/** So many at a time keep two cores busy while most of them wait. */
const lanes = 32;
const limitMs = 60_000;
/** Further ones are most likely the same again. */
const mostNarrowed = 2;
const narrowingMs = 15_000;

/** SWITCHYARD_GRAPHS says how many, SWITCHYARD_GRAPH which one of a seed alone. */
export const requestFor = (seed: number, count: number): GraphRequest => ({
  seed,
  count: Number(process.env.SWITCHYARD_GRAPHS ?? count),
  path: process.env.SWITCHYARD_GRAPH,
});

/** Runs random graphs and says, one line for each, which of them did not come out as the reference says, with the smallest graph that shows it. */
export async function checkGraphs({ seed, count, path }: GraphRequest, testBed: TestBed) {
  const began = performance.now();
  const cases = fc.sample(generateCase(), {
    seed,
    numRuns: path === undefined ? count : 1,
    ...(path === undefined ? {} : { path }),
  });
  const found = new Map<string, string[]>();
  let next = 0;
  async function work(): Promise<void> {
    for (let index = next++; index < cases.length; index = next++) {
      const differences = await findDifferences(cases[index] as Case, `g${index}`, { ...testBed, limitMs });
      if (differences.length > 0) found.set(path ?? String(index), differences);
    }
  }
  await Promise.all(Array.from({ length: lanes }, work));
  process.stdout.write(
    `${cases.length} graphs of seed ${seed} in ${Math.round((performance.now() - began) / 1000)} s\n`,
  );
  const violations: string[] = [];
  for (const [place, differences] of found) {
    const lines = violations.length < mostNarrowed ? await narrow(seed, place, testBed) : [];
    violations.push([`graph ${place}: ${differences.join("; ")}`, ...lines].join("\n"));
  }
  return { rounds: cases.length, violations };
}

/** A smaller graph that differs too. What depends on time may not come again; then there is none. */
async function narrow(seed: number, path: string, testBed: TestBed): Promise<string[]> {
  let tries = 0;
  let smallest: { one: Case; differences: string[] } | undefined;
  const property = fc.asyncProperty(generateCase(), async (one) => {
    const differences = await findDifferences(one, `n${path.replaceAll(":", "-")}-${tries++}`, { ...testBed, limitMs });
    if (differences.length > 0) smallest = { one, differences };
    return differences.length === 0;
  });
  const { counterexamplePath } = await fc.check(property, {
    seed,
    path,
    numRuns: 1,
    interruptAfterTimeLimit: narrowingMs,
  });
  if (!smallest) return ["it did not come again"];
  const { payload, flows } = smallest.one;
  const canvases = flows.map((flow) => JSON.stringify(toCanvas(flow, ["first", "second", "third"])));
  return [
    `narrowed to ${counterexamplePath}: ${smallest.differences.join("; ")}`,
    `payload ${JSON.stringify(payload)}`,
    ...canvases,
  ];
}
