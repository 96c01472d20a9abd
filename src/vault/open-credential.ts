import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import { endAfter, type Span } from "../base/tracing.ts";
import type { Credential, CredentialData, Variant } from "../contract/credential.ts";
import type { Database } from "../storage/database.ts";
import { type Contents, incomplete, needsReconnect, placeOf } from "./contents.ts";
import { chooseVariant, findMissing, secretFieldsOf, secretValuesOf } from "./credential-data.ts";
import { createMintedTokens, type TokenWait } from "./minted-tokens.ts";
import { type Refresh, refreshEarlyMs } from "./refresh.ts";
import type { OAuthClients } from "./request-tokens.ts";
import type { OpenedRow } from "./saved-tokens.ts";
import { type CredentialRow, noteHealth, vaultTables } from "./store.ts";

/** A credential that the organization owns and that is of the wanted type. Nothing of it is decrypted yet. */
export type CheckedCredential = { definition: Credential; row: CredentialRow };

export type OpenedCredential = Awaited<ReturnType<ReturnType<typeof createOpenCredential>>>;

type Options = {
  db: Database;
  clock: Clock;
  fetch: SafeFetch;
  contents: Contents;
  refresh: Refresh;
  oauthClients: OAuthClients;
  platformBaseUrl: string;
};

const hopeless = new Set(["credential_needs_reconnect", "credential_not_accessible", "credential_unreadable"]);
const settledMs = 30_000;

/** Decrypts a credential for one call and keeps its token fresh during it. A refresh goes on when the call has ended: its answer counts once. */
export function createOpenCredential(options: Options) {
  const { db, clock, fetch, contents, oauthClients, platformBaseUrl } = options;
  const { renew, freshen } = createRenewals(options);
  const minted = createMintedTokens({ db, clock, fetch });

  /** With a token in place of what it is got with. */
  async function withMinted(
    { mintToken: mint, ...variant }: Variant,
    { row, data }: OpenedRow,
    wait: TokenWait,
  ): Promise<OpenedRow> {
    if (!mint) return { row, data };
    const kept = Object.entries(data).filter(([name]) => !secretFieldsOf(variant).includes(name));
    return { row, data: { ...Object.fromEntries(kept), accessToken: await minted.get({ row, mint, data }, wait) } };
  }

  return async (
    { definition, row }: CheckedCredential,
    { trace, signal }: { trace?: Span; signal?: AbortSignal } = {},
  ) => {
    const stored = contents.open(row);
    const variant = chooseVariant(definition, stored.kind);
    const missing = findMissing(variant, stored);
    if (missing.length > 0) throw incomplete(row, missing, platformBaseUrl);
    const secrets = new Set(Object.values(oauthClients).flatMap(({ secret }) => secret ?? []));
    let current: OpenedRow = { row, data: stored };
    const use = (opened: OpenedRow) => {
      for (const secret of secretValuesOf(variant, opened.data)) secrets.add(secret);
      if (typeof opened.data.accessToken === "string") secrets.add(opened.data.accessToken);
      current = opened;
    };
    use(current);
    const began = current;
    if (variant.oauth2) use(await freshen(current, trace));
    else if (variant.mintToken) use(await withMinted(variant, began, { signal }));

    let replacedAt = Number.NEGATIVE_INFINITY;
    const replaceToken = async (): Promise<boolean> => {
      const failed = current.data.accessToken;
      if (variant.mintToken) {
        use(await withMinted(variant, began, { refused: failed, signal }));
        return current.data.accessToken !== failed;
      }
      if (typeof current.data.refreshToken !== "string") return false;
      // Requests that were under way with the old token fail as well; they only have to be sent again.
      if (clock.now().getTime() - replacedAt < settledMs) return true;
      use(await renew(row, failed, trace));
      replacedAt = clock.now().getTime();
      return current.data.accessToken !== failed;
    };
    return {
      definition,
      /** Read anew for every request, because a refresh replaces it. */
      data: (): CredentialData => current.data,
      /** As it is stored with that data. */
      row: (): CredentialRow => current.row,
      /** Gets another token than the present one, after the provider refused it; false when there is none to get. */
      ...(variant.oauth2 || variant.mintToken ? { refresh: replaceToken } : {}),
      /** Whether a person can connect it again. */
      isConnected: variant.oauth2 !== undefined,
      /** Every secret value of this call, replaced tokens included, to be taken out of what goes outside. */
      secrets: (): string[] => [...secrets],
    };
  };
}

/** Gets a new token from the provider: when it is asked to, or when the old one is about to end. */
function createRenewals({ db, clock, refresh, platformBaseUrl }: Options) {
  const tables = vaultTables(db);

  async function renew(row: CredentialRow, token: unknown, trace: Span | undefined): Promise<OpenedRow> {
    const work = () => refresh.refresh(placeOf(row), token);
    return trace
      ? await endAfter(trace.begin("token refresh", { "switchyard.provider": row.type }, "client"), work, () => ({}))
      : await work();
  }

  async function freshen(opened: OpenedRow, trace: Span | undefined): Promise<OpenedRow> {
    const { row, data } = opened;
    if (data.accessToken === undefined || row.health === "needs_reconnect") throw needsReconnect(row, platformBaseUrl);
    if (row.token_expires_at === null) return opened;
    const leftMs = row.token_expires_at.getTime() - clock.now().getTime();
    if (leftMs > refreshEarlyMs) return opened;
    if (row.can_refresh)
      return await renew(row, data.accessToken, trace).catch((error) => keepOr(error, opened, leftMs > 0));
    if (leftMs > 0) return opened;
    const note = {
      health: "needs_reconnect",
      last_error: "The token has expired and cannot be refreshed.",
      last_error_at: clock.now(),
    } as const;
    await noteHealth(tables, placeOf(row), note, row.version);
    throw needsReconnect(row, platformBaseUrl);
  }

  return { renew, freshen };
}

/** While the old token is valid, a provider that gives no new one is no reason to fail. */
function keepOr(error: unknown, opened: OpenedRow, isStillValid: boolean): OpenedRow {
  if (isStillValid && error instanceof Refusal && !hopeless.has(error.code)) return opened;
  throw error;
}
