import { sql } from "kysely";
import type { Database } from "../storage/database.ts";
import { type VaultDb, vaultTables } from "./store.ts";

/** Everything sealed with the master key, wherever a feature keeps it; each is bound to its organization and the id of its row. */
export const sealedTables = ["credential", "event_endpoint", "trigger", "webhook_address"] as const;
export type SealedTable = (typeof sealedTables)[number];

export type SealedRow = { table: SealedTable; id: string; organization_id: string; sealed: Buffer };

const sealedColumns: Record<SealedTable, string> = {
  credential: "sealed",
  event_endpoint: "secret_sealed",
  trigger: "secret_sealed",
  webhook_address: "sealed",
};
const columnOf = (table: SealedTable) => sql.ref<Buffer>(sealedColumns[table]);

// The byte before the key id is the version of the form; src/vault/seal.ts writes both.
const keyIdOf = (table: SealedTable) => sql<string>`encode(substring(${columnOf(table)} from 2 for 8), 'hex')`;

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
  const inTable = (table: SealedTable) =>
    sql`SELECT ${keyIdOf(table)} AS key_id FROM ${sql.table(table)} WHERE ${columnOf(table)} IS NOT NULL`;
  const { rows } = await sql<{ key_id: string }>`${sql.join(sealedTables.map(inTable), sql` UNION `)}`.execute(db);
  return rows.map(({ key_id }) => key_id);
}

type Selection = { table: SealedTable; keyId: string; afterId: string | undefined };

/** Some rows of all organizations that are sealed with another key, after the given id. */
export async function listSealedWithOtherKey(db: VaultDb, { table, keyId, afterId }: Selection): Promise<SealedRow[]> {
  const { rows } = await sql<SealedRow>`
    SELECT ${table}::text AS "table", id, organization_id, ${columnOf(table)} AS sealed FROM ${sql.table(table)}
    WHERE ${keyIdOf(table)} <> ${keyId} AND (${afterId ?? null}::uuid IS NULL OR id > ${afterId ?? null}::uuid)
    ORDER BY id LIMIT 100`.execute(db);
  return rows;
}

/** Leaves a row alone whose contents have changed in between. What its secrets are recognised by was made with the old key. */
export async function replaceSealed(db: VaultDb, { table, ...row }: SealedRow, sealed: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE ${sql.table(table)} SET ${columnOf(table)} = ${sealed} ${table === "credential" ? sql`, fingerprints = NULL` : sql``}
    WHERE organization_id = ${row.organization_id} AND id = ${row.id} AND ${columnOf(table)} = ${row.sealed}`.execute(
    db,
  );
  return (numAffectedRows ?? 0n) > 0n;
}
