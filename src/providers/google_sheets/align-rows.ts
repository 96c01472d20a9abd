import type { SheetRow } from "./open-sheet.ts";

/** The last rows that were seen, by what is in them; an empty text is an empty row. `row` is the number of the last one. */
export type Known = { row: number; tail: string[] };

/**
 * Where the last row that was seen is now. Rows that were inserted or deleted above have moved it, which shows in its neighbours having moved along; where
 * fewer than half of them are found (the sheet was sorted, say), its number counts. A last row that is not found where it should be was changed in its place.
 */
export function findKnownEnd({ row, tail }: Known, rows: SheetRow[]): number {
  const last = tail.at(-1);
  if (last === undefined || rows.some(({ number, hash }) => number === row && hash === last)) return row;
  const known = tail.map((hash, index) => ({ hash, after: tail.length - 1 - index })).filter(({ hash }) => hash !== "");
  const present = rows.filter(({ hash }) => hash !== "");
  const lengths = measureCommon(known, present);
  const common = lengths[known.length]?.[present.length] ?? 0;
  return common > 0 && common * 2 >= known.length ? followBack(known, present, lengths) : row;
}

/** Backwards, so that the latest of equal rows counts: rather a new row is taken for an old one than many old ones for new. */
function followBack(known: { hash: string; after: number }[], present: SheetRow[], lengths: number[][]): number {
  let [one, other] = [known.length, present.length];
  for (;;) {
    const [seen, found] = [known[one - 1], present[other - 1]];
    if (!seen || !found) throw new Error("Rows that have some in common lead to one of them.");
    if (seen.hash === found.hash) return found.number + seen.after;
    if ((lengths[one - 1]?.[other] ?? 0) > (lengths[one]?.[other - 1] ?? 0)) one--;
    else other--;
  }
}

/** How long the longest common subsequence of the first rows of both is. */
function measureCommon(known: { hash: string }[], present: { hash: string }[]): number[][] {
  const lengths: number[][] = [Array.from({ length: present.length + 1 }, () => 0)];
  for (const [one, { hash }] of known.entries()) {
    const above = lengths[one] ?? [];
    const line = [0];
    for (const [other, found] of present.entries())
      line.push(found.hash === hash ? (above[other] ?? 0) + 1 : Math.max(above[other + 1] ?? 0, line[other] ?? 0));
    lengths.push(line);
  }
  return lengths;
}
