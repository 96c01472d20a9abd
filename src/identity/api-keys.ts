import { createBatch } from "../base/batch.ts";
import { newId } from "../base/ids.ts";
import { createLastUse } from "../base/last-use.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { type PageAsked, readPage } from "../base/time-cursor.ts";
import type { KeyCaller } from "../door/caller.ts";
import type { Database } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import {
  findApiKey,
  findApiKeysByHash,
  insertApiKey,
  replaceApiKeyHash,
  revokeApiKey,
  touchApiKeys,
  updateApiKey,
  type VerifiedKey,
} from "./api-key-store.ts";
import { hashApiKey, hasValidChecksum, hintOfApiKey, newApiKeyText } from "./api-key-text.ts";
import { listApiKeys } from "./list-store.ts";
import { type ApiKeyRow, identityTables } from "./store.ts";
import type { ApiKey, ApiKeyChange, ApiKeyScope, ApiKeyWithText } from "./wire.ts";

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys({ db, log }: { db: Database; log: Log }) {
  const tables = identityTables(db);
  const lastUse = createLastUse({ log, what: "API keys", write: (keyIds) => touchApiKeys(tables, keyIds) });

  // Requests that come in while a look-up is under way share the next one, which begins after all of them did.
  const lookUps = createBatch({
    maxItems: 100,
    gatherMs: db.gatherMs,
    isFatal: isDatabaseUnavailable,
    flush: (hashes: Buffer[]) => findApiKeysByHash(db, hashes),
  });

  return {
    async create(organizationId: string, request: NewApiKey): Promise<ApiKeyWithText> {
      const key = newApiKeyText();
      const row = await insertApiKey(tables, {
        id: newId(),
        organization_id: organizationId,
        name: request.name,
        hash: hashApiKey(key),
        hint: hintOfApiKey(key),
        scopes: [...new Set(request.scopes)],
        tool_rules: request.toolRules ?? null,
        created_by: request.createdBy,
        expires_at: futureDate(request.expiresAt),
      });
      return { ...toWire(row), key };
    },

    async page(organizationId: string, asked: PageAsked): Promise<{ data: ApiKey[]; nextCursor: string | null }> {
      const { rows, nextCursor } = await readPage(asked, (part) => listApiKeys(tables, organizationId, part));
      return { data: rows.map(toWire), nextCursor };
    },

    /** For operators: all of them. */
    async list(organizationId: string): Promise<ApiKey[]> {
      return (await listApiKeys(tables, organizationId)).map(toWire);
    },

    async update(organizationId: string, keyId: string, { name, toolRules }: ApiKeyChange): Promise<ApiKey> {
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(toolRules === undefined ? {} : { tool_rules: toolRules }),
      };
      const row = await updateApiKey(tables, organizationId, keyId, change);
      if (!row) throw keyNotFound();
      return toWire(row);
    },

    async requireOwn(organizationId: string, keyId: string): Promise<void> {
      if (!(await findApiKey(tables, organizationId, keyId))) throw keyNotFound();
    },

    async regenerate(organizationId: string, keyId: string): Promise<ApiKeyWithText> {
      const key = newApiKeyText();
      const row = await replaceApiKeyHash(tables, organizationId, keyId, {
        hash: hashApiKey(key),
        hint: hintOfApiKey(key),
      });
      if (!row) throw keyNotFound();
      return { ...toWire(row), key };
    },

    async revoke(organizationId: string, keyId: string): Promise<void> {
      if (!(await revokeApiKey(tables, organizationId, keyId))) throw keyNotFound();
    },

    /** Asks the database every time: a revoked key must fail on the very next request of any process. */
    async verify(text: string | undefined, scope: ApiKeyScope): Promise<VerifiedCaller> {
      if (text === undefined || text === "")
        throw new Refusal("api_key_missing", "Send an API key in the X-API-Key header.");
      if (!hasValidChecksum(text)) throw keyInvalid();
      const key = await lookUps.add(hashApiKey(text));
      if (!key) throw keyInvalid();
      const organizationId = requireUsable(key, scope);
      lastUse.note(key.id);
      const { id: apiKeyId, name: apiKeyName, toolRules, defaultCredentials } = key;
      return { organizationId, apiKeyId, apiKeyName, toolRules, defaultCredentials };
    },

    close: () => lastUse.flush(),
  };
}

export type VerifiedCaller = KeyCaller & Pick<VerifiedKey, "toolRules" | "defaultCredentials">;

type NewApiKey = {
  name: string;
  scopes: ApiKeyScope[];
  expiresAt?: string | undefined;
  toolRules?: string[] | null | undefined;
  createdBy: string | null;
};

const keyNotFound = () => new Refusal("not_found", "There is no such API key.");
const keyInvalid = () => new Refusal("api_key_invalid", "This API key is not valid.");

/** The organization the key speaks for, when it may be used for this. */
function requireUsable(key: VerifiedKey, scope: ApiKeyScope): string {
  if (key.expired) throw new Refusal("api_key_expired", "This API key has expired.");
  if (key.ownerType !== "organization" || key.organizationId === null)
    throw new Refusal("organization_key_required", "Only a key of an organization is accepted here.");
  if (!key.scopes.includes(scope)) throw new Refusal("insufficient_scope", `This API key lacks the scope ${scope}.`);
  return key.organizationId;
}

function futureDate(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const date = new Date(text);
  if (date.getTime() > Date.now()) return date;
  throw new Refusal("validation_failed", "The expiry lies in the past.", {
    errors: [{ pointer: "/expiresAt", detail: "must lie in the future" }],
  });
}

const toWire = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  scopes: row.scopes,
  toolRules: row.tool_rules,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  regeneratedAt: row.regenerated_at?.toISOString() ?? null,
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
});
