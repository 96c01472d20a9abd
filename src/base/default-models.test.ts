import { expect, it } from "vitest";
import { warnOfAge } from "./default-models.ts";

it("warns when nobody has looked at the vendors for more than 120 days", () => {
  expect(warnOfAge(new Date("2027-01-01"), "2026-09-03")).toBeUndefined();
  expect(warnOfAge(new Date("2027-01-01"), "2026-09-02")).toMatch(/checked 121 days ago, on 2026-09-02/);
});

it("is fresh, or says so to whoever runs the tests", () => {
  const warning = warnOfAge(new Date());
  // A failure would break checkouts of earlier releases, whose defaults can be set by the environment.
  if (warning !== undefined) process.stderr.write(`${warning}\n`);
});
