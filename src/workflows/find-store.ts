import type { Database, Statement } from "../storage/database.ts";
import type { FoundWorkflow } from "./find-wire.ts";

/**
 * Looks at every name of the organization, which takes a few milliseconds for ten thousand of them: no extension that an outside database may refuse, and no index that every
 * change of a workflow would pay for. What begins with the text comes first, then where a word begins with it, then the rest; the newest change first.
 */
const findStatement: Statement = {
  name: "workflow_find",
  text: `SELECT id, name, folder, is_active AS "isActive", is_published AS "isPublished"
    FROM workflow CROSS JOIN LATERAL (SELECT lower(name) AS lowered) AS named
    WHERE organization_id = $1 AND deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM unnest($2::text[]) AS word WHERE strpos(lowered || ' ' || lower(folder) || ' ' || lower(array_to_string(tags, ' ')), word) = 0)
    ORDER BY CASE WHEN starts_with(lowered, $3) THEN 0 WHEN strpos(' ' || lowered, ' ' || $3) > 0 THEN 1 WHEN strpos(lowered, $3) > 0 THEN 2 ELSE 3 END,
      updated_at DESC, id DESC
    LIMIT $4`,
};

type Search = { text: string; limit: number };

export const findWorkflows = (
  db: Database,
  organizationId: string,
  { text, limit }: Search,
): Promise<FoundWorkflow[]> => {
  const lowered = text.toLowerCase().trim();
  const words = lowered.split(/\s+/).filter((word) => word !== "");
  return db.prepared<FoundWorkflow>(findStatement, [organizationId, words, words.join(" "), limit]);
};
