import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { textAt } from "../../contract/read.ts";
import { listTables } from "../_sql/list-tables.ts";
import type { Run } from "../_sql/poll-rows.ts";
import { quoteName } from "../_sql/table-names.ts";
import { beginReading, type Login, withPostgres } from "./client.ts";

export const listPostgresTables = (call: ChoicesCall): Promise<Choice[]> =>
  read(call, (run) => listTables(run, "current_schema()", call.most));

export async function listPostgresColumns(call: ChoicesCall): Promise<Choice[]> {
  const table = quoteName("/table", call.given.table ?? "", '"');
  const rows = await read(call, (run) =>
    run(
      "SELECT attname::text AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
      [table],
    ),
  );
  return toChoices(rows, (row) => ({ value: textAt(row, "name") }));
}

const read = <Result>(call: ChoicesCall, work: (run: Run) => Promise<Result>): Promise<Result> =>
  withPostgres({ ...call, credential: call.credential as Login }, async (session) => {
    await beginReading(session);
    return await work(async (sql, values) => (await session.execute(sql, values)).rows);
  });
