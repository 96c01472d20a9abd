import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import type { ApiKeyRow, IdentityDb } from "./store.ts";
import type { ApiKeyScope } from "./wire.ts";

export const insertApiKey = (
  db: IdentityDb,
  row: Pick<
    ApiKeyRow,
    "id" | "organization_id" | "name" | "hash" | "hint" | "scopes" | "tool_rules" | "created_by" | "expires_at"
  >,
) => db.insertInto("api_key").values(row).returningAll().executeTakeFirstOrThrow();

export const replaceApiKeyHash = (
  db: IdentityDb,
  organizationId: string,
  keyId: string,
  replacement: { hash: Buffer; hint: string },
) =>
  db
    .updateTable("api_key")
    .set({ ...replacement, regenerated_at: sql<Date>`now()` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", keyId)
    .where("revoked_at", "is", null)
    .returningAll()
    .executeTakeFirst();

export const updateApiKey = (
  db: IdentityDb,
  organizationId: string,
  keyId: string,
  change: Partial<Pick<ApiKeyRow, "name" | "tool_rules">>,
) =>
  db
    .updateTable("api_key")
    .set(change)
    .where("organization_id", "=", organizationId)
    .where("id", "=", keyId)
    .where("revoked_at", "is", null)
    .returningAll()
    .executeTakeFirst();

export const findApiKey = (db: IdentityDb, organizationId: string, keyId: string) =>
  db
    .selectFrom("api_key")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("id", "=", keyId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();

/** The row stays so that history can still name the key; its hash goes, so that nothing can match it again. */
export async function revokeApiKey(db: IdentityDb, organizationId: string, keyId: string): Promise<boolean> {
  const result = await db
    .with("unbound", (query) =>
      query
        .deleteFrom("default_credential")
        .where("organization_id", "=", organizationId)
        .where("api_key_id", "=", keyId),
    )
    .updateTable("api_key")
    .set({ revoked_at: sql<Date>`now()`, hash: sql<Buffer>`sha256(hash)` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", keyId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export const touchApiKeys = (db: IdentityDb, keyIds: string[]) =>
  db.updateTable("api_key").set({ last_used_at: sql<Date>`now()` }).where("id", "in", keyIds).execute();

export type VerifiedKey = {
  id: string;
  name: string;
  organizationId: string | null;
  ownerType: string;
  scopes: ApiKeyScope[];
  toolRules: string[] | null;
  /** Credential type → credential id, the key's own before the organization's; null when there are none. */
  defaultCredentials: Record<string, string> | null;
  expired: boolean;
};

const verifyStatement = {
  name: "api_key_verify",
  text: `SELECT hash, id, name, organization_id AS "organizationId", owner_type AS "ownerType", scopes, coalesce(expires_at <= now(), false) AS expired,
           tool_rules AS "toolRules",
           (SELECT jsonb_object_agg(credential_type, credential_id ORDER BY api_key_id NULLS FIRST) FROM default_credential
            WHERE organization_id = api_key.organization_id AND (api_key_id IS NULL OR api_key_id = api_key.id)) AS "defaultCredentials"
         FROM api_key WHERE hash = ANY($1::bytea[]) AND revoked_at IS NULL`,
};

/** In the order of the hashes; undefined where there is no such key. */
export async function findApiKeysByHash(db: Database, hashes: Buffer[]): Promise<(VerifiedKey | undefined)[]> {
  const rows = await db.prepared<VerifiedKey & { hash: Buffer }>(verifyStatement, [hashes]);
  const byHash = new Map(rows.map(({ hash, ...key }) => [hash.toString("latin1"), key]));
  return hashes.map((hash) => byHash.get(hash.toString("latin1")));
}
