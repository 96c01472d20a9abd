import { sql } from "kysely";
import type { Database } from "../../src/storage/database.ts";

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
/** So many of the newest stay where they are: they have just happened. */
const recent = 4;

/** Moves what was just called and run back over the week before, so that the charts look like those of a week. */
export async function spreadOverWeek(db: Database): Promise<void> {
  const tables = db.tables<unknown>();
  const calls = await sql<{ id: string }>`SELECT id FROM tool_call WHERE completed_at IS NOT NULL ORDER BY id`.execute(
    tables,
  );
  for (const [id, movedId, ms] of moves(calls.rows))
    await sql`UPDATE tool_call SET id = ${movedId}, ${earlier(ms)} WHERE id = ${id}`.execute(tables);

  const runs = await sql<{ id: string }>`SELECT id FROM run WHERE completed_at IS NOT NULL ORDER BY id`.execute(tables);
  for (const [id, movedId, ms] of moves(runs.rows)) {
    await sql`UPDATE run SET id = ${movedId}, ${earlier(ms)} WHERE id = ${id}`.execute(tables);
    await sql`UPDATE run_node SET run_id = ${movedId}, started_at = started_at - ${ms} * interval '1 ms', completed_at = completed_at - ${ms} * interval '1 ms' WHERE run_id = ${id}`.execute(
      tables,
    );
    await sql`UPDATE run_once SET run_id = ${movedId} WHERE run_id = ${id}`.execute(tables);
  }
}

const earlier = (ms: number) => {
  const by = sql`${ms} * interval '1 ms'`;
  return sql`queued_at = queued_at - ${by}, started_at = started_at - ${by}, completed_at = completed_at - ${by}, changed_at = changed_at - ${by}`;
};

/** Oldest first over the week, more of them in the daytime. */
function moves(rows: { id: string }[]): [id: string, movedId: string, ms: number][] {
  return rows.slice(0, -recent).map(({ id }, index, { length }) => {
    const even = weekMs * (1 - index / length);
    const night = Math.cos((even / hourMs / 24) * 2 * Math.PI) * 3 * hourMs;
    const ms = Math.round(Math.max(even + night, hourMs / 4));
    return [id, earlierId(id, ms), ms];
  });
}

/** The first 48 bits of an id are its time. */
function earlierId(id: string, ms: number): string {
  const time = (Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - ms).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}${id.slice(13)}`;
}
