import { SlidersHorizontal, X } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { type FilterOption, MomentFilter, SelectFilter, TextFilter } from "./filter-fields.tsx";
import { countFilters } from "./filters.ts";
import { useHistorySearch } from "./use-history-search.ts";

type FilterBarProps = { searchLabel: string; statuses: FilterOption[]; children: ReactNode };

/** The text stands open, everything else folds away under a button; what there is to choose from is read only then. */
export function FilterBar({ searchLabel, statuses, children }: FilterBarProps) {
  const { search, change, clear } = useHistorySearch();
  const [open, setOpen] = useState(false);
  const panelId = useId();
  const count = countFilters(search);
  const hidden = count - (search.search ? 1 : 0);
  return (
    <search aria-label="Filter" className="@container grid gap-3">
      <div className="flex flex-wrap gap-2">
        <TextFilter label={searchLabel} value={search.search} onChange={(text) => change({ search: text })} />
        <Button aria-expanded={open} aria-controls={panelId} onClick={() => setOpen(!open)} className="min-h-10">
          <SlidersHorizontal className="size-4" aria-hidden="true" />
          Filters{hidden > 0 && ` (${hidden})`}
        </Button>
        {count > 0 && (
          <Button look="bare" onClick={clear} className="min-h-10">
            <X className="size-4" aria-hidden="true" />
            Clear filters
          </Button>
        )}
      </div>
      {open && (
        <div
          id={panelId}
          className="grid grid-cols-1 gap-3 rounded-lg border border-line bg-surface p-4 @md:grid-cols-2 @3xl:grid-cols-4"
        >
          <SelectFilter
            label="Status"
            all="Any status"
            value={search.status}
            options={statuses}
            onChange={(status) => change({ status })}
          />
          {children}
          <MomentFilter label="From" value={search.from} onChange={(from) => change({ from })} />
          <MomentFilter label="Until" value={search.to} onChange={(to) => change({ to })} />
        </div>
      )}
    </search>
  );
}
