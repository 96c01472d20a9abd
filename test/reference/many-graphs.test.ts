import { afterAll, beforeAll, expect, it } from "vitest";
import { checkGraphs, wishFor } from "./check-graphs.ts";
import { manySlots, type Surroundings, startSurroundings } from "./surroundings.ts";

let surroundings: Surroundings;

beforeAll(async () => {
  surroundings = await startSurroundings(manySlots);
});
afterAll(() => surroundings?.stop());

// Others each time, so that the more often it runs the more has been tried.
const seed = Number(process.env.SWITCHYARD_SEED ?? Math.trunc(Math.random() * 2 ** 31));

it("thousands of random graphs come out as the reference says", { timeout: 1_800_000 }, async () => {
  const { violations } = await checkGraphs(wishFor(seed, 10_000), surroundings);
  expect(violations, `SWITCHYARD_SEED=${seed}`).toEqual([]);
});
