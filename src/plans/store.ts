import type { Generated, Kysely } from "kysely";
import type { Database } from "../storage/database.ts";

type PlanTables = {
  plan: { id: string; name: string; max_concurrent_executions: number };
  organization: { id: string; plan_id: Generated<string> };
};

export type PlanDb = Kysely<PlanTables>;

export const planTables = (db: Database): PlanDb => db.tables<PlanTables>();

export const listPlanIds = (db: PlanDb) =>
  db.selectFrom("plan").select("id").orderBy("max_concurrent_executions").execute();

export async function setPlan(db: PlanDb, organizationId: string, planId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("organization")
    .set({ plan_id: planId })
    .where("id", "=", organizationId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const capsStatement = {
  name: "plan_caps",
  text: `SELECT organization.id, plan.max_concurrent_executions AS cap FROM organization JOIN plan ON plan.id = organization.plan_id
         WHERE organization.id = ANY($1::uuid[])`,
};

export const listCaps = (db: Database, organizationIds: string[]) =>
  db.prepared<{ id: string; cap: number }>(capsStatement, [organizationIds]);

const balanceStatement = {
  name: "credit_balance",
  text: "SELECT coalesce(sum(amount), 0)::text AS balance FROM credit_entry WHERE organization_id = $1",
};

export async function sumCredits(db: Database, organizationId: string): Promise<number> {
  const [row] = await db.prepared<{ balance: string }>(balanceStatement, [organizationId]);
  return Number(row?.balance);
}
