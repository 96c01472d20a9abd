import { afterAll, beforeAll, onTestFinished } from "vitest";
import { checkGraphs, requestFor } from "../reference/check-graphs.ts";
import { manySlots, startTestBed, type TestBed } from "../reference/test-bed.ts";
import { invariant } from "./invariant.ts";

let testBed: TestBed;

beforeAll(async () => {
  testBed = await startTestBed(manySlots);
});
afterAll(() => testBed?.stop());

/** A trigger that stores what left a condition on one way as if it had left on the other. */
async function swapWays(): Promise<void> {
  const { query } = testBed.app.app.database;
  await query(
    `CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.node_type = 'condition' THEN NEW.outputs := replace(NEW.outputs, '"true":', '"false":'); END IF;
       RETURN NEW;
     END $$`,
  );
  await query("CREATE TRIGGER planted BEFORE INSERT OR UPDATE ON run_node FOR EACH ROW EXECUTE FUNCTION planted()");
  onTestFinished(async () => void (await query("DROP FUNCTION planted CASCADE")));
}

invariant("V43", {
  promise: "no difference between the engine and the reference over random graphs",
  rounds: { quick: 200, full: 10_000 },
  planted: "the database stores the wrong way out of conditions",
  async check({ rounds, random, isPlanted }) {
    if (isPlanted) await swapWays();
    return await checkGraphs(requestFor(random.below(2 ** 31), rounds), testBed);
  },
});
