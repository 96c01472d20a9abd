import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { Database } from "../storage/database.ts";
import { type Contents, needsReconnect, notAccessible, placeOf, toStorableError } from "./contents.ts";
import { type CredentialType, chooseVariant } from "./credential-data.ts";
import { clientOf, isDeadGrant, isTemporary, type OAuthClients, requestTokens } from "./request-tokens.ts";
import { createSavedTokens, type OpenedRow } from "./saved-tokens.ts";
import { noteHealth, type Place, releaseLease, takeLease, vaultTables } from "./store.ts";

export type Refresh = ReturnType<typeof createRefresh>;

type Options = {
  db: Database;
  clock: Clock;
  contents: Contents;
  credentialTypes: ReadonlyMap<string, CredentialType>;
  fetch: SafeFetch;
  oauthClients: OAuthClients;
  platformBaseUrl: string;
};

// Two attempts of 10 s at the provider and some time to save fit into it.
const leaseMs = 45_000;
const pollMs = 75;

/** Fresh tokens, got by one process at a time. Whoever wants the same one waits for it instead of asking the provider. */
export function createRefresh({ db, clock, contents, credentialTypes, fetch, oauthClients, platformBaseUrl }: Options) {
  const tables = vaultTables(db);
  const holder = newId();
  const saved = createSavedTokens({ db, clock, contents, credentialTypes });
  const flights = new Map<string, Promise<OpenedRow>>();

  async function askProvider({ row, data }: OpenedRow) {
    const type = credentialTypes.get(row.type);
    const oauth2 = type && chooseVariant(type.definition, data.kind).oauth2;
    if (!oauth2) throw notAccessible();
    const parameters = { grant_type: "refresh_token", refresh_token: String(data.refreshToken) };
    const request = { fetch, oauth2, provider: type.definition.title, data, client: clientOf(row.type, data, oauthClients), parameters };
    return await requestTokens(request).catch((error: unknown) => {
      if (isTemporary(error)) return requestTokens(request);
      throw error;
    });
  }

  async function runWithLease(opened: OpenedRow): Promise<OpenedRow> {
    const { row } = opened;
    const place = placeOf(row);
    try {
      return await saved.save(opened, await askProvider(opened));
    } catch (error) {
      const isDead = isDeadGrant(error);
      const said = error instanceof Refusal ? error.message : "The token could not be refreshed.";
      const note = {
        last_error: toStorableError(said),
        last_error_at: clock.now(),
        ...(isDead ? { health: "needs_reconnect" as const } : {}),
      };
      await noteHealth(tables, place, note, row.version);
      await releaseLease(tables, place, holder);
      throw isDead ? needsReconnect(row, platformBaseUrl) : error;
    }
  }

  async function replace(place: Place, staleToken: unknown): Promise<OpenedRow> {
    for (const deadline = performance.now() + 2 * leaseMs; performance.now() < deadline; await delay(pollMs)) {
      const opened = await saved.read(place);
      if (opened.data.accessToken !== staleToken) return opened;
      if (opened.row.health === "needs_reconnect") throw needsReconnect(opened.row, platformBaseUrl);
      if (await takeLease(tables, { ...place, version: opened.row.version, holder, leaseMs })) return await runWithLease(opened);
    }
    throw new Refusal("outbound_timeout", "Another process has been refreshing the credential for too long.");
  }

  return {
    /** Replaces exactly this token; when somebody has replaced it already, theirs is taken. */
    async refresh(place: Place, staleToken: unknown): Promise<OpenedRow> {
      const key = `${place.organizationId} ${place.credentialId} ${String(staleToken)}`;
      const flight = flights.get(key) ?? replace(place, staleToken).finally(() => flights.delete(key));
      flights.set(key, flight);
      return await flight;
    },
  };
}
