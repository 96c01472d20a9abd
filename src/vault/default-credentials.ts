import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { createCheckReferences } from "./check-references.ts";
import type { Credentials } from "./credentials.ts";
import {
  type DefaultCredentialRow,
  type DefaultPlace,
  defaultCredentialTables,
  deleteDefault,
  listDefaults,
  listDefaultsOf,
  upsertDefault,
} from "./default-credential-store.ts";
import { toReference } from "./reference.ts";
import type { Place } from "./store.ts";
import type { CredentialUses, DefaultCredential } from "./wire.ts";

export type DefaultCredentials = ReturnType<typeof createDefaultCredentials>;

type Options = {
  db: Database;
  check: ReturnType<typeof createCheckReferences>;
  credentials: Pick<Credentials, "definitionOf">;
};

/** Which credential is meant when a caller names none: one per type, for an organization or for one of its keys. */
export function createDefaultCredentials({ db, check, credentials }: Options) {
  const tables = defaultCredentialTables(db);
  return {
    async list(organizationId: string): Promise<DefaultCredential[]> {
      return (await listDefaults(tables, organizationId)).map(toWire);
    },

    /** Of the organization itself, whatever its keys have. */
    async referenceFor(organizationId: string, type: string): Promise<string | undefined> {
      const own = (await listDefaults(tables, organizationId)).find(
        (row) => row.api_key_id === null && row.credential_type === type,
      );
      return own && toReference(own.credential_id);
    },

    usesOf: ({ organizationId, credentialId }: Place): Promise<CredentialUses["defaults"]> =>
      listDefaultsOf(tables, organizationId, credentialId),

    async set({ organizationId, apiKeyId, type }: DefaultPlace, credentialId: string): Promise<DefaultCredential> {
      credentials.definitionOf(type);
      await check(organizationId, { [type]: toReference(credentialId) }, [type]);
      const row = {
        organization_id: organizationId,
        api_key_id: apiKeyId,
        credential_type: type,
        credential_id: credentialId,
      };
      await upsertDefault(tables, row);
      return toWire(row);
    },

    async remove(place: DefaultPlace): Promise<void> {
      if (!(await deleteDefault(tables, place))) throw new Refusal("not_found", "There is no such default credential.");
    },
  };
}

const toWire = (row: DefaultCredentialRow): DefaultCredential => ({
  type: row.credential_type,
  credentialId: row.credential_id,
  reference: toReference(row.credential_id),
  apiKeyId: row.api_key_id,
});
