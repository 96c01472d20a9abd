import { existsSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { senders } from "./senders.ts";

it("offers every provider that signs its deliveries, and no other", () => {
  const signing = readdirSync("src/providers").filter((id) => existsSync(`src/providers/${id}/webhook.ts`));
  expect(senders.flatMap(({ provider }) => (provider ? [provider.id] : [])).toSorted()).toEqual(signing.toSorted());
});
