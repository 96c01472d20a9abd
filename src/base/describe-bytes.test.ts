import { expect, it } from "vitest";
import { describeBytes } from "./describe-bytes.ts";

it.each([
  [7, "7 bytes"],
  [1023, "1023 bytes"],
  [1024, "1 KB"],
  [100_000, "98 KB"],
  [1_500_000, "1.4 MB"],
  [20_971_520, "20 MB"],
])("says %i as %s", (bytes, says) => {
  expect(describeBytes(bytes)).toBe(says);
});
