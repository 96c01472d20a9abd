import { useQuery } from "@tanstack/react-query";
import { apiKeysQuery } from "../../api/api-keys.ts";
import { managesMembers, useOrganization } from "../../session.ts";
import { SelectFilter } from "./filter-fields.tsx";
import { useHistorySearch } from "./use-history-search.ts";

type KeyOfEntry = { apiKeyId: string | null; apiKeyName: string | null };

/** The keys that are in the list, deleted ones too; owners and admins may also choose any other. */
export function KeyFilter({ entries }: { entries: KeyOfEntry[] }) {
  const organization = useOrganization();
  const { search, change } = useHistorySearch();
  const keys = useQuery({ ...apiKeysQuery(organization.id), enabled: managesMembers(organization.role) }).data ?? [];
  const names = new Map(entries.map(({ apiKeyId, apiKeyName }) => [apiKeyId, apiKeyName]));
  for (const { id, name } of keys) names.set(id, name);
  const options = [...names].flatMap(([value, label]) => (value && label ? [{ value, label }] : []));
  return (
    <SelectFilter
      label="API key"
      all="Any key"
      value={search.key}
      options={options}
      onChange={(key) => change({ key })}
    />
  );
}
