import { useQuery } from "@tanstack/react-query";
import type { RunEntry } from "../../../src/runs/wire.ts";
import { allWorkflowsQuery } from "../../api/workflows.ts";
import { statusLooks } from "../../parts/status.tsx";
import { useOrganization } from "../../session.ts";
import { FilterBar } from "./filter-bar.tsx";
import { SelectFilter } from "./filter-fields.tsx";
import { KeyFilter } from "./key-filter.tsx";
import { useHistorySearch } from "./use-history-search.ts";
import { startWords } from "./who.tsx";

const runStatuses: RunEntry["status"][] = ["pending", "running", "waiting", "succeeded", "failed", "cancelled"];
const statuses = runStatuses.map((value) => ({ value, label: statusLooks[value].word }));
const sources = Object.entries(startWords).map(([value, label]) => ({ value, label }));

export function RunFilters({ entries }: { entries: RunEntry[] }) {
  return (
    <FilterBar searchLabel="Search workflows and errors" statuses={statuses}>
      <Choices entries={entries} />
    </FilterBar>
  );
}

function Choices({ entries }: { entries: RunEntry[] }) {
  const { search, change } = useHistorySearch();
  const workflows = useQuery(allWorkflowsQuery(useOrganization().id)).data ?? [];
  const names = new Map(entries.map(({ workflowId, workflowName }) => [workflowId, workflowName]));
  for (const { id, name } of workflows) names.set(id, name);
  return (
    <>
      <SelectFilter
        label="Workflow"
        all="Any workflow"
        value={search.workflow}
        options={[...names].map(([value, label]) => ({ value, label }))}
        onChange={(workflow) => change({ workflow })}
      />
      <SelectFilter
        label="Started by"
        all="Anything"
        value={search.source}
        options={sources}
        onChange={(source) => change({ source })}
      />
      <KeyFilter entries={entries} />
    </>
  );
}
