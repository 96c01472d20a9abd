import type { InfiniteData } from "@tanstack/react-query";

export type Entry = { id: string; completedAt?: string | null };
export type EntryPage<One> = { data: One[]; nextCursor: string | null };

/** Puts what was just told into the loaded pages of a list. Ids grow with time, so they give the order. */
export function placeEntries<One extends Entry, Page extends EntryPage<One>>(
  list: InfiniteData<Page, string>,
  told: One[],
  fits: (entry: One) => boolean,
): InfiniteData<Page, string> {
  const open = new Map(told.map((entry) => [entry.id, entry]));
  const replaced = list.pages.map((page) => ({
    ...page,
    data: page.data.flatMap((entry) => replace(entry, open, fits)),
  }));
  const fresh = [...open.values()].filter(fits);
  return {
    ...list,
    pages: replaced.map((page, index) => insert(page, fresh, { isLast: index === replaced.length - 1 })),
  };
}

function replace<One extends Entry>(entry: One, open: Map<string, One>, fits: (entry: One) => boolean): One[] {
  const next = open.get(entry.id);
  if (!next) return [entry];
  open.delete(entry.id);
  // The list may have been read after that was told.
  if (entry.completedAt && next.completedAt === null) return [entry];
  return fits(next) ? [next] : [];
}

/** Takes from `fresh` what belongs on this page; what is older than all that is loaded stays where it is, further down. */
function insert<One extends Entry, Page extends EntryPage<One>>(
  page: Page,
  fresh: One[],
  { isLast }: { isLast: boolean },
): Page {
  const last = page.data.at(-1);
  const isOpenEnded = isLast && page.nextCursor === null;
  const mine = fresh.filter(({ id }) => isOpenEnded || (last !== undefined && id > last.id));
  if (mine.length === 0) return page;
  for (const entry of mine) fresh.splice(fresh.indexOf(entry), 1);
  return { ...page, data: [...page.data, ...mine].sort((one, other) => (one.id < other.id ? 1 : -1)) };
}
