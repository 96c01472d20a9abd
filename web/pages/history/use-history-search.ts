import { useNavigate, useSearch } from "@tanstack/react-router";
import { type HistorySearch, merge, withoutFilters } from "./filters.ts";

/** Everything that is chosen on the page stands in its address. An empty text takes something out of it. */
export function useHistorySearch() {
  const search: HistorySearch = useSearch({ from: "/signed-in/o/$organizationId/history" });
  const navigate = useNavigate({ from: "/o/$organizationId/history" });
  return {
    search,
    /** Filters replace the entry in the browser's history: going back shall leave the page, not undo each letter. */
    change: (changes: HistorySearch) =>
      void navigate({ to: ".", search: (before) => merge(before, changes), replace: true }),
    clear: () => void navigate({ to: ".", search: withoutFilters(search), replace: true }),
  };
}
