import type pg from "pg";

export type BackedUpTable = { table: string; columns: string[] };

/** A part of a table that is divided, with its bounds as PostgreSQL writes them. */
export type TablePart = { table: string; part: string; bounds: string; options: string[] | null };

/** The tables that outlive a process, referenced ones before those that refer to them. */
export async function listTables(client: pg.Client): Promise<BackedUpTable[]> {
  const { rows } = await client.query<BackedUpTable & { needs: string[] }>(tablesStatement);
  const ordered: BackedUpTable[] = [];
  const done = new Set<string>();
  while (ordered.length < rows.length) {
    const next = rows.find(
      ({ table, needs }) => !done.has(table) && needs.every((needed) => needed === table || done.has(needed)),
    );
    if (next === undefined) throw new Error("The tables of the database refer to each other in a circle.");
    done.add(next.table);
    ordered.push({ table: next.table, columns: next.columns });
  }
  return ordered;
}

export async function listParts(client: pg.Client): Promise<TablePart[]> {
  const { rows } = await client.query<TablePart>(partsStatement);
  return rows;
}

/** Drops everything that migrations make, and nothing that an extension brought. */
export async function dropAll(client: pg.Client): Promise<void> {
  await client.query(dropStatement);
}

const isOwn = (oid: string) => `NOT EXISTS (SELECT FROM pg_depend WHERE objid = ${oid} AND deptype = 'e')`;

// Unlogged tables say what processes hold right now; migrations are listed in the head of a backup.
const tablesStatement = `
  SELECT relname::text AS "table",
    ARRAY(SELECT attname::text FROM pg_attribute
      WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns,
    ARRAY(SELECT DISTINCT needed.relname::text FROM pg_constraint JOIN pg_class AS needed ON needed.oid = confrelid
      WHERE conrelid = class.oid AND contype = 'f') AS needs
  FROM pg_class AS class
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relpersistence = 'p'
    AND relname <> 'schema_migration' AND ${isOwn("class.oid")}
  ORDER BY relname`;

const partsStatement = `
  SELECT parent.relname::text AS "table", part.relname::text AS part, pg_get_expr(part.relpartbound, part.oid) AS bounds,
    part.reloptions AS options
  FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid JOIN pg_class AS parent ON parent.oid = inhparent
  WHERE part.relnamespace = current_schema()::regnamespace AND part.relkind = 'r' AND part.relispartition
  ORDER BY part.relname`;

const dropStatement = `
  DO $$ DECLARE statement text; BEGIN
    FOR statement IN
      SELECT format('DROP TABLE IF EXISTS %s CASCADE', oid::regclass) FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND ${isOwn("pg_class.oid")}
      UNION ALL
      SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure) FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND ${isOwn("pg_proc.oid")}
    LOOP EXECUTE statement; END LOOP;
  END $$`;
