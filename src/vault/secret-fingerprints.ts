import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { repeatWork } from "../base/repeat-work.ts";
import type { CredentialData, Variant } from "../contract/credential.ts";
import type { Database } from "../storage/database.ts";
import { type CredentialType, chooseVariant, secretValuesOf } from "./credential-data.ts";
import { createFindSecrets, type FindSecrets, writeFingerprints } from "./fingerprint.ts";
import { listFingerprints, listWithoutFingerprints, setFingerprints } from "./fingerprint-store.ts";
import type { Seal } from "./seal.ts";
import { type CredentialRow, vaultTables } from "./store.ts";

export type SecretFingerprints = ReturnType<typeof createSecretFingerprints>;

type Options = { db: Database; log: Log; seal: Seal; credentialTypes: ReadonlyMap<string, CredentialType> };

const keyIdBytes = 8;
/** Of one organization; of older accounts the secrets are not looked for. */
const mostCredentials = 1_000;
/** How long another process may not know yet what was saved. */
const keptMs = 5_000;
const mostKept = 1_000;
const fillEveryMs = 10 * 60_000;

/** Recognises the secrets of an organization where somebody typed them in. They are opened for that once, never for a call. */
export function createSecretFingerprints({ db, log, seal, credentialTypes }: Options) {
  const tables = vaultTables(db);
  const known = new Map<string, { untilMs: number; find: Promise<() => FindSecrets> }>();

  function write(organizationId: string, variant: Variant, data: CredentialData): Buffer {
    const place = organizationId.toLowerCase();
    known.delete(place);
    const keyId = seal.currentKeyId();
    const key = seal.fingerprintKey(keyId, place);
    if (!key) throw new Error("The current master key is not in its own ring.");
    return Buffer.concat([Buffer.from(keyId, "hex"), writeFingerprints(key, secretValuesOf(variant, data))]);
  }

  async function load(organizationId: string): Promise<() => FindSecrets> {
    const all = (await listFingerprints(tables, organizationId, mostCredentials)).flatMap((stored) => {
      const key = seal.fingerprintKey(stored.subarray(0, keyIdBytes).toString("hex"), organizationId);
      return key ? [{ key, written: stored.subarray(keyIdBytes) }] : [];
    });
    return createFindSecrets(all);
  }

  async function fillOne(row: CredentialRow): Promise<number> {
    const definition = credentialTypes.get(row.type)?.definition;
    const data = definition && tryOpen(seal, row);
    if (!data) return 0;
    await setFingerprints(tables, row, write(row.organization_id, chooseVariant(definition, data.kind), data));
    return 1;
  }

  /** Those of earlier versions, and all after a change of the master key. */
  async function fill(isStopping: () => boolean): Promise<number> {
    let filled = 0;
    let afterId: string | undefined;
    do {
      const rows: CredentialRow[] = await listWithoutFingerprints(tables, afterId);
      for (const row of rows) if (!isStopping()) filled += await fillOne(row);
      afterId = rows.at(-1)?.id;
    } while (afterId !== undefined && !isStopping());
    return filled;
  }

  return {
    write,

    /** What finds the secrets of an organization, one for each call. */
    async findSecretsOf(organizationId: string): Promise<FindSecrets> {
      const place = organizationId.toLowerCase();
      const kept = known.get(place);
      if (kept && kept.untilMs > performance.now()) return (await kept.find)();
      const find = load(place);
      const [oldest] = known.keys();
      if (known.size >= mostKept && oldest !== undefined) known.delete(oldest);
      known.set(place, { untilMs: performance.now() + keptMs, find });
      find.catch(() => known.delete(place));
      return (await find)();
    },

    upkeep: repeatWork({
      log,
      intervalMs: fillEveryMs,
      work: fill,
      failure: "secrets of accounts could not be made recognisable",
    }),
  };
}

function tryOpen(seal: Seal, row: CredentialRow): CredentialData | undefined {
  try {
    return JSON.parse(
      seal.open(row.sealed, { organizationId: row.organization_id, credentialId: row.id }),
    ) as CredentialData;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
