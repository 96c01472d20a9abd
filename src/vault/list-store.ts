import { sql } from "kysely";
import { mostCounted } from "../base/most-counted.ts";
import type { TimePlace } from "../base/time-cursor.ts";
import { summaryColumns, type VaultDb } from "./store.ts";

type Selection = { search?: string | undefined; after?: TimePlace | undefined; offset?: number; limit: number };

/** The newest first, from after a place on. */
export const listCredentials = (db: VaultDb, organizationId: string, { search, after, offset = 0, limit }: Selection) =>
  matching(db, organizationId, search)
    .select([...summaryColumns, sql<string>`((extract(epoch FROM created_at) * 1000000)::bigint)::text`.as("at")])
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(created_at, id) < (to_timestamp(0) + ${after?.at}::bigint * interval '1 microsecond', ${after?.id}::uuid)`,
      ),
    )
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .offset(offset)
    .limit(limit)
    .execute();

/** As far as is counted. */
export async function countCredentials(
  db: VaultDb,
  organizationId: string,
  search: string | undefined,
): Promise<number> {
  const counted = db
    .selectFrom(matching(db, organizationId, search).select("id").limit(mostCounted).as("counted"))
    .select((select) => select.fn.countAll<number>().as("total"));
  return Number((await counted.executeTakeFirstOrThrow()).total);
}

/** By name or type. */
function matching(db: VaultDb, organizationId: string, search = "") {
  const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
  return db
    .selectFrom("credential")
    .where("organization_id", "=", organizationId)
    .$if(search !== "", (query) =>
      query.where((where) => where.or([where("name", "ilike", pattern), where("type", "ilike", pattern)])),
    );
}
