import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { lookAt, pollAgain, readItem } from "../../../test/support/browser/look-at.ts";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { withCall } from "../../../test/support/gateway/with-call.ts";
import { describeWithProgram, startPostgres } from "../../../test/support/providers/real-servers.ts";
import { postgresCredential } from "./credential.ts";
import { newRow } from "./poll-rows.ts";
import { action as query } from "./query.ts";

describeWithProgram("openssl", "new rows of PostgreSQL", () => {
  const login = { user: "ann", password: "password of ann" };
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let admin: pg.Client;
  const connect = async () => {
    const client = new pg.Client({ host: "127.0.0.1", port: server.port, database: "postgres", ...login });
    await client.connect();
    return client;
  };
  const where = (parameters: Record<string, unknown>) => () => ({
    credential: { ...login, host: "127.0.0.1", port: server.port, database: "postgres", ssl: "disable" },
    parameters,
  });
  const pollRows = (parameters: Record<string, unknown>) => pollAgain(newRow, postgresCredential, where(parameters));
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

  beforeAll(async () => {
    server = await startPostgres(login);
    admin = await connect();
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  it("starts with what comes after the first look, and gives a row as the query does", async () => {
    await admin.query("CREATE TABLE orders (id bigint PRIMARY KEY, what jsonb, made timestamptz)");
    await admin.query("INSERT INTO orders VALUES (1, '{}', now())");
    const look = pollRows({ table: "orders" });
    expect(await look()).toEqual([]);
    await admin.query(
      `INSERT INTO orders VALUES (9223372036854775806, '{"a": [1]}', '2026-01-02 03:04:05.123456+00'), (9223372036854775807, NULL, NULL)`,
    );
    const found = await look();
    expect(ids(found)).toEqual(["9223372036854775806", "9223372036854775807"]);
    const input = { sql: "SELECT * FROM orders WHERE id > 1 ORDER BY id" };
    expect(found.map(({ payload }) => payload)).toEqual(
      await callTool(query, { input, credential: where({})().credential }),
    );
    expect(await look()).toEqual([]);
  });

  it("lists tables as the field takes them, and the columns of one", async () => {
    await admin.query(
      'CREATE SCHEMA sales; CREATE TABLE sales."a.b" (key int, "Made At" date); CREATE VIEW recent AS SELECT 1',
    );
    const { credential } = where({})();
    const load = (list: "tables" | "columns", given: Record<string, string>) =>
      withCall({ definition: postgresCredential, credential }, async (call) =>
        (await postgresCredential.choices[list]?.load({ ...call, given, search: "", most: 100 }))?.map(
          ({ value }) => value,
        ),
      );
    expect(await load("tables", {})).toEqual(expect.arrayContaining(["orders", "recent", 'sales."a.b"']));
    expect(await load("tables", {})).not.toContainEqual(expect.stringContaining("pg_"));
    expect(await load("columns", { table: 'sales."a.b"' })).toEqual(["key", "Made At"]);
    await expect(load("columns", { table: "nothing" })).rejects.toThrow(/nothing/);
  });

  it("knows a time again as the same key, whatever the time zone of the session is by then", async () => {
    await admin.query("CREATE TABLE moments (at timestamptz PRIMARY KEY)");
    await admin.query("INSERT INTO moments VALUES ('2026-03-01 12:00:00+00')");
    const look = pollRows({ table: "moments", column: "at" });
    await look();
    await admin.query("ALTER ROLE ann SET TimeZone = 'Asia/Kolkata'");
    await admin.query("INSERT INTO moments VALUES ('2026-03-01 13:00:00+00')");
    expect(ids(await look())).toEqual(["2026-03-01 13:00:00+00"]);
    await admin.query("ALTER ROLE ann SET TimeZone = 'America/New_York'");
    expect(await look()).toEqual([]);
    await admin.query("ALTER ROLE ann RESET TimeZone");
  });

  it("takes all rows of a table that was empty", async () => {
    await admin.query("CREATE TABLE empty_at_first (id int PRIMARY KEY)");
    const look = pollRows({ table: "empty_at_first" });
    expect([await look(), await look()]).toEqual([[], []]);
    await admin.query("INSERT INTO empty_at_first SELECT generate_series(1, 650)");
    expect(ids(await look())).toHaveLength(650);
  });

  it("loses no row of many at the same microsecond, wherever a page ends", async () => {
    await admin.query("CREATE TABLE events (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz)");
    const insert =
      "INSERT INTO events (created_at) SELECT '2026-01-01 00:00:00.000001+00'::timestamptz + n / 350 * interval '1 microsecond' FROM generate_series($1::int, $2::int) n";
    await admin.query(insert, [0, 339]);
    const look = pollRows({ table: "events", column: "created_at", keyColumn: "id" });
    expect(await look()).toEqual([]);
    await admin.query(insert, [340, 1400]);
    const found = await look();
    expect(new Set(ids(found)).size).toBe(1061);
    expect(found).toHaveLength(1061);
    expect(await look()).toEqual([]);
  });

  it("finds a row whose transaction began earlier and was committed later", async () => {
    await admin.query("CREATE TABLE slow (id serial PRIMARY KEY, name text)");
    await admin.query("INSERT INTO slow (name) VALUES ('old')");
    const look = pollRows({ table: "slow" });
    await look();
    const other = await connect();
    await other.query("BEGIN; INSERT INTO slow (name) VALUES ('late')");
    await admin.query("INSERT INTO slow (name) VALUES ('early')");
    expect(await look()).toMatchObject([{ payload: { name: "early" } }]);
    await admin.query("DELETE FROM slow WHERE name IN ('old', 'early')");
    await look();
    await other.query("COMMIT");
    await other.end();
    expect(await look()).toMatchObject([{ payload: { id: 2, name: "late" } }]);
  });

  it("does not take old rows for new when later ones are deleted", async () => {
    await admin.query("CREATE TABLE shrinking (id int PRIMARY KEY)");
    await admin.query("INSERT INTO shrinking SELECT generate_series(1, 2000)");
    const look = pollRows({ table: "shrinking" });
    await look();
    await admin.query("DELETE FROM shrinking WHERE id > 1600");
    expect(await look()).toEqual([]);
    await admin.query("INSERT INTO shrinking VALUES (3000)");
    expect(ids(await look())).toEqual(["3000"]);
  });

  it("takes a table with its schema and names of any kind, and no SQL in them", async () => {
    await admin.query(`CREATE SCHEMA "my.shop"; CREATE TABLE "my.shop"."Or""ders; DROP" ("the id" int, name text)`);
    const look = pollRows({ table: `"my.shop"."Or""ders; DROP"`, column: "the id" });
    await look();
    await admin.query(`INSERT INTO "my.shop"."Or""ders; DROP" VALUES (1, 'a'), (NULL, 'b')`);
    expect(await look()).toEqual([{ id: "1", payload: { "the id": 1, name: "a" } }]);
    for (const table of ["orders; DROP TABLE orders", "nowhere", "orders WHERE true --"])
      await expect(pollRows({ table })()).rejects.toMatchObject({ provider: { code: "42P01" } });
    await expect(pollRows({ table: "a..b" })()).rejects.toMatchObject({ errors: [{ pointer: "/table" }] });
    await expect(pollRows({ table: "orders", column: 'id" DESC --' })()).rejects.toMatchObject({
      provider: { code: "42703" },
    });
  });

  it("asks for a key where rows have the same value", async () => {
    await admin.query(
      "CREATE TABLE same (made date, id int); INSERT INTO same VALUES ('2026-01-01', 1), ('2026-01-01', 2)",
    );
    await expect(pollRows({ table: "same", column: "made" })()).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "/keyColumn" }],
    });
    const look = pollRows({ table: "same", column: "made", keyColumn: "id" });
    await look();
    await admin.query("INSERT INTO same VALUES ('2026-01-01', 3)");
    expect(ids(await look())).toEqual(["3"]);
  });

  it("reads rows one by one that are too large together", async () => {
    await admin.query("CREATE TABLE large (id int PRIMARY KEY, content text)");
    const look = pollRows({ table: "large" });
    await look();
    await admin.query("INSERT INTO large SELECT n, repeat('x', 6000000) FROM generate_series(1, 3) n");
    const found = await look();
    expect(found.map(({ payload }) => (payload as { content: string }).content.length)).toEqual([
      6_000_000, 6_000_000, 6_000_000,
    ]);
  });

  it("gives nothing for a row that is gone before it is read", async () => {
    await admin.query("CREATE TABLE fleeting (id int PRIMARY KEY); INSERT INTO fleeting VALUES (1)");
    const read = async (key: string) =>
      await readItem(newRow, postgresCredential, {
        ...where({ table: "fleeting" })(),
        item: { id: key, payload: { key } },
      });
    expect([await read("1"), await read("2")]).toEqual([{ id: 1 }, undefined]);
  });

  it("changes nothing, also through a view", async () => {
    await admin.query("CREATE FUNCTION wipe() RETURNS int LANGUAGE sql VOLATILE AS 'DELETE FROM orders; SELECT 1'");
    await admin.query("CREATE VIEW trap AS SELECT wipe() AS id");
    const outcome = lookAt(newRow, postgresCredential, where({ table: "trap" })());
    await expect(outcome).rejects.toMatchObject({ provider: { code: "25006" } });
  });
});
