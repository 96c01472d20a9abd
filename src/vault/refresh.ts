import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { Database } from "../storage/database.ts";
import { type Contents, needsReconnect, notAccessible, placeOf, refreshPaused, toStorableError } from "./contents.ts";
import { type CredentialType, chooseVariant } from "./credential-data.ts";
import { findRefreshPause, noteDeadGrant, pauseRefresh, releaseLease, takeLease } from "./refresh-store.ts";
import { clientOf, isDeadGrant, isTemporary, type OAuthClients, requestTokens, wasAsked } from "./request-tokens.ts";
import { createSavedTokens, type OpenedRow } from "./saved-tokens.ts";
import { type CredentialRow, noteHealth, type Place, vaultTables } from "./store.ts";

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

/** How long before its end a token is replaced. */
export const refreshEarlyMs = 5 * 60_000;

const firstPauseMs = 5_000;
const longestPauseMs = 10 * 60_000;
const longestRetryAfterMs = 24 * 3_600_000;

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
    const client = clientOf(row.type, oauth2, data, oauthClients);
    const request = { fetch, oauth2, provider: type.definition.title, data, client, parameters };
    return await requestTokens(request).catch((error: unknown) => {
      if (isTemporary(error)) return requestTokens(request);
      throw error;
    });
  }

  async function noteFailed(row: CredentialRow, error: unknown): Promise<void> {
    const said = error instanceof Refusal ? error.message : "The token could not be refreshed.";
    const note = { last_error: toStorableError(said), last_error_at: clock.now() };
    if (isDeadGrant(error)) await noteDeadGrant(tables, placeOf(row), note, row.version);
    else if (wasAsked(error)) {
      const leftMs = (row.token_expires_at?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now().getTime();
      // Nobody replaces a token so early unless the provider has refused it.
      const health = leftMs > refreshEarlyMs ? { health: "failing" as const } : {};
      const pauseMs = pauseAfter(row.refresh_failures, error.provider?.retryAfterMs);
      await pauseRefresh(tables, placeOf(row), { pauseMs, note: { ...note, ...health } }, row.version);
    } else await noteHealth(tables, placeOf(row), note, row.version);
  }

  async function runWithLease(opened: OpenedRow): Promise<OpenedRow> {
    const { row } = opened;
    try {
      return await saved.save(opened, await askProvider(opened));
    } catch (error) {
      await noteFailed(row, error);
      await releaseLease(tables, placeOf(row), holder);
      throw isDeadGrant(error) ? needsReconnect(row, platformBaseUrl) : error;
    }
  }

  /** Undefined while it is somebody else's. */
  async function takeTurn(row: CredentialRow): Promise<CredentialRow | undefined> {
    if (row.health === "needs_reconnect") throw needsReconnect(row, platformBaseUrl);
    const leased = await takeLease(tables, { ...placeOf(row), version: row.version, holder, leaseMs });
    if (leased) return leased;
    const pause = await findRefreshPause(tables, placeOf(row));
    if (pause) throw refreshPaused(pause, platformBaseUrl);
    return undefined;
  }

  async function replace(place: Place, staleToken: unknown): Promise<OpenedRow> {
    for (const deadline = performance.now() + 2 * leaseMs; performance.now() < deadline; await delay(pollMs)) {
      const opened = await saved.read(place);
      if (opened.data.accessToken !== staleToken) return opened;
      const row = await takeTurn(opened.row);
      if (row) return await runWithLease({ ...opened, row });
    }
    throw new Refusal("outbound_timeout", "Another process has been refreshing the credential for too long.");
  }

  return {
    /** Replaces exactly this token; when somebody has replaced it already, theirs is taken. Refused at once while a failed try is not long ago. */
    async refresh(place: Place, staleToken: unknown): Promise<OpenedRow> {
      const key = `${place.organizationId} ${place.credentialId} ${String(staleToken)}`;
      const flight = flights.get(key) ?? replace(place, staleToken).finally(() => flights.delete(key));
      flights.set(key, flight);
      return await flight;
    },
  };
}

/** The longer the more often it failed, and never shorter than the provider asks for. */
function pauseAfter(failuresBefore: number, retryAfterMs = 0): number {
  const growing = Math.min(firstPauseMs * 2 ** Math.min(failuresBefore, 20), longestPauseMs);
  return Math.round(Math.max(growing, Math.min(retryAfterMs, longestRetryAfterMs)));
}
