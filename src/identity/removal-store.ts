import type { Database, Sql } from "../storage/database.ts";

const markStatement = {
  name: "",
  text: "UPDATE organization SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id",
};

// Whatever lets somebody in, or acts by itself. Members take the connections of MCP clients and their tokens with them.
const closeStatements = [
  "DELETE FROM member WHERE organization_id = $1",
  "DELETE FROM invitation WHERE organization_id = $1",
  "DELETE FROM api_key WHERE organization_id = $1",
  "DELETE FROM trigger WHERE organization_id = $1",
  "UPDATE event_endpoint SET is_active = false WHERE organization_id = $1",
].map((text) => ({ name: "", text }));

/** From the commit on nothing of the organization can be reached. */
export async function markOrganizationDeleted(sql: Sql, organizationId: string): Promise<boolean> {
  if ((await sql(markStatement, [organizationId])).length === 0) return false;
  for (const statement of closeStatements) await sql(statement, [organizationId]);
  return true;
}

const deletedStatement = {
  name: "",
  // Those that wait for a provider must not keep the others.
  text: `SELECT id FROM organization WHERE deleted_at IS NOT NULL
    ORDER BY EXISTS (SELECT FROM webhook_removal WHERE organization_id = organization.id AND next_try_at IS NOT NULL), deleted_at LIMIT 100`,
};

export const listDeletedOrganizations = (db: Database): Promise<{ id: string }[]> => db.prepared(deletedStatement, []);

/** Tables of which an organization may have very many rows, each before those it refers to. What is small goes with the organization itself. */
export const largeTables = [
  ...[
    "event_delivery",
    "event_endpoint",
    "trigger",
    "workflow_pin",
    "editor_run",
    "workflow_draft",
    "workflow_version",
    "workflow",
    "credential",
    "credit_entry",
    "run_once",
  ],
] as const;

// A webhook is removed at its provider with the account that set it up.
const needsCredential =
  "SELECT FROM webhook_removal WHERE webhook_removal.organization_id = $1 AND next_try_at IS NOT NULL";

/** How many were removed; accounts only as far as nothing at a provider is to be removed with them. */
export async function removeRows(
  db: Database,
  table: (typeof largeTables)[number],
  organizationId: string,
  limit: number,
): Promise<number> {
  const isFree = table === "credential" ? `AND NOT EXISTS (${needsCredential} AND credential_id = credential.id)` : "";
  const text = `DELETE FROM ${table} WHERE organization_id = $1
    AND ctid = ANY (ARRAY (SELECT ctid FROM ${table} WHERE organization_id = $1 ${isFree} LIMIT $2)) RETURNING 1 AS one`;
  return (await db.transaction((sql) => sql({ name: "", text }, [organizationId, limit]))).length;
}

const removeStatement = {
  name: "",
  text: `DELETE FROM organization WHERE id = $1 AND deleted_at IS NOT NULL AND NOT EXISTS (${needsCredential}) RETURNING id`,
};

/** False while it is needed. */
export async function removeOrganizationRow(db: Database, organizationId: string): Promise<boolean> {
  return (await db.transaction((sql) => sql(removeStatement, [organizationId]))).length > 0;
}
