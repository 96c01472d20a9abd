import { Refusal } from "../base/refusal.ts";
import type { TriggerData } from "../workflows/engine-node.ts";
import type { Signer } from "./believe-delivery.ts";
import { findUnwanted, type IsFilterMet } from "./filter-events.ts";
import { deliveryOf } from "./provider-deliveries.ts";
import type { StopLoops } from "./stop-loops.ts";
import type { WebhookRow } from "./store.ts";

export type JudgeEvent = ReturnType<typeof createJudgeEvent>;

/** It starts nothing; `isFault` where somebody has to mend something. */
export type Ignored = { reason: string; isFault: boolean };

type Options = { stopLoops: StopLoops; isFilterMet: IsFilterMet };

/** Why an event starts nothing, although it is believed; undefined where it does. */
export function createJudgeEvent({ stopLoops, isFilterMet }: Options) {
  return async (row: WebhookRow, signer: Signer | undefined, trigger: TriggerData): Promise<Ignored | undefined> => {
    const origin = signer?.webhook.originOf?.(trigger.payload, signer.credential);
    if (origin && !row.takes_bots) return { reason: ignoredOrigins[origin.by], isFault: false };
    const unwanted = signer && findUnwanted(row, signer.webhook, trigger);
    if (unwanted !== undefined) return { reason: unwanted, isFault: false };
    const unmet = await findUnmet(isFilterMet, row, trigger);
    if (unmet || !signer) return unmet;
    const sender = deliveryOf(row.provider_id)?.sender?.(trigger.payload).id;
    await stopLoops(row, { webhook: signer.webhook, origin, sender });
    return undefined;
  };
}

async function findUnmet(
  isFilterMet: IsFilterMet,
  row: WebhookRow,
  trigger: TriggerData,
): Promise<Ignored | undefined> {
  try {
    return (await isFilterMet(row, trigger)) ? undefined : { reason: "The filter does not hold.", isFault: false };
  } catch (error) {
    // The sender can do nothing about it, and would only deliver again: the same text would take too long once more.
    if (error instanceof Refusal && (error.status < 500 || error.code === "expression_timeout"))
      return { reason: error.message, isFault: true };
    throw error;
  }
}

const ignoredOrigins = {
  own: "The connected account did this itself.",
  bot: "A bot did this.",
  receipt: "This is a receipt for what was sent.",
} as const;
