import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { KeyRingSource } from "./key-ring.ts";
import {
  deleteOtherKeyChecks,
  insertKeyCheck,
  listKeyChecks,
  listKeyIdsInUse,
  listSealedWithOtherKey,
  replaceSealed,
  type SealedRow,
  type SealedTable,
  sealedTables,
  withMasterKeyLock,
} from "./master-key-store.ts";
import type { Seal, SealContext } from "./seal.ts";
import { type VaultDb, vaultTables } from "./store.ts";

type Options = { db: Database; seal: Seal; keyRing: KeyRingSource; fillFingerprints: () => Promise<unknown> };

const knownText = "switchyard";
const contextOf = (keyId: string) => ({ organizationId: "master key", credentialId: keyId });

/** The key everything is sealed with: is it the right one, and how to change it while servers run. */
export function createMasterKey({ db, seal, keyRing, fillFingerprints }: Options) {
  async function addKeyCheck(tables: VaultDb): Promise<void> {
    const keyId = seal.currentKeyId();
    await insertKeyCheck(tables, { key_id: keyId, sealed: seal.seal(knownText, contextOf(keyId)) });
  }

  async function resealRow(row: SealedRow, done: Resealed): Promise<void> {
    const context = { organizationId: row.organization_id, credentialId: row.id };
    const text = tryOpen(seal, row.sealed, context);
    if (text === undefined) done.unreadable.push(row.id);
    else if (await replaceSealed(vaultTables(db), row, seal.seal(text, context))) done.resealed++;
  }

  async function resealTable(table: SealedTable, keyId: string, done: Resealed): Promise<void> {
    let afterId: string | undefined;
    do {
      const rows: SealedRow[] = await listSealedWithOtherKey(vaultTables(db), { table, keyId, afterId });
      for (const row of rows) await resealRow(row, done);
      afterId = rows.at(-1)?.id;
    } while (afterId !== undefined);
  }

  /** Row by row, so that nobody waits. A row that cannot be opened is left as it is and named. */
  async function resealAll(): Promise<Resealed> {
    const keyId = seal.currentKeyId();
    const done: Resealed = { resealed: 0, unreadable: [] };
    for (const table of sealedTables) await resealTable(table, keyId, done);
    await fillFingerprints();
    if (done.unreadable.length === 0) await withMasterKeyLock(db, (tables) => forgetUnusedKeys(tables, keyId));
    return done;
  }

  return {
    /** Throws when a key this database was sealed with is not there. */
    async verify(): Promise<void> {
      await withMasterKeyLock(db, async (tables) => {
        requireKeys(seal, await listKeyChecks(tables));
        await addKeyCheck(tables);
      });
    },

    /** Seals everything with a new key; what an interrupted change left over is only finished. */
    async rotate(): Promise<Resealed & { keyId: string; newKey: boolean }> {
      const leftover = await resealAll();
      if (leftover.resealed > 0 || !keyRing.isFile) return { newKey: false, keyId: seal.currentKeyId(), ...leftover };
      await withMasterKeyLock(db, async (tables) => {
        keyRing.addKey();
        await addKeyCheck(tables);
      });
      return { newKey: true, keyId: seal.currentKeyId(), ...(await resealAll()) };
    },
  };
}

/** Throws when a key that a database was sealed with is not there. */
export function requireKeys(seal: Seal, checks: { key_id: string; sealed: Buffer }[]): void {
  for (const { key_id, sealed } of checks)
    if (tryOpen(seal, sealed, contextOf(key_id)) !== knownText) throw new Error(wrongKey);
}

type Resealed = { resealed: number; unreadable: string[] };

async function forgetUnusedKeys(tables: VaultDb, keyId: string): Promise<void> {
  const used = await listKeyIdsInUse(tables);
  if (used.every((id) => id === keyId)) await deleteOtherKeyChecks(tables, keyId);
}

const wrongKey =
  "The master key is not the one this database was sealed with. Restore SWITCHYARD_MASTER_KEY or master.key in the data folder; " +
  "during a change of keys the old one belongs into SWITCHYARD_MASTER_KEY_PREVIOUS or master-previous.keys.";

function tryOpen(seal: Seal, sealed: Buffer, context: SealContext): string | undefined {
  try {
    return seal.open(sealed, context);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
