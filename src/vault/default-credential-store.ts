import type { Generated, Kysely, Selectable } from "kysely";
import type { Database } from "../storage/database.ts";
import { type CredentialRow, insertCredential, type NewCredential, type VaultDb } from "./store.ts";

type DefaultCredentialTables = {
  default_credential: {
    organization_id: string;
    api_key_id: string | null;
    credential_type: string;
    credential_id: string;
    created_at: Generated<Date>;
  };
  api_key: { organization_id: string; id: string; name: string; revoked_at: Date | null };
};

type DefaultsDb = Kysely<DefaultCredentialTables>;
export type DefaultCredentialRow = Omit<Selectable<DefaultCredentialTables["default_credential"]>, "created_at">;

/** Names one default: the organization's own when there is no key. */
export type DefaultPlace = { organizationId: string; apiKeyId: string | null; type: string };

export const defaultCredentialTables = (db: Database): DefaultsDb => db.tables<DefaultCredentialTables>();

export const upsertDefault = (db: DefaultsDb, row: DefaultCredentialRow) =>
  db
    .insertInto("default_credential")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["organization_id", "api_key_id", "credential_type"])
        .doUpdateSet({ credential_id: row.credential_id }),
    )
    .execute();

/** In one transaction: whoever asked for a default never gets an account that is none. */
export const insertAsDefault = (db: VaultDb, row: NewCredential): Promise<CredentialRow> =>
  db.transaction().execute(async (transaction) => {
    const made = await insertCredential(transaction, row);
    const { organization_id, type: credential_type, id: credential_id } = made;
    const tables = transaction as unknown as DefaultsDb;
    await upsertDefault(tables, { organization_id, api_key_id: null, credential_type, credential_id });
    return made;
  });

export const listDefaults = (db: DefaultsDb, organizationId: string) =>
  db
    .selectFrom("default_credential")
    .select(["organization_id", "api_key_id", "credential_type", "credential_id"])
    .where("organization_id", "=", organizationId)
    .orderBy("credential_type")
    .orderBy("api_key_id", (order) => order.asc().nullsFirst())
    .execute();

/** Where a credential is the default, with the names of the keys; a key that was revoked needs none. */
export const listDefaultsOf = (db: DefaultsDb, organizationId: string, credentialId: string) =>
  db
    .selectFrom("default_credential")
    .leftJoin("api_key", (join) =>
      join
        .onRef("api_key.organization_id", "=", "default_credential.organization_id")
        .onRef("api_key.id", "=", "default_credential.api_key_id"),
    )
    .select(["credential_type as type", "api_key_id as apiKeyId", "api_key.name as apiKeyName"])
    .where("default_credential.organization_id", "=", organizationId)
    .where("credential_id", "=", credentialId)
    .where("api_key.revoked_at", "is", null)
    .orderBy("api_key.name", (order) => order.asc().nullsFirst())
    .orderBy("api_key_id")
    .execute();

export async function deleteDefault(
  db: DefaultsDb,
  { organizationId, apiKeyId, type }: DefaultPlace,
): Promise<boolean> {
  const query = db
    .deleteFrom("default_credential")
    .where("organization_id", "=", organizationId)
    .where("api_key_id", "is not distinct from", apiKeyId)
    .where("credential_type", "=", type);
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}
