import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { ToolCallEntry } from "../../../src/history/wire.ts";
import { callsQuery } from "../../api/history.ts";
import { ServerIcon } from "../servers/server-icon.tsx";
import { CallFilters } from "./call-filters.tsx";
import { EntryList } from "./entry-list.tsx";
import { EntryRow, rowLink } from "./entry-row.tsx";
import { merge, toCallFilter } from "./filters.ts";
import { fitsCallFilter } from "./fits-filter.ts";
import { NoCallsYet } from "./nothing-yet.tsx";
import { useHistorySearch } from "./use-history-search.ts";
import { useLiveList } from "./use-live-list.ts";

export function CallList({ organizationId }: { organizationId: string }) {
  const { search } = useHistorySearch();
  const filter = toCallFilter(search);
  const options = callsQuery(organizationId, filter);
  const query = useInfiniteQuery(options);
  useLiveList(organizationId, { queryKey: options.queryKey, kind: "tool-call", fits: fitsCallFilter(filter) });
  const calls = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-4">
      <CallFilters entries={calls} />
      <EntryList
        label="Tool calls"
        what="Tool"
        entries={calls}
        query={query}
        row={(call) => <CallRow key={call.id} call={call} isOpen={call.id === search.record} />}
        empty={<NoCallsYet />}
        searchedBackTo={query.data?.pages.at(-1)?.searchedBackTo ?? null}
      />
    </div>
  );
}

const CallRow = memo(function CallRow({ call, isOpen }: { call: ToolCallEntry; isOpen: boolean }) {
  return (
    <EntryRow
      at={call.queuedAt}
      icon={<ServerIcon serverId={call.serverId} className="size-5" />}
      link={
        <Link
          from="/o/$organizationId/history"
          to="."
          search={(before) => merge(before, { record: call.id })}
          resetScroll={false}
          id={`record-${call.id}`}
          className={rowLink}
        >
          {call.tool}
        </Link>
      }
      detail={call.error?.message}
      status={call.status}
      who={call}
      waitedMs={call.status === "running" && !call.startedAt ? null : call.queueMs}
      tookMs={call.durationMs}
      runningSince={call.status === "running" ? (call.startedAt ?? call.queuedAt) : null}
      isOpen={isOpen}
    />
  );
});
