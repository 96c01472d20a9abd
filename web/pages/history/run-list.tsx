import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Workflow } from "lucide-react";
import { memo } from "react";
import type { RunEntry } from "../../../src/runs/wire.ts";
import { runsQuery } from "../../api/runs.ts";
import { EntryList } from "./entry-list.tsx";
import { EntryRow, rowLink } from "./entry-row.tsx";
import { toRunFilter } from "./filters.ts";
import { fitsRunFilter } from "./fits-filter.ts";
import { NoRunsYet } from "./nothing-yet.tsx";
import { RunFilters } from "./run-filters.tsx";
import { useHistorySearch } from "./use-history-search.ts";
import { useLiveList } from "./use-live-list.ts";

export function RunList({ organizationId }: { organizationId: string }) {
  const { search } = useHistorySearch();
  const filter = toRunFilter(search);
  const options = runsQuery(organizationId, filter);
  const query = useInfiniteQuery(options);
  useLiveList(organizationId, { queryKey: options.queryKey, kind: "run", fits: fitsRunFilter(filter) });
  const runs = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-4">
      <RunFilters entries={runs} />
      <EntryList
        label="Runs"
        what="Workflow"
        entries={runs}
        query={query}
        row={(run) => <RunRow key={run.id} organizationId={organizationId} run={run} />}
        empty={<NoRunsYet />}
        searchedBackTo={query.data?.pages.at(-1)?.searchedBackTo ?? null}
      />
    </div>
  );
}

const RunRow = memo(function RunRow({ organizationId, run }: { organizationId: string; run: RunEntry }) {
  return (
    <EntryRow
      at={run.createdAt}
      icon={<Workflow className="size-5 shrink-0 text-accent" aria-hidden="true" />}
      link={
        <Link to="/o/$organizationId/runs/$runId" params={{ organizationId, runId: run.id }} className={rowLink}>
          {run.workflowName || "Deleted workflow"}
        </Link>
      }
      detail={run.error?.message}
      status={run.status}
      who={run}
      waitedMs={run.startedAt ? Math.max(0, Date.parse(run.startedAt) - Date.parse(run.createdAt)) : null}
      tookMs={run.durationMs}
      runningSince={run.status === "running" ? run.startedAt : null}
    />
  );
});
