import { afterAll, beforeAll, expect, it } from "vitest";
import { checkGraphs, requestFor } from "./check-graphs.ts";
import { manySlots, startTestBed, type TestBed } from "./test-bed.ts";

let testBed: TestBed;

beforeAll(async () => {
  testBed = await startTestBed(manySlots);
});
afterAll(() => testBed?.stop());

// Others each time, so that the more often it runs the more has been tried.
const seed = Number(process.env.SWITCHYARD_SEED ?? Math.trunc(Math.random() * 2 ** 31));

it("thousands of random graphs come out as the reference says", { timeout: 1_800_000 }, async () => {
  const { violations } = await checkGraphs(requestFor(seed, 10_000), testBed);
  expect(violations, `SWITCHYARD_SEED=${seed}`).toEqual([]);
});
