import { expect, it } from "vitest";
import { placeOf } from "./checkpoint-store.ts";

it("names the same run whatever the case of its ids, and each of its owners apart", () => {
  const fence = { organizationId: "01a1dd74-dcd0-7482-9824-7dd92ead8c71", runId: "01a1dd74-dcd0-7482-9824-7dd92ead8c72", epoch: 3 };
  const inCapitals = { organizationId: fence.organizationId.toUpperCase(), runId: fence.runId.toUpperCase(), epoch: 3 };
  expect(placeOf(inCapitals)).toBe(placeOf(fence));
  expect(placeOf({ ...fence, epoch: 4 })).not.toBe(placeOf(fence));
});
