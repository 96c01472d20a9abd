import { sql } from "kysely";
import type { TimePlace } from "../base/time-cursor.ts";
import type { IdentityDb } from "./store.ts";

/** From after a place on; everything without one and without a limit. */
export type Part = { after?: TimePlace | undefined; limit?: number };

const moment = ({ at }: TimePlace) => sql<Date>`to_timestamp(0) + ${at}::bigint * interval '1 microsecond'`;
const atColumn = (column: string) =>
  sql<string>`((extract(epoch FROM ${sql.ref(column)}) * 1000000)::bigint)::text`.as("at");

const after = (column: string, place: TimePlace | undefined) =>
  sql<boolean>`(${sql.ref(`${column}.created_at`)}, ${sql.ref(`${column}.id`)}) > (${place ? moment(place) : sql`NULL`}, ${place?.id}::uuid)`;
const before = (column: string, place: TimePlace | undefined) =>
  sql<boolean>`(${sql.ref(`${column}.created_at`)}, ${sql.ref(`${column}.id`)}) < (${place ? moment(place) : sql`NULL`}, ${place?.id}::uuid)`;

/** The oldest first. They are chosen before the accounts are looked up: a plan that joins first would read all there are. */
export const listMembers = (db: IdentityDb, organizationId: string, { after: place, limit }: Part = {}) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom("member")
        .select(["id", "user_id", "role", "created_at"])
        .where("organization_id", "=", organizationId)
        .$if(place !== undefined, (query) => query.where(after("member", place)))
        .orderBy("created_at")
        .orderBy("id")
        .$if(limit !== undefined, (query) => query.limit(limit as number))
        .as("member"),
    )
    .innerJoin("app_user", "app_user.id", "member.user_id")
    .select(["member.id", "member.user_id", "member.role", "member.created_at", "app_user.name", "app_user.email"])
    .select(atColumn("member.created_at"))
    .orderBy("member.created_at")
    .orderBy("member.id")
    .execute();

export const findMember = (db: IdentityDb, organizationId: string, userId: string) =>
  db
    .selectFrom("member")
    .innerJoin("app_user", "app_user.id", "member.user_id")
    .select(["app_user.name", "app_user.email"])
    .where("member.organization_id", "=", organizationId)
    .where("member.user_id", "=", userId)
    .executeTakeFirst();

/** The oldest first. */
export const listInvitations = (db: IdentityDb, organizationId: string, { after: place, limit }: Part = {}) =>
  db
    .selectFrom("invitation")
    .select(["id", "email", "role", "created_at", "expires_at", atColumn("created_at")])
    .where("organization_id", "=", organizationId)
    .$if(place !== undefined, (query) => query.where(after("invitation", place)))
    .orderBy("created_at")
    .orderBy("id")
    .$if(limit !== undefined, (query) => query.limit(limit as number))
    .execute();

/** The newest first. */
export const listApiKeys = (db: IdentityDb, organizationId: string, { after: place, limit }: Part = {}) =>
  db
    .selectFrom("api_key")
    .selectAll()
    .select(atColumn("created_at"))
    .where("organization_id", "=", organizationId)
    .where("revoked_at", "is", null)
    .$if(place !== undefined, (query) => query.where(before("api_key", place)))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .$if(limit !== undefined, (query) => query.limit(limit as number))
    .execute();
