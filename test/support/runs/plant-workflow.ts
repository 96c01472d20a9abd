import { randomUUID } from "node:crypto";
import type { createTestDatabase } from "../storage/test-database.ts";

type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** An organization that exists only as a row, for tests below the doors. */
export async function plantOrganization({ query }: TestDatabase): Promise<string> {
  const id = randomUUID();
  await query("INSERT INTO organization (id, name) VALUES ($1, 'Team')", [id]);
  return id;
}

/** A workflow without a canvas, for tests that start no real run. */
export async function plantWorkflow(
  { query }: TestDatabase,
  organizationId: string,
  name = "Some workflow",
): Promise<string> {
  const id = randomUUID();
  await query("INSERT INTO workflow (organization_id, id, name, node_count) VALUES ($1, $2, $3, 0)", [
    organizationId,
    id,
    name,
  ]);
  return id;
}
