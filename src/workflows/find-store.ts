import { remember } from "../base/remember.ts";
import type { Database, Statement } from "../storage/database.ts";
import type { FoundWorkflow } from "./find-wire.ts";

const mostWords = 8;

const fits = (value: string) =>
  `(strpos(lower(name), ${value}) > 0 OR strpos(lower(folder || ' ' || array_to_string(tags, ' ')), ${value}) > 0)`;

/**
 * Looks at every name of the organization, which takes some 15 milliseconds for ten thousand of them: no extension that an outside database may
 * refuse, and no index that every change of a workflow would pay for. What begins with the text comes first, then where a word begins with it, then
 * the rest; of each the newest change first.
 */
const findStatement = remember((words: number): Statement => {
  const tests = Array.from({ length: words }, (_, index) => ` AND ${fits(`$${index + 4}`)}`);
  return {
    name: `workflow_find_${words}`,
    text: `SELECT id, name, folder, is_active AS "isActive", is_published AS "isPublished" FROM workflow
      WHERE organization_id = $1 AND deleted_at IS NULL${tests.join("")}
      ORDER BY CASE strpos(lower(name), $2) WHEN 1 THEN 0 WHEN 0 THEN 3 ELSE CASE WHEN strpos(lower(name), ' ' || $2) > 0 THEN 1 ELSE 2 END END,
        updated_at DESC, id DESC
      LIMIT $3`,
  };
});

type Search = { text: string; limit: number };

export function findWorkflows(db: Database, organizationId: string, { text, limit }: Search): Promise<FoundWorkflow[]> {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, mostWords);
  return db.prepared<FoundWorkflow>(findStatement(words.length), [organizationId, words.join(" "), limit, ...words]);
}
