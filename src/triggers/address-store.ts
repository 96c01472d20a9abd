import type { Kysely } from "kysely";
import type { Place, TriggersDb } from "./store.ts";

type AddressTables = { webhook_address: { organization_id: string; id: string; sealed: Buffer } };

const addressTables = (db: TriggersDb) => db as unknown as Kysely<AddressTables>;

export const saveAddress = (db: TriggersDb, { organizationId, triggerId }: Place, sealed: Buffer) =>
  addressTables(db)
    .insertInto("webhook_address")
    .values({ organization_id: organizationId, id: triggerId, sealed })
    .onConflict((conflict) => conflict.columns(["organization_id", "id"]).doUpdateSet({ sealed }))
    .execute();

export const findAddress = (db: TriggersDb, { organizationId, triggerId }: Place) =>
  addressTables(db)
    .selectFrom("webhook_address")
    .select("sealed")
    .where("organization_id", "=", organizationId)
    .where("id", "=", triggerId)
    .executeTakeFirst();
