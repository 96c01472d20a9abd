import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase } from "../../test/support/storage/test-database.ts";
import { silentLog } from "../../test/support/storage/test-postgres.ts";
import { arraysOf, type Columns, unnest } from "./columns.ts";
import { createDatabase, type Database } from "./database.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase({ target: database.target, applicationName: "test", log: silentLog });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

type Row = {
  name: string | null;
  at: Date | null;
  count: number | null;
  isOn: boolean | null;
  hash: Buffer | null;
  nothing: null;
};
const columns: Columns<Row> = [
  ["name", "name", "text"],
  ["at", "at", "timestamptz"],
  ["count", "count", "bigint"],
  ["isOn", "is_on", "boolean"],
  ["hash", "hash", "bytea"],
  ["nothing", "nothing", "text"],
];

it("brings every value of every row to the database as it is", async () => {
  const names = [
    "",
    "NULL",
    "null",
    '"',
    "\\",
    '\\"',
    "{a,b}",
    "a, b",
    " ",
    "\n\t\r",
    "🚂 ü \u2028",
    '{"a":["\\u0000"]}',
    null,
  ];
  const rows = names.map((name, index) => ({
    name,
    at: index === 0 ? null : new Date(1_700_000_000_123 + index),
    count: index === 1 ? null : index * 1_000_000_000_000,
    isOn: index === 2 ? null : index % 2 === 0,
    hash: index === 3 ? null : Buffer.from([index, 0, 255]),
    nothing: null,
  }));
  const text = `SELECT name, at, count::float8 AS count, "isOn", hash, nothing
                FROM ${unnest(columns)} WITH ORDINALITY AS one (name, at, count, "isOn", hash, nothing, place) ORDER BY place`;
  expect(await db.prepared({ name: "", text }, arraysOf(columns, rows))).toEqual(rows);
});
