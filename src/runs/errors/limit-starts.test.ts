import { expect, it } from "vitest";
import { createStartLimit } from "./limit-starts.ts";

it("lets 20 start in a minute for each workflow, and tells how many it left once that is over", () => {
  let now = 1000;
  const limit = createStartLimit(() => now);
  const one = { organizationId: "o", workflowId: "one" };
  const take = (times: number) => Array.from({ length: times }, () => limit.take(one)).filter(Boolean).length;
  expect(take(25)).toBe(20);
  expect(limit.take({ ...one, workflowId: "other" })).toBe(true);
  now += 59_999;
  expect([take(1), limit.takeLeft()]).toEqual([0, []]);
  now += 1;
  expect(limit.takeLeft()).toEqual([{ ...one, left: 6 }]);
  expect([limit.takeLeft(), take(21)]).toEqual([[], 20]);
});
