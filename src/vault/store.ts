import type { Generated, Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import type { Database } from "../storage/database.ts";

export type StoredHealth = "unknown" | "ok" | "failing" | "needs_reconnect";

type VaultTables = {
  credential: {
    id: string;
    organization_id: string;
    type: string;
    kind: string;
    name: string;
    sealed: Buffer;
    public_data: string;
    fingerprints: Buffer | null;
    created_by: string | null;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
    version: Generated<number>;
    token_expires_at: Date | null;
    can_refresh: boolean;
    refreshing_by: string | null;
    refreshing_until: Date | null;
    refresh_failures: Generated<number>;
    refresh_failing_since: Date | null;
    refresh_paused_until: Date | null;
    refresh_error: string | null;
    health: Generated<StoredHealth>;
    last_ok_at: Date | null;
    last_error: string | null;
    last_error_at: Date | null;
  };
  oauth_state: {
    state_hash: Buffer;
    organization_id: string;
    credential_id: string;
    user_id: string;
    session_id: string;
    code_verifier_sealed: Buffer;
    created_at: Date;
    expires_at: Date;
  };
  master_key_check: { key_id: string; sealed: Buffer };
};

export type VaultDb = Kysely<VaultTables>;
export type CredentialRow = Selectable<VaultTables["credential"]>;

/** Names one credential. The organization always goes along, so that a foreign id finds nothing. */
export type Place = { organizationId: string; credentialId: string };

/** What changes together when a credential gets other contents. */
export type Content = Pick<
  CredentialRow,
  "kind" | "sealed" | "public_data" | "fingerprints" | "token_expires_at" | "can_refresh"
>;

export type HealthNote = Partial<Pick<CredentialRow, "health" | "last_ok_at" | "last_error" | "last_error_at">>;

/** For whoever saves tokens: there is nothing left to refresh under the old lease. */
export const noLease = { refreshing_by: null, refreshing_until: null } as const;

export const noRefreshFailure = {
  refresh_failures: 0,
  refresh_failing_since: null,
  refresh_paused_until: null,
  refresh_error: null,
} as const;

export const vaultTables = (db: Database): VaultDb => db.tables<VaultTables>();

export type NewCredential = Pick<CredentialRow, "id" | "organization_id" | "type" | "name" | "created_by"> & Content;

export const insertCredential = (db: VaultDb, row: NewCredential) =>
  db.insertInto("credential").values(row).returningAll().executeTakeFirstOrThrow();

/** What a list shows; nothing sealed is read. */
export const summaryColumns = [
  "id",
  "name",
  "type",
  "kind",
  "public_data",
  "health",
  "token_expires_at",
  "can_refresh",
  "refresh_failing_since",
] as const;

export const findTypes = (db: VaultDb, organizationId: string, ids: string[]) =>
  db
    .selectFrom("credential")
    .select(["id", "type"])
    .where("organization_id", "=", organizationId)
    .where("id", "in", ids)
    .execute();

/** Of one type, the newest first, without those that are known not to work; nothing sealed is read. */
export const listWorking = (db: VaultDb, organizationId: string, type: string, limit: number) =>
  db
    .selectFrom("credential")
    .select(summaryColumns)
    .where("organization_id", "=", organizationId)
    .where("type", "=", type)
    .where("health", "in", ["unknown", "ok"])
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();

const findStatement = {
  name: "credential_find",
  text: `SELECT credential.* FROM unnest($1::uuid[], $2::uuid[]) AS place (organization_id, id)
         JOIN credential ON credential.organization_id = place.organization_id AND credential.id = place.id`,
};

/** In the order of the places; undefined where the organization has no such credential. */
export async function findCredentials(db: Database, places: Place[]): Promise<(CredentialRow | undefined)[]> {
  const ids = places.map(({ credentialId }) => credentialId);
  const organizationIds = places.map(({ organizationId }) => organizationId);
  const rows = await db.prepared<CredentialRow>(findStatement, [organizationIds, ids]);
  const byPlace = new Map(rows.map((row) => [`${row.organization_id} ${row.id}`, row]));
  return places.map(({ organizationId, credentialId }) => byPlace.get(`${organizationId} ${credentialId}`));
}

export const findCredential = (db: VaultDb, { organizationId, credentialId }: Place) =>
  db
    .selectFrom("credential")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId)
    .executeTakeFirst();

export const renameCredential = (db: VaultDb, { organizationId, credentialId }: Place, name: string) =>
  db
    .updateTable("credential")
    .set({ name, updated_at: sql<Date>`now()` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId)
    .execute();

type Replacement = Content & HealthNote & Partial<typeof noLease>;

/** Saves in one statement, unless somebody else has saved since that version was read. Whatever is new may be refreshed at once. */
export const replaceContent = (db: VaultDb, place: Place, seenVersion: number, content: Replacement) =>
  db
    .updateTable("credential")
    .set({ ...content, ...noRefreshFailure, version: seenVersion + 1, updated_at: sql<Date>`now()` })
    .where("organization_id", "=", place.organizationId)
    .where("id", "=", place.credentialId)
    .where("version", "=", seenVersion)
    .returningAll()
    .executeTakeFirst();

/** With a version: only while the contents are still those. */
export const noteHealth = (
  db: VaultDb,
  { organizationId, credentialId }: Place,
  note: HealthNote & Partial<typeof noRefreshFailure>,
  seenVersion?: number,
) =>
  db
    .updateTable("credential")
    .set(note)
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId)
    .$if(seenVersion !== undefined, (query) => query.where("version", "=", seenVersion as number))
    .execute();

/**
 * What must be connected again stays so: a call that began before has only ended later. Nobody waits for it to be written, so a failure of
 * later may be there already, and stays too.
 */
export const noteSuccess = (db: VaultDb, { organizationId, credentialId }: Place, at: Date) =>
  db
    .updateTable("credential")
    .set({ health: "ok", last_ok_at: at, last_error: null, last_error_at: null })
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId)
    .where("health", "!=", "needs_reconnect")
    .where((row) => row.or([row("last_error_at", "is", null), row("last_error_at", "<=", at)]))
    .returningAll()
    .executeTakeFirst();

/** What must be connected again stays so, whatever else goes wrong. */
export const noteFailure = (
  db: VaultDb,
  { organizationId, credentialId }: Place,
  note: Pick<CredentialRow, "last_error" | "last_error_at">,
) =>
  db
    .updateTable("credential")
    .set({ ...note, health: sql<StoredHealth>`CASE health WHEN 'needs_reconnect' THEN health ELSE 'failing' END` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId)
    .returningAll()
    .executeTakeFirst();

/** A test that may not be made shows at least that the provider knows the credential; what works by other proof goes on doing so. */
export const noteUnchecked = async (
  db: VaultDb,
  place: Place,
  note: Pick<CredentialRow, "last_error" | "last_error_at">,
) =>
  (await db
    .updateTable("credential")
    .set({ ...note, health: "unknown" })
    .where("organization_id", "=", place.organizationId)
    .where("id", "=", place.credentialId)
    .where("health", "in", ["unknown", "failing"])
    .returningAll()
    .executeTakeFirst()) ?? (await findCredential(db, place));

export async function deleteCredential(db: VaultDb, { organizationId, credentialId }: Place): Promise<boolean> {
  const query = db
    .deleteFrom("credential")
    .where("organization_id", "=", organizationId)
    .where("id", "=", credentialId);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

export const insertState = (
  db: VaultDb,
  row: Omit<VaultTables["oauth_state"], "created_at" | "expires_at">,
  lifetimeSeconds: number,
) =>
  db
    .insertInto("oauth_state")
    .values({
      ...row,
      created_at: sql<Date>`now()`,
      expires_at: sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`,
    })
    .execute();

/** Takes the state away: it can be used once, and only by the browser session that began. */
export const takeState = (db: VaultDb, state: { hash: Buffer; userId: string; sessionId: string }) =>
  db
    .deleteFrom("oauth_state")
    .where("state_hash", "=", state.hash)
    .where("user_id", "=", state.userId)
    .where("session_id", "=", state.sessionId)
    .returning([
      "organization_id",
      "credential_id",
      "code_verifier_sealed",
      sql<boolean>`expires_at <= now()`.as("is_expired"),
    ])
    .executeTakeFirst();

export const deleteExpiredStates = (db: VaultDb) =>
  db.deleteFrom("oauth_state").where("expires_at", "<", sql<Date>`now()`).execute();
