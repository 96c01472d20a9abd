import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "../../parts/button.tsx";
import { Moment } from "../../parts/moment.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { Loading, Skeleton } from "../../parts/skeleton.tsx";
import { countFilters } from "./filters.ts";
import { useHistorySearch } from "./use-history-search.ts";

type EntryListProps<Entry> = {
  label: string;
  what: string;
  entries: Entry[];
  query: {
    isPending: boolean;
    isError: boolean;
    error: unknown;
    refetch: () => unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    fetchNextPage: () => unknown;
  };
  row: (entry: Entry) => ReactNode;
  empty: ReactNode;
  /** A text search looks through a part of the list at a time; it has come this far. */
  searchedBackTo: string | null;
};

/** A list with its ways out: loading, empty, nothing that fits, not reachable, more further down. */
export function EntryList<Entry>({ label, what, entries, query, row, empty, searchedBackTo }: EntryListProps<Entry>) {
  const { search, clear } = useHistorySearch();
  const isFiltered = countFilters(search) > 0;
  if (query.isPending) return <ListSkeleton what={label.toLowerCase()} />;
  return (
    <div className="grid grid-cols-1 gap-4">
      {query.isError && (entries.length === 0 || query.isFetchNextPageError) && (
        <ProblemNotice
          error={query.error}
          action={
            <span className="flex gap-2">
              {isFiltered && <Button onClick={clear}>Clear filters</Button>}
              <Button onClick={() => query.refetch()}>Try again</Button>
            </span>
          }
        />
      )}
      {entries.length > 0 && (
        <div className="@container overflow-hidden rounded-xl border border-line bg-surface">
          <table className="w-full table-fixed text-sm">
            <caption className="sr-only">{label}, newest first</caption>
            <Headings what={what} />
            <tbody className="divide-y divide-line">{entries.map(row)}</tbody>
          </table>
        </div>
      )}
      {entries.length === 0 &&
        !query.isError &&
        !query.hasNextPage &&
        (isFiltered ? <NothingFits onClear={clear} /> : empty)}
      {query.hasNextPage && (
        <Older
          isLoading={query.isFetchingNextPage}
          onLoad={query.fetchNextPage}
          // A search reads on only when asked: it may find nothing in a million records.
          isAutomatic={searchedBackTo === null && !query.isError}
        >
          {searchedBackTo === null ? (
            "Load older"
          ) : (
            <>
              Search before <Moment at={searchedBackTo} show="time" />
            </>
          )}
        </Older>
      )}
    </div>
  );
}

function Headings({ what }: { what: string }) {
  return (
    <thead className="border-b border-line text-left text-xs text-muted">
      <tr>
        <th scope="col" className={`${wideCell} w-32 pl-5!`}>
          Time
        </th>
        <th scope="col" className="px-3 py-2.5 font-medium @max-3xl:pl-4">
          {what}
        </th>
        <th scope="col" className="w-32 px-3 py-2.5 font-medium">
          Status
        </th>
        <th scope="col" className={`${wideCell} w-56`}>
          Who
        </th>
        <th scope="col" className={`${wideCell} w-22 text-right`}>
          Waited
        </th>
        <th scope="col" className="w-22 px-3 py-2.5 pr-5 text-right font-medium @max-md:hidden">
          Took
        </th>
      </tr>
    </thead>
  );
}

export const wideCell = "hidden px-3 py-2.5 font-medium @3xl:table-cell";

function Older({ isLoading, isAutomatic, onLoad, children }: OlderProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isAutomatic || isLoading || !button.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onLoad(), { rootMargin: "400px" });
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [isAutomatic, isLoading, onLoad]);
  return (
    <Button ref={button} busy={isLoading} onClick={() => onLoad()} className="justify-self-center">
      {children}
    </Button>
  );
}

type OlderProps = { isLoading: boolean; isAutomatic: boolean; onLoad: () => unknown; children: ReactNode };

function NothingFits({ onClear }: { onClear: () => void }) {
  return (
    <div className="grid justify-items-center gap-3 rounded-xl border border-dashed border-line p-10 text-center">
      <p className="font-medium">Nothing fits these filters</p>
      <p className="text-sm text-muted">What fits appears here as soon as it happens.</p>
      <Button onClick={onClear}>Clear filters</Button>
    </div>
  );
}

function ListSkeleton({ what }: { what: string }) {
  return (
    <Loading what={what}>
      <div className="grid gap-px overflow-hidden rounded-xl border border-line bg-surface">
        {Array.from({ length: 8 }, (_, index) => (
          <div key={String(index)} className="flex items-center gap-6 px-5 py-4">
            <Skeleton className="h-4 w-24" />
            <Skeleton className="h-4 flex-1" />
            <Skeleton className="h-4 w-20" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
