import { expect, it } from "vitest";
import { collectOutcomes } from "./collect-outcomes.ts";
import { noProgress } from "./node-task.ts";

it("takes outputs up to a limit over all executions of a node, also those of an earlier attempt", () => {
  const half = { outputs: { out: [{ text: "x".repeat(7_900_000) }] } };
  const outcomes = collectOutcomes(noProgress);
  outcomes.add(half);
  outcomes.add(half);
  expect(() => outcomes.add(half)).toThrow(expect.objectContaining({ code: "outputs_too_large" }));
  expect(outcomes.outputs.out).toHaveLength(2);
  const again = collectOutcomes({ ...noProgress, outputs: outcomes.outputs });
  expect(() => again.add(half)).toThrow("more than 16 MB");
});
