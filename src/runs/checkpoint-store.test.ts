import { expect, it } from "vitest";
import { placeOf } from "./checkpoint-store.ts";

it("names the same run whatever the case of its ids, and each of its owners apart", () => {
  const held = { organizationId: "01a1dd74-dcd0-7482-9824-7dd92ead8c71", runId: "01a1dd74-dcd0-7482-9824-7dd92ead8c72", epoch: 3 };
  const inCapitals = { organizationId: held.organizationId.toUpperCase(), runId: held.runId.toUpperCase(), epoch: 3 };
  expect(placeOf(inCapitals)).toBe(placeOf(held));
  expect(placeOf({ ...held, epoch: 4 })).not.toBe(placeOf(held));
});
