import type { Signer } from "./believe-delivery.ts";
import { deliveryOf } from "./provider-deliveries.ts";
import type { StopLoops } from "./stop-loops.ts";
import type { WebhookRow } from "./store.ts";

export type JudgeEvent = ReturnType<typeof createJudgeEvent>;

/** Why an event starts nothing, although it is believed; undefined where it does. */
export function createJudgeEvent({ stopLoops }: { stopLoops: StopLoops }) {
  return async (row: WebhookRow, signer: Signer | undefined, payload: unknown): Promise<string | undefined> => {
    if (!signer) return undefined;
    const { webhook, credential } = signer;
    const origin = webhook.originOf?.(payload, credential);
    if (origin && !row.takes_bots) return ignoredOrigins[origin.by];
    await stopLoops(row, { webhook, origin, sender: deliveryOf(row.provider_id)?.sender?.(payload).id });
    return undefined;
  };
}

const ignoredOrigins = {
  own: "The connected account did this itself.",
  bot: "A bot did this.",
  receipt: "This is a receipt for what was sent.",
} as const;
