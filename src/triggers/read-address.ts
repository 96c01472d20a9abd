import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { findAddress } from "./address-store.ts";
import { findTrigger, type Place, triggerTables } from "./store.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

export type ReadAddress = ReturnType<typeof createReadAddress>;

type Options = { db: Database; secrets: Pick<WebhookSecrets, "open" | "isAddress" | "urlStartOf"> };

/**
 * The address of a webhook, as far as it may be shown again: of one that is signed it lets nobody in by itself. Null where it is all that a sender
 * needs, where only the provider was told, and where it was made before addresses were kept.
 */
export function createReadAddress({ db, secrets }: Options) {
  const tables = triggerTables(db);
  return async (place: Place): Promise<string | null> => {
    const row = await findTrigger(tables, place);
    if (!row) throw new Refusal("not_found", "There is no such trigger.");
    if (row.kind !== "webhook") throw new Refusal("conflict", "Only a webhook has an address.");
    const kept = await findAddress(tables, place);
    if (!kept) return null;
    const url = secrets.urlStartOf(row.id) + secrets.open(row, kept.sealed);
    // The provider may have been told another one since.
    return secrets.isAddress(url, row) ? url : null;
  };
}
