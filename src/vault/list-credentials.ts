import { Refusal } from "../base/refusal.ts";
import type { CredentialView } from "./credential-view.ts";
import { findTypes, type ListPlace, listCredentials, type VaultDb } from "./store.ts";
import type { CredentialSummary } from "./wire.ts";

const mostOnPage = 200;

/** The connected accounts of an organization, the newest first; nothing sealed is read. */
export function createCredentialList({ tables, toSummary }: { tables: VaultDb; toSummary: CredentialView["toSummary"] }) {
  async function page(organizationId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
    const after = cursor === undefined ? undefined : fromCursor(cursor);
    const rows = await listCredentials(tables, organizationId, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return { data: shown.map(toSummary), nextCursor: rows.length > limit && last ? toCursor(last) : null };
  }

  return {
    page,

    /** All of them, read page by page. */
    async list(organizationId: string): Promise<CredentialSummary[]> {
      const all: CredentialSummary[] = [];
      let cursor: string | undefined;
      do {
        const { data, nextCursor } = await page(organizationId, { limit: mostOnPage, cursor });
        all.push(...data);
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
      return all;
    },

    /** The types of those that are the organization's own, by id. */
    async typesOf(organizationId: string, ids: string[]): Promise<Map<string, string>> {
      const rows = ids.length === 0 ? [] : await findTypes(tables, organizationId, ids);
      return new Map(rows.map(({ id, type }) => [id, type]));
    },
  };
}

const toCursor = ({ madeAt, id }: ListPlace): string => Buffer.from(`${madeAt} ${id}`).toString("base64url");

function fromCursor(cursor: string): ListPlace {
  const text = Buffer.from(cursor, "base64url").toString();
  const [, madeAt, id] = /^(\d{1,17}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? [];
  if (madeAt !== undefined && id !== undefined) return { madeAt, id };
  throw new Refusal("validation_failed", "cursor is not one of this list.", {
    errors: [{ pointer: "cursor", detail: "is not one of this list" }],
  });
}
