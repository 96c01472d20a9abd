import { useQuery } from "@tanstack/react-query";
import type { CallStatus, ToolCallEntry } from "../../../src/history/wire.ts";
import { nodeKindsQuery } from "../../catalog.ts";
import { statusLooks } from "../../parts/status.tsx";
import { serverAddressesQuery } from "../../queries.ts";
import { FilterBar } from "./filter-bar.tsx";
import { SelectFilter } from "./filter-fields.tsx";
import { KeyFilter } from "./key-filter.tsx";
import { useHistorySearch } from "./use-history-search.ts";

const callStatuses: CallStatus[] = ["running", "success", "failed", "timed_out", "cancelled", "refused", "interrupted"];
const statuses = callStatuses.map((value) => ({ value, label: statusLooks[value].word }));
const sources = [
  { value: "mcp", label: "Tools of providers and workflows" },
  { value: "platform", label: "Switchyard's own tools" },
];

export function CallFilters({ entries }: { entries: ToolCallEntry[] }) {
  return (
    <FilterBar searchLabel="Search tools, errors and parameters" statuses={statuses}>
      <Choices entries={entries} />
    </FilterBar>
  );
}

function Choices({ entries }: { entries: ToolCallEntry[] }) {
  const { search, change } = useHistorySearch();
  const servers = useQuery(serverAddressesQuery).data ?? [];
  const kinds = useQuery(nodeKindsQuery).data;
  const tools = new Map(
    entries.filter(({ serverId }) => serverId === (search.server ?? serverId)).map(({ tool }) => [tool, tool]),
  );
  for (const { id, provider } of kinds?.values() ?? [])
    if (provider && provider.id === (search.server ?? provider.id)) tools.set(id, id);
  return (
    <>
      <SelectFilter
        label="Server"
        all="Any server"
        value={search.server}
        options={servers.map(({ id, title }) => ({ value: id, label: title }))}
        onChange={(server) => change({ server, tool: "" })}
      />
      <SelectFilter
        label="Tool"
        all="Any tool"
        value={search.tool}
        options={[...tools.keys()].sort().map((tool) => ({ value: tool, label: tool }))}
        onChange={(tool) => change({ tool })}
      />
      <KeyFilter entries={entries} />
      <SelectFilter
        label="Source"
        all="Any source"
        value={search.source}
        options={sources}
        onChange={(source) => change({ source })}
      />
    </>
  );
}
