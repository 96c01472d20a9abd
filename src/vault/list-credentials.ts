import { type PageAsked, readPage } from "../base/time-cursor.ts";
import type { CredentialView } from "./credential-view.ts";
import { countCredentials, listCredentials } from "./list-store.ts";
import { findTypes, type VaultDb } from "./store.ts";
import type { CredentialSummary } from "./wire.ts";

const mostOnPage = 200;

type Page = PageAsked & { search?: string | undefined; offset?: number };

/** The connected accounts of an organization, the newest first; nothing sealed is read. */
export function createCredentialList({
  tables,
  toSummary,
}: {
  tables: VaultDb;
  toSummary: CredentialView["toSummary"];
}) {
  async function page(organizationId: string, { limit, cursor, ...found }: Page) {
    const { rows, nextCursor } = await readPage({ limit, cursor }, (part) =>
      listCredentials(tables, organizationId, { ...found, ...part }),
    );
    return { data: rows.map(toSummary), nextCursor };
  }

  return {
    page,

    /** Also by position, with the number of all. */
    async search(organizationId: string, asked: Page) {
      const [total, found] = await Promise.all([
        countCredentials(tables, organizationId, asked.search),
        page(organizationId, asked),
      ]);
      return { total, ...found };
    },

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
