import { sql } from "kysely";
import {
  type CredentialRow,
  type HealthNote,
  noRefreshFailure,
  noteHealth,
  type Place,
  type VaultDb,
} from "./store.ts";

// What is stored of credentials whose tokens are refreshed.

type Lease = Place & { version: number; holder: string; leaseMs: number };

/** The right to refresh, for one process. It ends by itself, because its holder may die. There is none during a pause. */
export const takeLease = (db: VaultDb, { organizationId, credentialId, version, holder, leaseMs }: Lease) =>
  db
    .updateTable("credential")
    .set({ refreshing_by: holder, refreshing_until: sql<Date>`now() + ${leaseMs} * interval '1 millisecond'` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId)
    .where("version", "=", version)
    .where((where) =>
      where.or([where("refreshing_until", "is", null), where("refreshing_until", "<", sql<Date>`now()`)]),
    )
    .where((where) =>
      where.or([where("refresh_paused_until", "is", null), where("refresh_paused_until", "<=", sql<Date>`now()`)]),
    )
    .returningAll()
    .executeTakeFirst();

export const releaseLease = (db: VaultDb, { organizationId, credentialId }: Place, holder: string) =>
  db
    .updateTable("credential")
    .set({ refreshing_by: null, refreshing_until: null })
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId)
    .where("refreshing_by", "=", holder)
    .execute();

type RefreshFailure = { pauseMs: number; note: HealthNote };

/** Lets nobody ask the provider again for a while; only while the contents are still those that it was asked with. */
export const pauseRefresh = (
  db: VaultDb,
  { organizationId, credentialId }: Place,
  { pauseMs, note }: RefreshFailure,
  seenVersion: number,
) =>
  db
    .updateTable("credential")
    .set({
      ...note,
      refresh_failures: sql<number>`refresh_failures + 1`,
      refresh_failing_since: sql<Date>`coalesce(refresh_failing_since, now())`,
      refresh_paused_until: sql<Date>`now() + ${pauseMs} * interval '1 millisecond'`,
      refresh_error: note.last_error ?? null,
    })
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId)
    .where("version", "=", seenVersion)
    .execute();

export type RefreshPause = Pick<CredentialRow, "id" | "organization_id" | "name" | "refresh_error"> & {
  since: Date;
  until: Date;
  leftMs: number;
};

/** The pause that a credential is in, by the clock that it was made with. */
export const findRefreshPause = (
  db: VaultDb,
  { organizationId, credentialId }: Place,
): Promise<RefreshPause | undefined> =>
  db
    .selectFrom("credential")
    .select(["id", "organization_id", "name", "refresh_error"])
    .select([sql<Date>`refresh_failing_since`.as("since"), sql<Date>`refresh_paused_until`.as("until")])
    .select(sql<number>`(extract(epoch FROM refresh_paused_until - now()) * 1000)::float8`.as("leftMs"))
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId)
    .where("refresh_paused_until", ">", sql<Date>`now()`)
    .executeTakeFirst();

/** The provider is not asked any more: what it was asked for in vain no longer matters. */
export const noteDeadGrant = (db: VaultDb, place: Place, note: HealthNote, seenVersion: number) =>
  noteHealth(db, place, { ...note, ...noRefreshFailure, health: "needs_reconnect" }, seenVersion);
