export type Page<Item, Cursor> = { items: Item[]; next: Cursor | undefined };

const mostPages = 200;

/** Follows a provider's paging until `limit` items are there. Stops at a cursor that repeats, because some providers never end. */
export async function collectPages<Item, Cursor extends string | number>(
  limit: number,
  readPage: (cursor: Cursor | undefined, wanted: number) => Promise<Page<Item, Cursor>>,
): Promise<Item[]> {
  const items: Item[] = [];
  const seen = new Set<Cursor>();
  let cursor: Cursor | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = await readPage(cursor, limit - items.length);
    items.push(...page.items);
    cursor = page.next;
    if (items.length >= limit || cursor === undefined || cursor === "" || seen.has(cursor)) break;
    seen.add(cursor);
  }
  return items.slice(0, limit);
}
