import { afterAll, beforeAll, onTestFinished } from "vitest";
import { checkGraphs, wishFor } from "../reference/check-graphs.ts";
import { manySlots, type Surroundings, startSurroundings } from "../reference/surroundings.ts";
import { invariant } from "./invariant.ts";

let surroundings: Surroundings;

beforeAll(async () => {
  surroundings = await startSurroundings(manySlots);
});
afterAll(() => surroundings?.stop());

/** A trigger that stores what left a condition on one way as if it had left on the other. */
async function swapWays(): Promise<void> {
  const { query } = surroundings.app.app.database;
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
    return await checkGraphs(wishFor(random.below(2 ** 31), rounds), surroundings);
  },
});
