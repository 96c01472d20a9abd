import { createConnection } from "mysql2/promise";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pollAgain, readItem } from "../../../test/support/browser/look-at.ts";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { withCall } from "../../../test/support/gateway/with-call.ts";
import { describeWithProgram, startMariaDb } from "../../../test/support/providers/real-servers.ts";
import { mysqlCredential } from "./credential.ts";
import { newRow } from "./poll-rows.ts";
import { action as query } from "./query.ts";

describeWithProgram("mariadbd", "new rows of MariaDB", () => {
  const login = { user: "ann", password: "password of ann" };
  let server: NonNullable<Awaited<ReturnType<typeof startMariaDb>>>;
  let admin: Awaited<ReturnType<typeof createConnection>>;
  const connect = () =>
    createConnection({ ...login, host: "127.0.0.1", port: server.port, database: "shop", multipleStatements: true });
  const where = (parameters: Record<string, unknown>) => () => ({
    credential: { ...login, host: "127.0.0.1", port: server.port, database: "shop", ssl: "disable" },
    parameters,
  });
  const pollRows = (parameters: Record<string, unknown>) => pollAgain(newRow, mysqlCredential, where(parameters));
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

  beforeAll(async () => {
    const started = await startMariaDb(login);
    if (!started) throw new Error("MariaDB is missing");
    server = started;
    admin = await connect();
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  it("starts with what comes after the first look, loses no digit, and gives a row as the query does", async () => {
    await admin.query("CREATE TABLE orders (id bigint unsigned PRIMARY KEY, price decimal(30,10), made datetime(6))");
    await admin.query("INSERT INTO orders VALUES (18446744073709551612, 1, NULL)");
    const look = pollRows({ table: "orders" });
    expect(await look()).toEqual([]);
    await admin.query(
      "INSERT INTO orders VALUES (18446744073709551613, 0.1, '2026-01-02 03:04:05.123456'), (18446744073709551614, NULL, NULL)",
    );
    const found = await look();
    expect(ids(found)).toEqual(["18446744073709551613", "18446744073709551614"]);
    const input = { sql: "SELECT * FROM orders ORDER BY id LIMIT 10 OFFSET 1" };
    expect(found.map(({ payload }) => payload)).toEqual(
      await callTool(query, { input, credential: where({})().credential }),
    );
    await admin.query("INSERT INTO orders VALUES (18446744073709551615, NULL, NULL)");
    expect(ids(await look())).toEqual(["18446744073709551615"]);
  });

  it("lists tables as the field takes them, and the columns of one", async () => {
    await admin.query("CREATE TABLE `a.b` (id int, `made at` date)");
    const { credential } = where({})();
    const load = (list: "tables" | "columns", given: Record<string, string>) =>
      withCall({ definition: mysqlCredential, credential }, async (call) =>
        (await mysqlCredential.choices[list]?.load({ ...call, given, search: "", most: 100 }))?.map(
          ({ value }) => value,
        ),
      );
    expect(await load("tables", {})).toEqual(expect.arrayContaining(["orders", '"a.b"']));
    expect(await load("columns", { table: '"a.b"' })).toEqual(["id", "made at"]);
  });

  it.each(["datetime(6)", "timestamp(6) NULL"])(
    "loses no row of many at the same microsecond of a %s, wherever a page ends",
    async (type) => {
      await admin.query(`CREATE OR REPLACE TABLE events (id int PRIMARY KEY, created_at ${type}, INDEX (created_at))`);
      const insert = (from: number, to: number) =>
        admin.query(
          `INSERT INTO events SELECT seq, '2026-01-01 00:00:00.000001' + INTERVAL seq DIV 350 MICROSECOND FROM seq_${from}_to_${to}`,
        );
      const look = pollRows({ table: "events", column: "created_at", keyColumn: "id" });
      expect([await look(), await look()]).toEqual([[], []]);
      await insert(1, 1400);
      expect(ids(await look()).map(Number)).toEqual(Array.from({ length: 1400 }, (_, index) => index + 1));
      expect(await look()).toEqual([]);
    },
  );

  it("tells times in UTC whatever the zone of the server is, because elsewhere an hour comes twice a year", async () => {
    await admin.query(
      "SET GLOBAL time_zone = '+05:00'; SET time_zone = '+00:00'; CREATE TABLE clocks (id int PRIMARY KEY, at timestamp NULL)",
    );
    const look = pollRows({ table: "clocks", column: "at", keyColumn: "id" });
    await look();
    await admin.query("INSERT INTO clocks VALUES (1, '2026-10-25 00:30:00')");
    expect(await look()).toEqual([{ id: "1", payload: { id: 1, at: "2026-10-25T00:30:00" } }]);
    await admin.query("SET GLOBAL time_zone = 'SYSTEM'");
  });

  it("finds a row that was committed later than one behind it, and takes no old one for new when others are deleted", async () => {
    await admin.query(
      "CREATE TABLE slow (id int PRIMARY KEY AUTO_INCREMENT, name text); INSERT INTO slow (name) SELECT 'old' FROM seq_1_to_1500",
    );
    const look = pollRows({ table: "slow" });
    await look();
    const other = await connect();
    await other.query("START TRANSACTION; INSERT INTO slow (id, name) VALUES (3000, 'late')");
    await admin.query("INSERT INTO slow (id, name) VALUES (3001, 'early')");
    expect(await look()).toMatchObject([{ payload: { name: "early" } }]);
    await other.query("COMMIT");
    await other.end();
    expect(await look()).toEqual([{ id: "3000", payload: { id: 3000, name: "late" } }]);
    await admin.query("DELETE FROM slow WHERE id > 1100");
    expect(await look()).toEqual([]);
  });

  it("takes a table with its database, names of any kind, and bytes as a key", async () => {
    await admin.query(
      "CREATE DATABASE `my.shop`; CREATE TABLE `my.shop`.`or``ders; DROP` (`the id` int, uuid binary(4))",
    );
    const look = pollRows({ table: '"my.shop".`or``ders; DROP`', column: "the id", keyColumn: "uuid" });
    await look();
    await admin.query(
      "INSERT INTO `my.shop`.`or``ders; DROP` VALUES (1, x'00ff0001'), (1, x'00ff0002'), (NULL, x'00ff0003')",
    );
    expect(await look()).toEqual([
      { id: "00FF0001", payload: { "the id": 1, uuid: "AP8AAQ==" } },
      { id: "00FF0002", payload: { "the id": 1, uuid: "AP8AAg==" } },
    ]);
    await admin.query("INSERT INTO `my.shop`.`or``ders; DROP` VALUES (1, x'00ff0000')");
    expect(await look()).toEqual([{ id: "00FF0000", payload: { "the id": 1, uuid: "AP8AAA==" } }]);
    await expect(pollRows({ table: "orders; DROP TABLE orders" })()).rejects.toMatchObject({
      provider: { code: "ER_NO_SUCH_TABLE" },
    });
    await expect(pollRows({ table: "orders", column: "nowhere" })()).rejects.toMatchObject({
      errors: [{ pointer: "/column" }],
    });
  });

  it("says which columns will not do", async () => {
    await admin.query(
      "CREATE TABLE odd (f double, day date, id int); INSERT INTO odd VALUES (1, '2026-01-01', 1), (2, '2026-01-01', 2)",
    );
    await expect(pollRows({ table: "odd", column: "f" })()).rejects.toMatchObject({
      errors: [{ pointer: "/column" }],
    });
    await expect(pollRows({ table: "odd", column: "day" })()).rejects.toMatchObject({
      errors: [{ pointer: "/keyColumn" }],
    });
  });

  it("reads rows one by one that are too large together", async () => {
    await admin.query("CREATE TABLE large (id int PRIMARY KEY, content longtext)");
    const look = pollRows({ table: "large" });
    await look();
    await admin.query("INSERT INTO large SELECT seq, repeat('x', 6000000) FROM seq_1_to_2");
    const found = await look();
    expect(found.map(({ payload }) => (payload as { content: string }).content.length)).toEqual([6_000_000, 6_000_000]);
  });

  it("gives nothing for a row that is gone before it is read", async () => {
    await admin.query("CREATE TABLE fleeting (id int PRIMARY KEY); INSERT INTO fleeting VALUES (1)");
    const read = async (key: string) =>
      await readItem(newRow, mysqlCredential, {
        ...where({ table: "fleeting" })(),
        item: { id: key, payload: { key } },
      });
    expect([await read("1"), await read("2")]).toEqual([{ id: 1 }, undefined]);
  });
});
