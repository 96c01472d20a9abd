import type { CredentialRow, VaultDb } from "./store.ts";

/** Of the newest; nothing sealed is read. */
export async function listFingerprints(db: VaultDb, organizationId: string, limit: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom("credential")
    .select("fingerprints")
    .where("organization_id", "=", organizationId)
    .where("fingerprints", "is not", null)
    .orderBy("created_at", "desc")
    .limit(limit)
    .execute();
  return rows.flatMap(({ fingerprints }) => fingerprints ?? []);
}

/** Some rows of all organizations that have none yet, after the given id. */
export const listWithoutFingerprints = (db: VaultDb, afterId: string | undefined): Promise<CredentialRow[]> =>
  db
    .selectFrom("credential")
    .selectAll()
    .where("fingerprints", "is", null)
    .$if(afterId !== undefined, (query) => query.where("id", ">", afterId as string))
    .orderBy("id")
    .limit(100)
    .execute();

/** Leaves a row alone whose contents have changed in between. */
export const setFingerprints = (db: VaultDb, row: CredentialRow, fingerprints: Buffer) =>
  db
    .updateTable("credential")
    .set({ fingerprints })
    .where("organization_id", "=", row.organization_id)
    .where("id", "=", row.id)
    .where("sealed", "=", row.sealed)
    .execute();
