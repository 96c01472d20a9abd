import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { CredentialData, Variant } from "../contract/credential.ts";
import type { Database } from "../storage/database.ts";
import { placeOf, toStorableError } from "./contents.ts";
import { type CredentialRow, noteHealth, vaultTables } from "./store.ts";

type Options = { db: Database; clock: Clock; fetch: SafeFetch };
type Wish = { row: CredentialRow; mint: NonNullable<Variant["mintToken"]>; data: CredentialData };
type Kept = { endsAt: number; token: Promise<string> };

const earlyMs = 5 * 60_000;
const mostKept = 1000;

/** Tokens that are got with what was typed in. They are in memory alone, until shortly before they end or the account changes. */
export function createMintedTokens({ db, clock, fetch }: Options) {
  const tables = vaultTables(db);
  const kept = new Map<string, Kept>();

  async function mintFor({ row, mint, data }: Wish, entry: Kept): Promise<string> {
    try {
      const { accessToken, expiresInSeconds } = await mint(data, { fetch, clock });
      entry.endsAt = clock.now().getTime() + expiresInSeconds * 1000 - earlyMs;
      return accessToken;
    } catch (error) {
      if (error instanceof Refusal && error.isUnauthorized) {
        const note = { health: "failing", last_error: toStorableError(error.message), last_error_at: clock.now() } as const;
        await noteHealth(tables, placeOf(row), note, row.version);
      }
      throw error;
    }
  }

  return {
    /** The same for all calls until it ends. One that the provider refused is replaced. */
    async get(wish: Wish, refused?: unknown): Promise<string> {
      const { row } = wish;
      const key = `${row.organization_id} ${row.id} ${row.version}`;
      const present = kept.get(key);
      if (present && present.endsAt > clock.now().getTime() && (refused === undefined || (await present.token) !== refused))
        return await present.token;
      const entry: Kept = { endsAt: Number.POSITIVE_INFINITY, token: Promise.resolve("") };
      entry.token = mintFor(wish, entry).catch((error: unknown) => {
        if (kept.get(key) === entry) kept.delete(key);
        throw error;
      });
      kept.delete(key);
      kept.set(key, entry);
      for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest);
      return await entry.token;
    },
  };
}
