import type { CredentialCall } from "../../contract/credential.ts";
import { definePoll } from "../../contract/poll.ts";
import { textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import {
  bareTable,
  type Dialect,
  isWhole,
  listRows,
  type Names,
  namesOf,
  type RowParameters,
  type Run,
  readRow,
  rowOf,
  rowParameters,
} from "../_sql/poll-rows.ts";
import { beginReading, type Login, tooLarge, withMysql } from "./client.ts";

export const newRow = definePoll({
  id: "new_row",
  title: "New row",
  description:
    "Starts for each row that is added to a table or view. It needs a column that grows with every row, with an index on it: without one each look reads the whole table. Times of the type TIMESTAMP come in UTC.",
  // Each look is one connection and three short queries.
  everySeconds: { least: 15, usual: 60 },
  parameters: rowParameters("orders or shop.orders"),
  async list(call, { parameters, mark }) {
    const list = async (isKeysOnly: boolean) =>
      await read(call, parameters, (run, place) => listRows(run, { ...place, mark, isKeysOnly }));
    return await list(false).catch((error: unknown) => {
      if (error !== tooLarge) throw error;
      return list(true);
    });
  },
  read: async (call, item, parameters) =>
    isWhole(item) ? rowOf(item) : await read(call, parameters, (run, place) => readRow(run, { ...place, item })),
  madeIn: bareTable,
});

type Place = { names: Names; dialect: Dialect };

async function read<Result>(
  call: CredentialCall,
  parameters: RowParameters,
  work: (run: Run, place: Place) => Promise<Result>,
): Promise<Result> {
  const names = namesOf(parameters, "`");
  return await withMysql({ ...call, credential: call.credential as Login }, async (session) => {
    // A TIMESTAMP is told in the session's zone, where an hour may come twice a year.
    await session.execute("SET time_zone = '+00:00'", []);
    await beginReading(session);
    const run: Run = async (sql, values) => (await session.execute(sql, values)).rows;
    return await work(run, { names, dialect: await describeColumns(run, names, parameters) });
  });
}

type Kind = { asText: (name: string) => string; value: string };

/** A text is compared with a number as one of 53 bits, so what is sent says what it is. */
async function describeColumns(
  run: Run,
  names: Names,
  { column, keyColumn = column }: RowParameters,
): Promise<Dialect> {
  const columns = await run(`SHOW COLUMNS FROM ${names.table}`, []);
  const kindAt = (pointer: string, name: string): Kind => {
    const found = columns.find((entry) => textAt(entry, "Field")?.toLowerCase() === name.toLowerCase());
    if (found === undefined)
      throw refuseInput(pointer, `must be a column of the table, which has none with the name ${name}`);
    const kind = kinds.find(([pattern]) => pattern.test(textAt(found, "Type") ?? ""))?.[1];
    if (kind === undefined)
      throw refuseInput(pointer, "must be a whole number, a decimal, a time, a text or bytes of a fixed length");
    return kind;
  };
  const found = { order: kindAt("/column", column), key: kindAt("/keyColumn", keyColumn) };
  return { asText: (place, name) => found[place].asText(name), value: (place) => found[place].value };
}

const asCharacters = (name: string): string => `CAST(${name} AS CHAR)`;

const kinds: [RegExp, Kind][] = [
  [/^(?:tiny|small|medium|big)?int.* unsigned/i, { asText: asCharacters, value: "CAST(? AS UNSIGNED)" }],
  [/^(?:(?:tiny|small|medium|big)?int|year)/i, { asText: asCharacters, value: "CAST(? AS SIGNED)" }],
  [/^decimal/i, { asText: asCharacters, value: "CAST(? AS DECIMAL(65,30))" }],
  [/^(?:datetime|timestamp)/i, { asText: asCharacters, value: "CAST(? AS DATETIME(6))" }],
  [/^date$/i, { asText: asCharacters, value: "CAST(? AS DATE)" }],
  [/^(?:var)?binary/i, { asText: (name) => `HEX(${name})`, value: "UNHEX(?)" }],
  [/^(?:(?:var)?char|(?:tiny|medium|long)?text|uuid)/i, { asText: asCharacters, value: "?" }],
];
