import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { EventOrigin, Webhook } from "../contract/webhook.ts";
import type { Database } from "../storage/database.ts";
import type { Canvas } from "../workflows/wire.ts";
import type { Workflows } from "../workflows/workflows.ts";
import type { CallProvider } from "./call-provider.ts";
import { countOwnEvent, stopTrigger } from "./own-events-store.ts";
import { createOwnSenders } from "./own-senders.ts";
import { triggerTables, type WebhookRow } from "./store.ts";

export type StopLoops = ReturnType<typeof createStopLoops>;

type Options = {
  db: Database;
  log: Log;
  catalog: Pick<Catalog, "nodes" | "providers">;
  workflows: Pick<Workflows, "find" | "versionCanvas">;
  callProvider: CallProvider;
  /** So often its own effects may start a workflow in a minute. */
  mostPerMinute: number;
};

type Event = { webhook: Webhook; origin: EventOrigin | undefined; sender: string | undefined };

/** Nodes that may reach any provider. */
const reachAnything = new Set(["http_request", "call_workflow"]);

/**
 * Turns a trigger off whose workflow starts itself: the account that its workflow acts as caused the event, or the event is a receipt for what
 * was sent, and the workflow does something at that provider. However busy others are, they are never counted.
 */
export function createStopLoops({ db, log, catalog, workflows, callProvider, mostPerMinute }: Options) {
  const tables = triggerTables(db);
  const isOwnSender = createOwnSenders({ tables, log, callProvider });

  /** Whose effects they are: everybody's, or those for one person. */
  async function effectOf(row: WebhookRow, { webhook, origin, sender }: Event): Promise<string | undefined> {
    if (origin?.by === "receipt") return origin.to;
    return origin?.by === "own" || (await isOwnSender(row, { webhook, sender })) ? "" : undefined;
  }

  async function actsThere({ organization_id, workflow_id, provider_id }: WebhookRow): Promise<boolean> {
    const workflow = await workflows.find(organization_id, workflow_id);
    const text = workflow && (await workflows.versionCanvas(organization_id, workflow_id, workflow.version));
    const { nodes } = JSON.parse(text ?? '{"nodes":[]}') as Pick<Canvas, "nodes">;
    return nodes.some(({ nodeId }) => {
      const node = catalog.nodes.get(nodeId);
      return reachAnything.has(nodeId) || (node?.provider.id === provider_id && !node.tool.hints.readOnly);
    });
  }

  return async (row: WebhookRow, event: Event): Promise<void> => {
    const effect = await effectOf(row, event);
    if (effect === undefined || !(await actsThere(row))) return;
    if ((await countOwnEvent(tables, row, effect)) <= mostPerMinute) return;
    const title = catalog.providers.find(({ id }) => id === row.provider_id)?.title ?? row.provider_id;
    const reason = `Turned off, because what its workflow does at ${title} started it again more than ${mostPerMinute} times in a minute. Change the workflow or the events before you turn it on.`;
    if (await stopTrigger(tables, row, reason))
      log.warn(
        { organizationId: row.organization_id, triggerId: row.id, workflowId: row.workflow_id, mostPerMinute },
        "A trigger was turned off, because its workflow kept starting itself.",
      );
    throw new Refusal("trigger_off", "This trigger is turned off.");
  };
}
