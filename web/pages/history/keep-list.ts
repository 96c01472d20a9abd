import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import type { LiveEvent } from "../../live.ts";
import { type EntryPage, placeEntries } from "./place-entries.ts";

export type EntryKind = Exclude<LiveEvent["kind"], "reload">;
type DataOf<Kind extends EntryKind> = Extract<LiveEvent, { kind: Kind }>["data"];
type List<Kind extends EntryKind> = InfiniteData<EntryPage<DataOf<Kind>>, string>;

export type KeptList<Kind extends EntryKind> = {
  queryKey: QueryKey;
  kind: Kind;
  /** Whether an entry belongs into the list; undefined when only the server can tell. */
  fits: ((entry: DataOf<Kind>) => boolean) | undefined;
};

/** Often enough to look immediate, seldom enough for thousands of calls per second. */
const pauseMs = 100;
const readAnewMs = 1_000;
/** A list that would grow longer than this by what is told begins again with its first page. */
const longestFirstPage = 300;

/** Keeps a loaded list as it is on the server, without reading it again wherever that is possible. */
export function createListKeeper<Kind extends EntryKind>(
  queryClient: QueryClient,
  { queryKey, kind, fits }: KeptList<Kind>,
) {
  const waiting = new Map<string, DataOf<Kind>>();
  let mustReload = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const later = (afterMs: number) => {
    timer ??= setTimeout(settle, afterMs);
  };
  const reload = () => void queryClient.invalidateQueries({ queryKey, exact: true });
  const change = (next: (list: List<Kind>) => List<Kind>) =>
    queryClient.setQueryData<List<Kind>>(queryKey, (list) => list && next(list));

  function settle(): void {
    timer = undefined;
    // The answer that is on its way may be older than what was told, so it goes first.
    if (queryClient.isFetching({ queryKey, exact: true }) > 0) later(pauseMs);
    else if (mustReload) {
      mustReload = false;
      reload();
      if (waiting.size > 0) later(pauseMs);
    } else if (fits) place(fits);
  }

  function place(fitting: (entry: DataOf<Kind>) => boolean): void {
    const told = [...waiting.values()];
    waiting.clear();
    const firstPage = queryClient.getQueryData<List<Kind>>(queryKey)?.pages[0]?.data ?? [];
    if (firstPage.length + told.length <= longestFirstPage) change((list) => placeEntries(list, told, fitting));
    else {
      change(({ pages, pageParams }) => ({ pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) }));
      reload();
    }
  }

  return {
    tell(event: LiveEvent): void {
      if (event.kind !== "reload" && event.kind !== kind) return;
      if (event.kind === "reload" || !fits) {
        mustReload = true;
        later(event.kind === "reload" ? pauseMs : readAnewMs);
      } else {
        const entry = event.data as DataOf<Kind>;
        waiting.set(entry.id, entry);
        later(pauseMs);
      }
    },
    stop: () => clearTimeout(timer),
  };
}
