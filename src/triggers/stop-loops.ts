import type { Log } from "../base/log.ts";
import type { EventOrigin, Webhook } from "../contract/webhook.ts";
import type { Database } from "../storage/database.ts";
import type { FindActingNodes } from "./acting-nodes.ts";
import type { CallProvider } from "./call-provider.ts";
import { countOwnEvent } from "./own-events-store.ts";
import { createOwnSenders } from "./own-senders.ts";
import { triggerTables, type WebhookRow } from "./store.ts";
import type { createTurnOff } from "./turn-off.ts";

export type StopLoops = ReturnType<typeof createStopLoops>;

type Options = {
  db: Database;
  log: Log;
  findActingNodes: FindActingNodes;
  turnOff: ReturnType<typeof createTurnOff>;
  callProvider: CallProvider;
  /** So often its own effects may start a workflow in a minute. */
  mostPerMinute: number;
};

type Event = { webhook: Webhook; origin: EventOrigin | undefined; sender: string | undefined };

/**
 * Turns a trigger off whose workflow starts itself: the account that its workflow acts as caused the event, or the event is a receipt for what
 * was sent, and the workflow does something at that provider. However busy others are, they are never counted.
 */
export function createStopLoops({ db, log, findActingNodes, turnOff, callProvider, mostPerMinute }: Options) {
  const tables = triggerTables(db);
  const isOwnSender = createOwnSenders({ tables, log, callProvider });

  /** Whose effects they are: everybody's, or those for one person. */
  async function effectOf(row: WebhookRow, { webhook, origin, sender }: Event): Promise<string | undefined> {
    if (origin?.by === "receipt") return origin.to;
    return origin?.by === "own" || (await isOwnSender(row, { webhook, sender })) ? "" : undefined;
  }

  return async (row: WebhookRow, event: Event): Promise<void> => {
    const effect = await effectOf(row, event);
    if (effect === undefined || (await findActingNodes(row)).length === 0) return;
    if ((await countOwnEvent(tables, row, { to: effect, minutes: 1 })) <= mostPerMinute) return;
    await turnOff(row, { most: mostPerMinute, within: "a minute", change: "the workflow or the events" });
  };
}
