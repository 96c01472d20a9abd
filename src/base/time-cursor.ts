import { Refusal } from "./refusal.ts";

/** A place in a list that is sorted by a moment and then by id: the moment in microseconds, and the id. */
export type TimePlace = { at: string; id: string };

export const toTimeCursor = ({ at, id }: TimePlace): string => Buffer.from(`${at} ${id}`).toString("base64url");

export function fromTimeCursor(cursor: string): TimePlace {
  const text = Buffer.from(cursor, "base64url").toString();
  const [, at, id] = /^(\d{1,17}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? [];
  if (at !== undefined && id !== undefined) return { at, id };
  throw new Refusal("validation_failed", "cursor is not one of this list.", {
    errors: [{ pointer: "cursor", detail: "is not one of this list" }],
  });
}

/** What is asked of such a list: so many, from after a place on. */
export type PageAsked = { limit: number; cursor?: string | undefined };

/** Reads one more than fits, which tells whether there is a next page. */
export async function readPage<Row extends TimePlace>(
  { limit, cursor }: PageAsked,
  read: (part: { after: TimePlace | undefined; limit: number }) => Promise<Row[]>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const found = await read({ after: cursor === undefined ? undefined : fromTimeCursor(cursor), limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: found.length > limit && last ? toTimeCursor(last) : null };
}
