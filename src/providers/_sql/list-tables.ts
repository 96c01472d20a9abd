import { toChoices } from "../../contract/choices.ts";
import type { Choice } from "../../contract/credential.ts";
import { textAt } from "../../contract/read.ts";
import type { Run } from "./poll-rows.ts";

/** Tables and views; those of the schema that names without one mean stand without it. */
export async function listTables(run: Run, usualSchema: string, most: number): Promise<Choice[]> {
  const rows = await run(
    `SELECT table_schema AS place, table_name AS name, table_schema = ${usualSchema} AS is_usual
       FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema', 'mysql', 'performance_schema', 'sys')
      ORDER BY table_schema <> ${usualSchema}, table_schema, table_name LIMIT ${most}`,
    [],
  );
  return toChoices(rows, (row) => {
    const [schema = "", name = ""] = [textAt(row, "place"), textAt(row, "name")];
    const isUsual = row.is_usual === true || Number(row.is_usual) === 1;
    return { value: isUsual ? write(name) : `${write(schema)}.${write(name)}` };
  });
}

/** As people write it in the field: in quotes where it has a dot or a quote. */
const write = (name: string): string => (/[."`]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
