import { useQueryClient } from "@tanstack/react-query";
import { recentCallsQuery } from "../../api/history.ts";
import { recentRunsQuery } from "../../api/runs.ts";
import { useLive } from "../../live.ts";

export const recentLength = 8;

/** Keeps the last calls and runs up to date while the page is open. */
export function useRecent(organizationId: string): void {
  const queryClient = useQueryClient();
  const calls = recentCallsQuery(organizationId, { limit: recentLength });
  const runs = recentRunsQuery(organizationId, recentLength);

  useLive(organizationId, (event) => {
    if (event.kind === "tool-call")
      queryClient.setQueryData(calls.queryKey, (before) => before && putFirst(before, event.data));
    else if (event.kind === "run")
      queryClient.setQueryData(runs.queryKey, (before) => before && putFirst(before, event.data));
    else void Promise.all([queryClient.invalidateQueries(calls), queryClient.invalidateQueries(runs)]);
  });
}

/** An entry that is known already is replaced where it stands; a new one comes first. */
function putFirst<Entry extends { id: string }>(entries: Entry[], entry: Entry): Entry[] {
  if (entries.some(({ id }) => id === entry.id)) return entries.map((known) => (known.id === entry.id ? entry : known));
  return [entry, ...entries].slice(0, recentLength);
}
