import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { textAt } from "../../contract/read.ts";
import { listTables } from "../_sql/list-tables.ts";
import type { Run } from "../_sql/poll-rows.ts";
import { quoteName } from "../_sql/table-names.ts";
import { beginReading, type Login, withMysql } from "./client.ts";

export const listMysqlTables = (call: ChoicesCall): Promise<Choice[]> =>
  read(call, (run) => listTables(run, "DATABASE()", call.most));

export async function listMysqlColumns(call: ChoicesCall): Promise<Choice[]> {
  const table = quoteName("/table", call.given.table ?? "", "`");
  const rows = await read(call, (run) => run(`SHOW COLUMNS FROM ${table}`, []));
  return toChoices(rows, (row) => ({ value: textAt(row, "Field") }));
}

const read = <Result>(call: ChoicesCall, work: (run: Run) => Promise<Result>): Promise<Result> =>
  withMysql({ ...call, credential: call.credential as Login }, async (session) => {
    await beginReading(session);
    return await work(async (sql, values) => (await session.execute(sql, values)).rows);
  });
