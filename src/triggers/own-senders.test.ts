import { expect, it } from "vitest";
import { createLog } from "../base/log.ts";
import { defineWebhook } from "../contract/webhook.ts";
import { createOwnSenders } from "./own-senders.ts";
import type { WebhookRow } from "./store.ts";

it("counts the senders of an organization whatever comes from those of another", async () => {
  const asked: string[] = [];
  const isOwn = createOwnSenders({
    tables: {} as never,
    log: createLog("silent"),
    callProvider: async ({ organizationId }) => {
      asked.push(organizationId);
      throw new Error("no answer");
    },
  });
  const webhook = defineWebhook({
    secretField: "secret",
    verify: () => ({ accepted: false, reason: "" }),
    findOwnSender: async () => undefined,
  });
  const event = (organization: string, sender: string) =>
    isOwn(
      { id: organization, organization_id: organization, own_sender_asked_at: null, read_at: new Date() } as WebhookRow,
      {
        webhook,
        sender,
      },
    );
  for (let time = 0; time < 4; time++) await event("b", "7");
  for (let sender = 0; sender < 20_000; sender++) await event("a", `${sender}`);
  expect(asked).toEqual([]);
  await event("b", "7");
  expect(asked).toEqual(["b"]);
});
