import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import { splitScopes } from "../base/split-scopes.ts";
import type { CredentialData } from "../contract/credential.ts";
import type { Database } from "../storage/database.ts";
import { type Contents, notAccessible, placeOf } from "./contents.ts";
import { type CredentialType, chooseVariant } from "./credential-data.ts";
import type { Tokens } from "./request-tokens.ts";
import { type CredentialRow, findCredential, noLease, type Place, replaceContent, vaultTables } from "./store.ts";

export type OpenedRow = { row: CredentialRow; data: CredentialData };

type Options = { db: Database; clock: Clock; contents: Contents; credentialTypes: ReadonlyMap<string, CredentialType> };

const savingAttempts = 20;
const savingPauseMs = 500;

/** Saving tokens that the provider gives only once. */
export function createSavedTokens({ db, clock, contents, credentialTypes }: Options) {
  const tables = vaultTables(db);

  async function read(place: Place): Promise<OpenedRow> {
    const row = await findCredential(tables, place);
    if (!row) throw notAccessible();
    return { row, data: contents.open(row) };
  }

  async function saveOnto(
    { row, data }: OpenedRow,
    tokens: Tokens,
    staleToken: unknown,
  ): Promise<OpenedRow | undefined> {
    const type = credentialTypes.get(row.type);
    if (!type) throw notAccessible();
    const isStale = data.accessToken === staleToken;
    const merged = isStale ? withTokens(data, tokens, clock.now()) : withRefreshToken(data, tokens);
    const content = contents.toRow(placeOf(row), chooseVariant(type.definition, data.kind), merged);
    const note = isStale
      ? { health: "ok" as const, last_ok_at: clock.now(), last_error: null, last_error_at: null }
      : {};
    const saved = await replaceContent(tables, placeOf(row), row.version, { ...content, ...note, ...noLease });
    return saved && { row: saved, data: merged };
  }

  return {
    read,

    /** Merges them into what is stored by now, without replacing tokens that somebody entered; waits for a database that is away. */
    async save(opened: OpenedRow, tokens: Tokens): Promise<OpenedRow> {
      const saveOnce = async (attempt: number): Promise<OpenedRow | undefined> => {
        const current = attempt === 1 ? opened : await read(placeOf(opened.row));
        if (current.data.refreshToken !== opened.data.refreshToken) return current;
        return await saveOnto(current, tokens, opened.data.accessToken);
      };
      for (let attempt = 1; ; attempt++) {
        const saved = await saveOnce(attempt).catch(async (error: unknown) => {
          if (attempt === savingAttempts || !isAway(error)) throw error;
          await delay(savingPauseMs);
        });
        if (saved) return saved;
      }
    },
  };
}

const isAway = (error: unknown): boolean => error instanceof Refusal && error.code === "database_unavailable";

/** A provider that gives no new refresh token keeps the old one valid. */
const withRefreshToken = (data: CredentialData, { refreshToken }: Tokens): CredentialData =>
  refreshToken === undefined ? data : { ...data, refreshToken };

export function withTokens(data: CredentialData, tokens: Tokens, now: Date): CredentialData {
  const { expiresAt: _, ...rest } = data;
  const { accessToken, expiresInSeconds, scope } = tokens;
  return {
    ...withRefreshToken(rest, tokens),
    accessToken,
    ...(scope === undefined ? {} : { grantedScopes: splitScopes(scope).join(" ") }),
    ...(expiresInSeconds === undefined ? {} : { expiresAt: endOf(now, expiresInSeconds) }),
  };
}

const longestSeconds = 10 * 365 * 86_400;

// Whatever number a provider sends, saving the tokens must not fail on it.
const endOf = (now: Date, seconds: number): string =>
  new Date(now.getTime() + Math.min(Math.max(seconds, 0), longestSeconds) * 1000).toISOString();
