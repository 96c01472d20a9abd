import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { notAccessible } from "./contents.ts";
import type { CredentialType } from "./credential-data.ts";
import type { CheckedCredential } from "./open-credential.ts";
import { parseReference } from "./reference.ts";
import { type CredentialRow, findCredentials, vaultTables } from "./store.ts";

type Options = { db: Database; credentialTypes: ReadonlyMap<string, CredentialType> };

/** The first two steps of every use: is each the organization's, then is each of the right type. Decrypts nothing. */
export function createCheckReferences({ db, credentialTypes }: Options) {
  const tables = vaultTables(db);

  return async (
    organizationId: string,
    references: Record<string, unknown>,
    expectedTypes: readonly string[],
  ): Promise<CheckedCredential[]> => {
    const missing = expectedTypes.find((type) => !Object.hasOwn(references, type));
    if (missing !== undefined) throw new Refusal("credential_reference_invalid", `A credential of the type ${missing} is needed.`);
    const wanted = Object.entries(references).map(([type, reference]) => ({ type, id: parseReference(reference) }));
    if (wanted.length === 0) return [];
    const ids = wanted.map(({ id }) => id);
    const found = new Map((await findCredentials(tables, organizationId, ids)).map((row) => [row.id, row]));
    const owned = wanted.flatMap(({ type, id }) => (found.has(id) ? [{ type, row: found.get(id) as CredentialRow }] : []));
    if (owned.length < wanted.length) throw notAccessible();
    return owned.map(({ type, row }) => {
      const known = row.type === type && expectedTypes.includes(type) ? credentialTypes.get(type) : undefined;
      if (known) return { definition: known.definition, row };
      const expected = expectedTypes.length === 0 ? "No credential" : `A credential of the type ${expectedTypes.join(" or ")}`;
      throw new Refusal("credential_type_mismatch", `${expected} is needed here, not one of the type ${row.type}.`);
    });
  };
}
