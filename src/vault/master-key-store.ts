import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import { type CredentialRow, type VaultDb, vaultTables } from "./store.ts";

export type SealedRow = Pick<CredentialRow, "id" | "organization_id" | "sealed">;

// The byte before the key id is the version of the form; src/vault/seal.ts writes both.
const keyIdOfRow = sql<string>`encode(substring(sealed from 2 for 8), 'hex')`;

/** One process at a time looks at the master keys and changes them. */
export const withMasterKeyLock = <Value>(db: Database, run: (tables: VaultDb) => Promise<Value>): Promise<Value> =>
  vaultTables(db)
    .transaction()
    .execute(async (transaction) => {
      await sql`SELECT pg_advisory_xact_lock(hashtext('switchyard master key'))`.execute(transaction);
      return await run(transaction);
    });

export const listKeyChecks = (db: VaultDb) => db.selectFrom("master_key_check").selectAll().execute();

export const insertKeyCheck = (db: VaultDb, row: { key_id: string; sealed: Buffer }) =>
  db
    .insertInto("master_key_check")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export const deleteOtherKeyChecks = (db: VaultDb, keyId: string) =>
  db.deleteFrom("master_key_check").where("key_id", "!=", keyId).execute();

export async function listKeyIdsInUse(db: VaultDb): Promise<string[]> {
  const rows = await db.selectFrom("credential").select(keyIdOfRow.as("key_id")).distinct().execute();
  return rows.map(({ key_id }) => key_id);
}

/** Some credentials of all organizations that are sealed with another key, after the given id. */
export const listSealedWithOtherKey = (db: VaultDb, { keyId, afterId }: { keyId: string; afterId: string | undefined }) =>
  db
    .selectFrom("credential")
    .select(["id", "organization_id", "sealed"])
    .where(keyIdOfRow, "!=", keyId)
    .$if(afterId !== undefined, (query) => query.where("id", ">", afterId as string))
    .orderBy("id")
    .limit(100)
    .execute();

/** Leaves a row alone whose contents have changed in between. */
export async function replaceSealed(db: VaultDb, row: SealedRow, sealed: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("credential")
    .set({ sealed })
    .where("organization_id", "=", row.organization_id)
    .where("id", "=", row.id)
    .where("sealed", "=", row.sealed)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
