import type pg from "pg";
import { filledLineBytes } from "./backup-format.ts";
import type { BackedUpTable } from "./backup-tables.ts";

/**
 * Rows as JSON that PostgreSQL wrote and PostgreSQL will read: nothing of them is lost in numbers or dates of JavaScript.
 * Where each row lies and how large it is comes first, so that no more of them are asked for than fit into a line: a hundred outputs of
 * a few megabytes are more than a process should have to hold.
 */
export async function* readRows(client: pg.Client, table: BackedUpTable): AsyncGenerator<string[]> {
  const names = table.columns.map((column) => client.escapeIdentifier(column)).join(", ");
  for await (const { part, places } of groupPlaces(client, table)) {
    // The transaction has one snapshot, so every row is still where it was seen.
    const select = `SELECT ${names} FROM ${part} WHERE ctid = ANY ($1::tid[])`;
    const { rows } = await client.query<{ text: string }>(
      `SELECT row_to_json(one)::text AS text FROM (${select}) AS one`,
      [places],
    );
    if (rows.length !== places.length) throw new Error(`Rows of ${part} were not found again.`);
    yield rows.map(({ text }) => text);
  }
}

type Place = { part: string; place: string; bytes: number };
type Group = { part: string; places: string[] };

const mostRows = 1000;

/** Rows of one table or part of a table that fit into a line together. */
async function* groupPlaces(client: pg.Client, table: BackedUpTable): AsyncGenerator<Group> {
  let group: Group | undefined;
  let filledBytes = 0;
  for await (const { part, place, bytes } of readPlaces(client, table)) {
    if (group && (group.part !== part || group.places.length >= mostRows || filledBytes + bytes > filledLineBytes)) {
      yield group;
      group = undefined;
    }
    if (!group) [group, filledBytes] = [{ part, places: [] }, 0];
    group.places.push(place);
    filledBytes += bytes;
  }
  if (group) yield group;
}

async function* readPlaces(client: pg.Client, { table, columns }: BackedUpTable): AsyncGenerator<Place> {
  // Of a large text PostgreSQL knows the length without reading it.
  const sizes = columns
    .map((column) => `coalesce(octet_length(one.${client.escapeIdentifier(column)}::text), 0)`)
    .join(" + ");
  const select = `SELECT tableoid::regclass::text AS part, ctid::text AS place, ${sizes} AS bytes FROM ${client.escapeIdentifier(table)} AS one`;
  await client.query(`DECLARE backup_rows NO SCROLL CURSOR FOR ${select}`);
  for (;;) {
    const { rows } = await client.query<Place>(`FETCH ${mostRows} FROM backup_rows`);
    if (rows.length === 0) break;
    yield* rows;
  }
  await client.query("CLOSE backup_rows");
}
