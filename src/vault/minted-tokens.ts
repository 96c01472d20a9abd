import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { CredentialData, Variant } from "../contract/credential.ts";
import type { Database } from "../storage/database.ts";
import { placeOf, toStorableError } from "./contents.ts";
import { type CredentialRow, noteHealth, vaultTables } from "./store.ts";

type Options = { db: Database; clock: Clock; fetch: SafeFetch };
type MintRequest = { row: CredentialRow; mint: NonNullable<Variant["mintToken"]>; data: CredentialData };
type Kept = { endsAt: number; token: Promise<string>; waiting: number; stop: AbortController };

/** A token that the provider refused is replaced; a call that has ended waits for none. */
export type TokenWait = { refused?: unknown; signal?: AbortSignal | undefined };

const earlyMs = 5 * 60_000;
const mostKept = 1000;

/** Tokens that are got with what was typed in. They are in memory alone, until shortly before they end or the account changes. */
export function createMintedTokens({ db, clock, fetch }: Options) {
  const tables = vaultTables(db);
  const kept = new Map<string, Kept>();

  async function mintFor({ row, mint, data }: MintRequest, entry: Kept): Promise<string> {
    try {
      const { accessToken, expiresInSeconds } = await mint(data, { fetch, clock, signal: entry.stop.signal });
      entry.endsAt = clock.now().getTime() + expiresInSeconds * 1000 - earlyMs;
      return accessToken;
    } catch (error) {
      if (error instanceof Refusal && error.isUnauthorized) {
        const note = {
          health: "failing",
          last_error: toStorableError(error.message),
          last_error_at: clock.now(),
        } as const;
        await noteHealth(tables, placeOf(row), note, row.version);
      }
      throw error;
    }
  }

  function forget(key: string, entry: Kept): void {
    if (kept.get(key) === entry) kept.delete(key);
  }

  function begin(key: string, request: MintRequest): Kept {
    const entry: Kept = {
      endsAt: Number.POSITIVE_INFINITY,
      token: Promise.resolve(""),
      waiting: 0,
      stop: new AbortController(),
    };
    entry.token = mintFor(request, entry).catch((error: unknown) => {
      forget(key, entry);
      throw error;
    });
    // Nobody may be left who waits for it.
    entry.token.catch(() => {});
    kept.delete(key);
    kept.set(key, entry);
    for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest);
    return entry;
  }

  /** Until the call ends. Whoever leaves as the last ends what is under way; nobody else may join that then. */
  async function waitFor(key: string, entry: Kept, signal: AbortSignal | undefined): Promise<string> {
    signal?.throwIfAborted();
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => {
      if (entry.waiting === 1) {
        forget(key, entry);
        entry.stop.abort(signal?.reason);
      }
      reject(signal?.reason);
    };
    entry.waiting += 1;
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([entry.token, left]);
    } finally {
      entry.waiting -= 1;
      signal?.removeEventListener("abort", leave);
    }
  }

  return {
    /** The same for all calls until it ends. */
    async get(request: MintRequest, { refused, signal }: TokenWait): Promise<string> {
      const { row } = request;
      const key = `${row.organization_id} ${row.id} ${row.version}`;
      const present = kept.get(key);
      if (present && present.endsAt > clock.now().getTime()) {
        const token = await waitFor(key, present, signal);
        if (token !== refused) return token;
      }
      return await waitFor(key, begin(key, request), signal);
    },
  };
}
