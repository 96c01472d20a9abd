import { type Generated, type Kysely, type Selectable, sql } from "kysely";
import type { Database, Sql } from "../storage/database.ts";
import type { NamedTriggerRow } from "./store.ts";

type RemovalTables = {
  webhook_removal: {
    organization_id: string;
    id: string;
    trigger_id: string;
    trigger_name: string;
    workflow_name: string;
    provider_id: string;
    credential_id: string;
    place: string;
    follows_trigger: boolean;
    reason: string | null;
    tries: Generated<number>;
    created_at: Generated<Date>;
    next_try_at: Date | null;
  };
};

export type RemovalsDb = Kysely<RemovalTables>;
export type RemovalRow = Selectable<RemovalTables["webhook_removal"]>;
export type RemovalPlace = { organizationId: string; removalId: string };

export const removalTables = (db: Database): RemovalsDb => db.tables<RemovalTables>();

const insertInto = `INSERT INTO webhook_removal
  (organization_id, id, trigger_id, trigger_name, workflow_name, provider_id, credential_id, place, follows_trigger, next_try_at)`;
const fromTriggers = `FROM trigger JOIN workflow ON workflow.organization_id = trigger.organization_id AND workflow.id = trigger.workflow_id
  WHERE trigger.organization_id = $1 AND trigger.provider_id IS NOT NULL AND trigger.credential_id IS NOT NULL`;
const named =
  "trigger.organization_id, gen_random_uuid(), trigger.id, trigger.name, workflow.name, trigger.provider_id, trigger.credential_id";

const ofWorkflow = {
  name: "",
  text: `${insertInto} SELECT ${named}, coalesce(trigger.registered_place, ''), true, now() ${fromTriggers}
    AND trigger.workflow_id = $2 AND (trigger.registered_place IS NOT NULL OR trigger.registering_until > now())`,
};

/** Also of those that are being set up at this moment. In the transaction that deletes the workflow. */
export const noteThoseOfWorkflow = (
  sql: Sql,
  { organizationId, workflowId }: { organizationId: string; workflowId: string },
) => sql(ofWorkflow, [organizationId, workflowId]);

const followers = { name: "", text: "DELETE FROM webhook_removal WHERE organization_id = $1 AND follows_trigger" };
// Whoever sets one up at this moment has no row any more that others could wait for.
const ofOrganization = {
  name: "",
  text: `${insertInto} SELECT ${named}, trigger.registered_place, false, greatest(now(), trigger.registering_until) ${fromTriggers}
    AND trigger.registered_place IS NOT NULL`,
};

/** In the transaction that deletes the organization, before its triggers go. */
export async function noteThoseOfOrganization(sql: Sql, organizationId: string): Promise<void> {
  await sql(followers, [organizationId]);
  await sql(ofOrganization, [organizationId]);
}

/** Without a pause it is given up. */
type Left = { id: string; trigger: NamedTriggerRow; place: string; reason: string; pauseSeconds: number | null };

/** What was tried already and is not noted yet. */
export const insertRemoval = (db: RemovalsDb, { id, trigger, place, reason, pauseSeconds }: Left) =>
  sql`
    INSERT INTO webhook_removal (organization_id, id, trigger_id, trigger_name, workflow_name, provider_id, credential_id, place, follows_trigger,
      reason, tries, next_try_at)
    SELECT ${trigger.organization_id}, ${id}, ${trigger.id}, ${trigger.name}, ${trigger.workflow_name}, ${trigger.provider_id},
      ${trigger.credential_id}, ${place}, false, ${reason}, 1, now() + ${pauseSeconds}::float8 * interval '1 second'
    WHERE NOT EXISTS (SELECT FROM webhook_removal WHERE organization_id = ${trigger.organization_id} AND trigger_id = ${trigger.id}
      AND credential_id = ${trigger.credential_id} AND place = ${place} AND next_try_at IS NOT NULL)`.execute(db);

type Claim = { organizationId: string | undefined; most: number; firstSeconds: number; mostSeconds: number };

/** Takes what is due and says when it is due again, each time twice as late: whoever takes one and dies leaves it to the next. */
export async function claimRemovals(
  db: RemovalsDb,
  { organizationId = "", most, firstSeconds, mostSeconds }: Claim,
): Promise<RemovalRow[]> {
  const { rows } = await sql<RemovalRow>`
    UPDATE webhook_removal SET tries = tries + 1,
      next_try_at = now() + least(${mostSeconds}::float8, ${firstSeconds}::float8 * 2 ^ least(tries, 20)) * interval '1 second'
    WHERE (organization_id, id) IN (
      SELECT organization_id, id FROM webhook_removal
      WHERE next_try_at <= now() AND (${organizationId} = '' OR organization_id::text = ${organizationId})
      ORDER BY next_try_at LIMIT ${most} FOR UPDATE SKIP LOCKED)
    RETURNING *`.execute(db);
  return rows;
}

export const deleteRemoval = async (db: RemovalsDb, { organizationId, removalId }: RemovalPlace): Promise<boolean> =>
  (
    await db
      .deleteFrom("webhook_removal")
      .where("organization_id", "=", organizationId)
      .where("id", "=", removalId)
      .executeTakeFirst()
  ).numDeletedRows > 0n;

/** The row as it is then; without a next try once it was tried for so long. */
export async function noteFailedTry(
  db: RemovalsDb,
  row: RemovalRow,
  { reason, hours }: { reason: string; hours: number },
) {
  return await db
    .updateTable("webhook_removal")
    .set({
      reason,
      next_try_at: sql<Date | null>`CASE WHEN created_at > now() - ${hours} * interval '1 hour' THEN next_try_at END`,
    })
    .where("organization_id", "=", row.organization_id)
    .where("id", "=", row.id)
    .returning("next_try_at")
    .executeTakeFirst();
}

/** Those that an account is needed for: set up now, or still to be removed. */
export async function listRegisteredWith(
  db: RemovalsDb,
  { organizationId, credentialId }: { organizationId: string; credentialId: string },
) {
  const { rows } = await sql<Pick<RemovalRow, "provider_id" | "place" | "trigger_name">>`
    SELECT provider_id, place, trigger_name FROM webhook_removal
    WHERE organization_id = ${organizationId} AND credential_id = ${credentialId} AND NOT follows_trigger
    UNION
    SELECT provider_id, registered_place, name FROM trigger
    WHERE organization_id = ${organizationId} AND credential_id = ${credentialId} AND registered_place IS NOT NULL
    ORDER BY provider_id, place, trigger_name LIMIT 100`.execute(db);
  return rows;
}

/** Where the account that they need is gone. */
export const giveUpThoseWith = (
  db: RemovalsDb,
  { organizationId, credentialId }: { organizationId: string; credentialId: string },
  reason: string,
) =>
  db
    .updateTable("webhook_removal")
    .set({ reason, next_try_at: null, tries: sql<number>`greatest(tries, 1)` })
    .where("organization_id", "=", organizationId)
    .where("credential_id", "=", credentialId)
    .execute();

/** As if it had just been noted; false where there is none. */
export async function beginRemovalAnew(db: RemovalsDb, { organizationId, removalId }: RemovalPlace): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("webhook_removal")
    .set({ tries: 0, created_at: sql<Date>`now()`, next_try_at: sql<Date>`now()` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", removalId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const listRemovals = (
  db: RemovalsDb,
  organizationId: string,
  { afterId, limit }: { afterId: string | undefined; limit: number },
) =>
  db
    .selectFrom("webhook_removal")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("tries", ">", 0)
    .$if(afterId !== undefined, (query) => query.where("id", ">", afterId as string))
    .orderBy("id")
    .limit(limit)
    .execute();
