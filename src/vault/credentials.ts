import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import { Refusal } from "../base/refusal.ts";
import type { CredentialData } from "../contract/credential.ts";
import type { Database } from "../storage/database.ts";
import { type Contents, firstHealthOf, leaseAfter } from "./contents.ts";
import { type CredentialType, readChangedData, readNewData } from "./credential-data.ts";
import { createCredentialView } from "./credential-view.ts";
import { insertAsDefault } from "./default-credential-store.ts";
import { createCredentialList } from "./list-credentials.ts";
import type { CheckedCredential } from "./open-credential.ts";
import {
  type CredentialRow,
  deleteCredential,
  findCredential,
  insertCredential,
  noteHealth,
  type Place,
  renameCredential,
  replaceContent,
  vaultTables,
} from "./store.ts";
import type { Credential, CredentialChange } from "./wire.ts";

export type Credentials = ReturnType<typeof createCredentials>;

type Options = { db: Database; clock: Clock; contents: Contents; credentialTypes: ReadonlyMap<string, CredentialType> };
type NewCredential = {
  type: string;
  name: string;
  data: CredentialData;
  createdBy: string | null;
  makeDefault?: boolean | undefined;
};

const changeAttempts = 5;

/** The connected accounts of organizations: managing them, and checking references to them. */
export function createCredentials({ db, clock, contents, credentialTypes }: Options) {
  const tables = vaultTables(db);
  const { toSummary, toWire } = createCredentialView({ clock, credentialTypes });

  async function find(place: Place): Promise<CredentialRow> {
    const row = await findCredential(tables, place);
    if (!row) throw new Refusal("not_found", "There is no such credential.");
    return row;
  }

  function definitionOf(type: string) {
    const known = credentialTypes.get(type);
    if (known) return known.definition;
    throw new Refusal("validation_failed", "There is no such type of credential.", {
      errors: [{ pointer: "/type", detail: "is not a known type" }],
    });
  }

  async function changeData(place: Place, given: CredentialData): Promise<void> {
    for (let attempt = 0; attempt < changeAttempts; attempt++) {
      const row = await find(place);
      const stored = contents.open(row);
      const { variant, data } = readChangedData(definitionOf(row.type), stored, given);
      const note = {
        health: firstHealthOf(variant, data),
        last_error: null,
        last_error_at: null,
        ...leaseAfter(stored, data),
      };
      if (await replaceContent(tables, place, row.version, { ...contents.toRow(place, variant, data), ...note }))
        return;
    }
    throw new Refusal("conflict", "Somebody else is changing this credential. Try again.");
  }

  return {
    find,
    definitionOf,

    async create(
      organizationId: string,
      { type, name, data: given, createdBy, makeDefault = false }: NewCredential,
    ): Promise<Credential> {
      const { variant, data } = readNewData(definitionOf(type), given);
      const place = { organizationId, credentialId: newId() };
      const content = contents.toRow(place, variant, data);
      const insert = makeDefault ? insertAsDefault : insertCredential;
      const row = await insert(tables, {
        id: place.credentialId,
        organization_id: organizationId,
        type,
        name,
        created_by: createdBy,
        ...content,
      });
      const health = firstHealthOf(variant, data);
      if (health !== row.health) await noteHealth(tables, place, { health });
      return toWire({ ...row, health });
    },

    ...createCredentialList({ tables, toSummary }),

    async get(place: Place): Promise<Credential> {
      return toWire(await find(place));
    },

    async update(place: Place, { name, data }: CredentialChange): Promise<Credential> {
      await find(place);
      if (data !== undefined) await changeData(place, data);
      if (name !== undefined) await renameCredential(tables, place, name);
      return toWire(await find(place));
    },

    async remove(place: Place): Promise<void> {
      if (!(await deleteCredential(tables, place))) throw new Refusal("not_found", "There is no such credential.");
    },

    /** For the management of a credential, where the type is what it is. */
    async checkOwn(place: Place): Promise<CheckedCredential> {
      const row = await find(place);
      return { definition: definitionOf(row.type), row };
    },
  };
}
