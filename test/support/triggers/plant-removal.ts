import { randomUUID } from "node:crypto";
import type { Furnished } from "../furnish-organization.ts";

type Query = (text: string) => Promise<unknown>;

/** A webhook that an organization has left at a provider, and that is given up; a provider would have to fail for days to make one. */
export async function plantRemoval(
  query: Query,
  { organizationId, credentialId, triggerId }: Furnished,
): Promise<string> {
  const id = randomUUID();
  await query(
    `INSERT INTO webhook_removal (organization_id, id, trigger_id, trigger_name, workflow_name, provider_id, credential_id, place, follows_trigger, reason, tries)
     VALUES ('${organizationId}', '${id}', '${triggerId}', 'hook', 'flow', 'github', '${credentialId}', 'a/b', false, 'It could not be asked.', 9)`,
  );
  return id;
}
