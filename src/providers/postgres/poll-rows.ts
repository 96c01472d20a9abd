import type { CredentialCall } from "../../contract/credential.ts";
import { definePoll } from "../../contract/poll.ts";
import {
  bareTable,
  type Dialect,
  isWhole,
  listRows,
  namesOf,
  type Run,
  readRow,
  rowOf,
  rowParameters,
} from "../_sql/poll-rows.ts";
import { beginReading, type Login, tooLarge, withPostgres } from "./client.ts";

export const newRow = definePoll({
  id: "new_row",
  title: "New row",
  description:
    "Starts for each row that is added to a table or view. It needs a column that grows with every row, with an index on it: without one each look reads the whole table.",
  // Each look is one connection and two short queries.
  everySeconds: { least: 15, usual: 60 },
  parameters: rowParameters("orders or sales.orders"),
  async list(call, { parameters, mark }) {
    const names = namesOf(parameters, '"');
    const list = async (isKeysOnly: boolean) =>
      await read(call, (run) => listRows(run, { names, dialect, mark, isKeysOnly }));
    return await list(false).catch((error: unknown) => {
      if (error !== tooLarge) throw error;
      return list(true);
    });
  },
  read: async (call, item, parameters) =>
    isWhole(item)
      ? rowOf(item)
      : await read(call, (run) => readRow(run, { names: namesOf(parameters, '"'), dialect, item })),
  madeIn: bareTable,
});

// Sent as text, a value takes the type of the column it is compared with.
const dialect: Dialect = { asText: (_column, name) => `${name}::text`, value: (_column, position) => `$${position}` };

async function read<Result>(call: CredentialCall, work: (run: Run) => Promise<Result>): Promise<Result> {
  return await withPostgres({ ...call, credential: call.credential as Login }, async (session) => {
    await beginReading(session);
    // Other styles name no offset, and would not be read again as the same moment; in another time zone the same moment has another text.
    await session.command("SET LOCAL DateStyle = 'ISO'");
    await session.command("SET LOCAL TimeZone = 'UTC'");
    const result = await work(async (sql, values) => (await session.execute(sql, values)).rows);
    await session.command("ROLLBACK");
    return result;
  });
}
