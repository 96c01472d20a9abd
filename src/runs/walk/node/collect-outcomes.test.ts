import { expect, it } from "vitest";
import { collectOutcomes } from "./collect-outcomes.ts";
import { noProgress } from "./node-task.ts";

it("takes outputs up to a limit over all executions of a node, also those of an earlier attempt", () => {
  const half = { outputs: { out: [{ text: "x".repeat(7_900_000) }] } };
  const outcomes = collectOutcomes(noProgress);
  outcomes.add(0, half);
  outcomes.add(1, half);
  expect(() => outcomes.add(2, half)).toThrow(expect.objectContaining({ code: "outputs_too_large" }));
  expect(outcomes.merged().outputs.out).toHaveLength(2);
  const again = collectOutcomes({ ...noProgress, results: outcomes.results });
  expect(() => again.add(2, half)).toThrow("more than 16 MB");
});
