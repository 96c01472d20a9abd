import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import tls from "node:tls";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCertificate } from "../../../test/support/certificate.ts";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeWithProgram, startPostgres } from "../../../test/support/providers/real-servers.ts";
import { postgresCredential } from "./credential.ts";
import { action as execute } from "./execute.ts";
import { action as query } from "./query.ts";

describeWithProgram("openssl", "against PostgreSQL", () => {
  const login = { user: "ann", password: "pa'ss \"wörd" };
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let admin: pg.Client;
  const credential = () => ({ ...login, host: "127.0.0.1", port: server.port, database: "postgres", ssl: "disable" });
  const ask = async (sql: string, more: Record<string, unknown> = {}, options: { signal?: AbortSignal } = {}) =>
    await callTool(query, { input: { sql, ...more }, credential: credential(), ...options });
  const change = async (sql: string, params?: unknown[], options: { signal?: AbortSignal } = {}) =>
    await callTool(execute, { input: { sql, ...(params ? { params } : {}) }, credential: credential(), ...options });
  const look = async (sql: string) => (await admin.query({ text: sql, rowMode: "array" })).rows.flat() as unknown[];
  const sessions = async () =>
    (await look("SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'switchyard'"))[0];

  beforeAll(async () => {
    server = await startPostgres(login);
    admin = new pg.Client({ host: "127.0.0.1", port: server.port, database: "postgres", ...login });
    await admin.connect();
    await admin.query("CREATE TABLE goods (id bigint PRIMARY KEY, name text, price numeric); CREATE SEQUENCE counter");
    await admin.query("INSERT INTO goods SELECT n, 'item ' || n, n / 4.0 FROM generate_series(1, 1000) n");
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  describe("postgres_query", () => {
    it("returns rows as items", async () => {
      expect(await ask("SELECT 1 AS one, 'x' AS text")).toEqual([{ one: 1, text: "x" }]);
    });

    it("binds parameters and never takes them for SQL", async () => {
      const sql = "SELECT name FROM goods WHERE id = $1 OR name = $2 OR id = ANY($3) ORDER BY id;";
      expect(await ask(sql, { params: [7, "'; DROP TABLE goods --", [8, 9]] })).toEqual([
        { name: "item 7" },
        { name: "item 8" },
        { name: "item 9" },
      ]);
      expect(
        await ask("SELECT $1::text AS t, $2::jsonb AS j, $3::bool AS b, $4::int AS n", {
          params: ["ü'\"\\\n$1", { a: [1] }, true, null],
        }),
      ).toEqual([{ t: "ü'\"\\\n$1", j: { a: [1] }, b: true, n: null }]);
    });

    it("loses nothing of a value", async () => {
      const sql = `SELECT 9223372036854775807::bigint AS big, 0.1000000000000000055::numeric AS exact, 'NaN'::float8 AS nan, 1.5::float8 AS float,
      '2026-01-02 03:04:05.123456+00'::timestamptz AT TIME ZONE 'UTC' AS local, DATE '2026-01-02' AS day, TIME '03:04' AS time,
      '\\x00ff10'::bytea AS bytes, '{"a":[1,null]}'::json AS json, ARRAY[1,NULL,3] AS numbers, ARRAY[9223372036854775807] AS bigs,
      ARRAY[1.10]::numeric[] AS exacts, ARRAY['a,b','"'] AS texts, ARRAY['\\x01'::bytea] AS blobs, INTERVAL '1 day 2 hours' AS span,
      ARRAY[TIMESTAMP '2026-01-02 03:04:05'] AS times, 'infinity'::timestamptz AS forever, NULL AS nothing, '{}'::int[] AS none`;
      expect(await ask(sql)).toEqual([
        {
          big: "9223372036854775807",
          exact: "0.1000000000000000055",
          nan: "NaN",
          float: 1.5,
          local: "2026-01-02T03:04:05.123456",
          day: "2026-01-02",
          time: "03:04:00",
          bytes: "AP8Q",
          json: { a: [1, null] },
          numbers: [1, null, 3],
          bigs: ["9223372036854775807"],
          exacts: ["1.10"],
          texts: ["a,b", '"'],
          blobs: ["AQ=="],
          span: "1 day 02:00:00",
          times: ["2026-01-02T03:04:05"],
          forever: "infinity",
          nothing: null,
          none: [],
        },
      ]);
      const [row] = await ask("SELECT TIMESTAMPTZ '2026-01-02 03:04:05.5+00' AS moment");
      expect(new Date(String(row?.moment)).toISOString()).toBe("2026-01-02T03:04:05.500Z");
    });

    it("keeps columns with strange names as fields", async () => {
      const rows = await callTool(query, {
        input: { sql: `SELECT 1 AS "__proto__", 2 AS "a b", 3 AS "ü.""x"` },
        credential: credential(),
      });
      expect(Object.entries(rows[0] ?? {})).toEqual([
        ["__proto__", 1],
        ["a b", 2],
        ['ü."x', 3],
      ]);
    });

    it("loses no column whose name comes twice", async () => {
      expect(await ask("SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a")).toEqual([{ a: 1, a_3: 2, a_2: 3, a_4: 4 }]);
      expect(await change("INSERT INTO goods (id) VALUES (4000) RETURNING id, id")).toEqual([
        { rowCount: 1, rows: [{ id: "4000", id_2: "4000" }] },
      ]);
      await change("DELETE FROM goods WHERE id = 4000");
    });

    it.each([
      "DELETE FROM goods",
      " -- all of it\n/* now */ delete from goods",
      "WITH gone AS (DELETE FROM goods RETURNING id) SELECT * FROM gone",
      "SELECT nextval('counter')",
      "CREATE TABLE stolen AS SELECT 1",
    ])("says that it only reads, and what does more: %s", async (sql) => {
      await expect(ask(sql)).rejects.toThrow(/postgres_query only reads.*Use postgres_execute/);
    });

    it("leaves a mistake in the server's own words", async () => {
      await expect(ask("SELEC 1")).rejects.toThrow('syntax error at or near "SELEC"');
    });

    it("reads no further than the limit, over several batches", async () => {
      expect(await ask("SELECT id FROM goods ORDER BY id")).toHaveLength(100);
      const rows = await ask("SELECT id FROM goods ORDER BY id", { limit: 777 });
      expect(rows).toHaveLength(777);
      expect(rows.at(-1)).toEqual({ id: "777" });
      expect(await ask("SELECT id FROM goods", { limit: 10_000 })).toHaveLength(1000);
      expect(await ask("SELECT 1 AS one FROM goods a, goods b, goods c, goods d", { limit: 2 })).toEqual([
        { one: 1 },
        { one: 1 },
      ]);
    });

    it("breaks off an answer that is too large", async () => {
      await expect(ask("SELECT repeat('x', 200000000) AS huge")).rejects.toMatchObject({
        message: expect.stringContaining("larger than 10 MB"),
      });
      await expect(ask("SELECT repeat('x', 100000) FROM generate_series(1, 1000)", { limit: 1000 })).rejects.toThrow(
        "larger than 10 MB",
      );
    });

    it("explains and shows", async () => {
      expect(Object.keys((await ask("EXPLAIN SELECT 1"))[0] ?? {})).toEqual(["QUERY PLAN"]);
      expect(await ask(" show transaction_read_only")).toEqual([{ transaction_read_only: "on" }]);
    });

    it.each([
      ["INSERT INTO goods VALUES (5000, 'x', 1)"],
      ["INSERT INTO goods VALUES (5000, 'x', 1) RETURNING id"],
      ["WITH gone AS (DELETE FROM goods RETURNING id) SELECT * FROM gone"],
      ["EXPLAIN ANALYZE DELETE FROM goods"],
      ["SELECT nextval('counter')"],
      ["SELECT setval('counter', 99)"],
      ["SELECT lo_import('/etc/hostname')"],
      ["SELECT lo_from_bytea(0, 'x')"],
      ["SELECT set_config('transaction_read_only', 'off', false)"],
      ["SELECT * FROM goods FOR UPDATE"],
      ["SELECT query_to_xml('DELETE FROM goods RETURNING 1', true, true, '')"],
      ["SELECT 1 INTO stolen"],
      ["CREATE TABLE stolen AS SELECT 1"],
      ["DROP TABLE goods"],
      ["SET TRANSACTION READ WRITE"],
      ["SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE"],
      ["COMMIT"],
      ["COMMIT AND CHAIN"],
      ["SELECT 1; DROP TABLE goods"],
      ["COMMIT; DROP TABLE goods"],
      ["SELECT 1; COMMIT; BEGIN; DROP TABLE goods; COMMIT"],
      ["SHOW all; DROP TABLE goods"],
      ["EXPLAIN SELECT 1; DROP TABLE goods"],
      ["DO $$ BEGIN SET TRANSACTION READ WRITE; DELETE FROM goods; COMMIT; END $$"],
      ["CALL nothing()"],
      ["VACUUM goods"],
      ["PREPARE p AS DELETE FROM goods"],
      ["/* */ COPY goods TO PROGRAM 'cat'"],
      ["SELECT 1) TO PROGRAM 'touch /tmp/x' --"],
    ])("refuses to change anything: %s", async (sql) => {
      await expect(ask(sql)).rejects.toMatchObject({
        code: "provider_error",
        provider: { code: expect.stringMatching(/^[0-9A-Z]{5}$/) },
      });
      expect(await look("SELECT count(*)::int, max(id)::int FROM goods")).toEqual([1000, 1000]);
      expect(await look("SELECT is_called FROM counter")).toEqual([false]);
      expect(await look("SELECT to_regclass('stolen'), (SELECT count(*)::int FROM pg_largeobject_metadata)")).toEqual([
        null,
        0,
      ]);
    });

    it("lets no superuser run a program on the server", async () => {
      const file = `${server.folder}/touched`;
      for (const sql of [
        `COPY (SELECT 1) TO PROGRAM 'touch ${file}'`,
        `DO $$ BEGIN EXECUTE 'COPY (SELECT 1) TO PROGRAM ''touch ${file}'''; END $$`,
      ])
        await expect(ask(sql)).rejects.toMatchObject({ code: "provider_error" });
      expect(existsSync(file)).toBe(false);
    });

    it("refuses a function that writes, also with a transaction of its own", async () => {
      await admin.query(
        "CREATE FUNCTION grab() RETURNS int LANGUAGE plpgsql AS 'BEGIN DELETE FROM goods; RETURN 1; END'",
      );
      await admin.query("CREATE PROCEDURE wipe() LANGUAGE plpgsql AS 'BEGIN COMMIT; DELETE FROM goods; COMMIT; END'");
      await expect(ask("SELECT grab()")).rejects.toMatchObject({ provider: { code: "25006" } });
      await expect(ask("CALL wipe()")).rejects.toMatchObject({ code: "provider_error" });
      await expect(ask("EXPLAIN ANALYZE SELECT grab()")).rejects.toMatchObject({ provider: { code: "25006" } });
      expect(await look("SELECT count(*)::int FROM goods")).toEqual([1000]);
    });

    it("reports the server's own code and words", async () => {
      await expect(ask("SELECT * FROM nowhere")).rejects.toThrow(
        'PostgreSQL refused the call (42P01): relation "nowhere" does not exist',
      );
      await expect(ask("SELECT $1::int + $2::int", { params: [1] })).rejects.toMatchObject({
        provider: { code: "08P01" },
      });
      await expect(ask("SELECT 1/0")).rejects.toMatchObject({ provider: { code: "22012" } });
    });
  });

  describe("postgres_execute", () => {
    it("changes rows and counts them", async () => {
      expect(await change("UPDATE goods SET price = 1 WHERE id <= 3")).toEqual([{ rowCount: 3, rows: [] }]);
    });

    it("returns what RETURNING gives, with bound parameters", async () => {
      const sql = "INSERT INTO goods VALUES ($1, $2, $3) RETURNING id, name, price";
      expect(await change(sql, [2000, "ü'); DROP TABLE goods; --", "1.10"])).toEqual([
        { rowCount: 1, rows: [{ id: "2000", name: "ü'); DROP TABLE goods; --", price: "1.10" }] },
      ]);
      expect(await change("DELETE FROM goods WHERE id = $1", [2000])).toEqual([{ rowCount: 1, rows: [] }]);
    });

    it("runs statements that stand in no transaction, and counts nothing for them", async () => {
      expect(await change("VACUUM goods")).toEqual([{ rowCount: 0, rows: [] }]);
      expect(await change("CREATE INDEX CONCURRENTLY goods_name ON goods (name)")).toEqual([{ rowCount: 0, rows: [] }]);
    });

    it("takes one statement only", async () => {
      await expect(change("UPDATE goods SET price = -5; DROP TABLE goods")).rejects.toMatchObject({
        provider: { code: "42601" },
      });
      expect(await look("SELECT count(*)::int FROM goods WHERE price = -5")).toEqual([0]);
    });

    it("reports the server's own code, words and detail", async () => {
      await expect(change("INSERT INTO goods VALUES (1)")).rejects.toThrow(
        /23505\).*duplicate key.*Key \(id\)=\(1\) already exists/,
      );
    });
  });

  describe("the connection", () => {
    it("is closed after each call, whatever happened", async () => {
      await ask("SELECT 1");
      await ask("SELECT nonsense").catch(() => {});
      await expect.poll(sessions).toBe(0);
    });

    it("says what is wrong with the login, without the password", async () => {
      const wrong = callTool(query, {
        input: { sql: "SELECT 1" },
        credential: { ...credential(), password: "not this one" },
      });
      await expect(wrong).rejects.toMatchObject({
        code: "provider_error",
        provider: { code: "28P01" },
        message: expect.not.stringContaining("not this one"),
      });
      const writing = callTool(query, {
        input: { sql: "INSERT INTO goods VALUES (1)" },
        credential: { ...credential(), password: "wrong" },
      });
      await expect(writing).rejects.toMatchObject({
        provider: { code: "28P01" },
        message: expect.not.stringContaining("only reads"),
      });
      const unknown = callTool(query, {
        input: { sql: "SELECT 1" },
        credential: { ...credential(), database: "nowhere" },
      });
      await expect(unknown).rejects.toMatchObject({ provider: { code: "3D000" } });
      const { password: _, ...without } = credential();
      await expect(callTool(query, { input: { sql: "SELECT 1" }, credential: without })).rejects.toMatchObject({
        name: "Refusal",
      });
    });

    it("says when nobody listens", async () => {
      const call = callTool(query, { input: { sql: "SELECT 1" }, credential: { ...credential(), port: 1 } });
      await expect(call).rejects.toMatchObject({
        code: "provider_unreachable",
        message: "127.0.0.1 could not be reached or broke off (ECONNREFUSED).",
      });
    });

    it("says when the server ends the session or the line is cut in the middle", async () => {
      const ended = expect(ask("SELECT pg_sleep(30)")).rejects.toMatchObject({ provider: { code: "57P01" } });
      await expect
        .poll(() =>
          look(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ 'FETCH' AND application_name = 'switchyard'",
          ),
        )
        .toEqual([true]);
      await ended;
      const relay = createServer((socket) => {
        const upstream = connect({ host: "127.0.0.1", port: server.port });
        socket.pipe(upstream).pipe(socket);
        socket.on("error", () => {});
        setTimeout(() => {
          socket.resetAndDestroy();
          upstream.destroy();
        }, 300);
      });
      await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
      const { port } = relay.address() as { port: number };
      const cut = callTool(query, { input: { sql: "SELECT pg_sleep(30)" }, credential: { ...credential(), port } });
      await expect(cut).rejects.toMatchObject({ code: "provider_unreachable" });
      relay.close();
      await admin.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'switchyard'");
    });

    it.each(["disable", "require"])("ends the statement on the server when it is aborted (TLS: %s)", async (ssl) => {
      const abort = new AbortController();
      const sql = "UPDATE goods SET price = -77 WHERE pg_sleep(20) IS NOT NULL";
      const call = callTool(execute, { input: { sql }, credential: { ...credential(), ssl }, signal: abort.signal });
      const refused = expect(call).rejects.toThrow("enough");
      await expect
        .poll(() =>
          look(
            "SELECT count(*)::int FROM pg_stat_activity WHERE query ~ 'price = -77' AND state = 'active' AND pid <> pg_backend_pid()",
          ),
        )
        .toEqual([1]);
      abort.abort(new Error("enough"));
      await refused;
      await expect.poll(sessions, { timeout: 2000 }).toBe(0);
      expect(await look("SELECT count(*)::int FROM goods WHERE price = -77")).toEqual([0]);
    });

    it("is not opened when the call is already aborted", async () => {
      await expect(ask("SELECT 1", {}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    });

    it("trusts the authority that the account names, and no other for it", async () => {
      const ask = (more: Record<string, unknown>) =>
        callTool(query, {
          input: { sql: "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()" },
          credential: { ...credential(), host: "localhost", ssl: "verify", ...more },
        });
      expect(await ask({ ca: server.certificate })).toEqual([{ ssl: true }]);
      expect(await ask({ ca: `\n  ${server.certificate}\n` })).toEqual([{ ssl: true }]);
      await expect(ask({ ca: server.certificate, host: "127.0.0.1" })).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
      await expect(ask({ ca: createCertificate("localhost").cert })).rejects.toThrow("not trusted");
      const { ca } = postgresCredential.variants[0]?.fields.shape ?? {};
      expect(ca?.safeParse("no certificate").success).toBe(false);
    });

    it("asks for TLS and checks the certificate unless told otherwise", async () => {
      const { ssl: _, ...byDefault } = credential();
      const ask = (more: Record<string, unknown>) =>
        callTool(query, {
          input: { sql: "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()" },
          credential: { ...byDefault, ...more },
        });
      for (const more of [{}, { ssl: "verify" }, { host: "localhost" }])
        await expect(ask(more)).rejects.toMatchObject({
          code: "provider_unreachable",
          message: expect.stringMatching(
            /DEPTH_ZERO_SELF_SIGNED_CERT\)\. Enter the certificate authority of the server in the credential\.$/,
          ),
        });
      expect(await ask({ ssl: "require" })).toEqual([{ ssl: true }]);
      expect(await ask({ ssl: "disable" })).toEqual([{ ssl: false }]);
      const usual = tls.getCACertificates("default");
      tls.setDefaultCACertificates([server.certificate]);
      try {
        expect(await ask({ host: "localhost", ssl: "verify" })).toEqual([{ ssl: true }]);
        await expect(ask({ host: "127.0.0.1", ssl: "verify" })).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
      } finally {
        tls.setDefaultCACertificates(usual);
      }
    });

    it("is tried by the credential's check, at the address that was resolved for the name", async () => {
      const names: string[] = [];
      const resolveHost = async (host: string) => {
        names.push(host);
        return "127.0.0.1";
      };
      const check = async (more: Record<string, unknown>) =>
        await postgresCredential.check?.({
          credential: { ...credential(), ...more },
          resolveHost,
          signal: AbortSignal.timeout(5000),
        } as never);
      await check({ host: "database.example" });
      expect(names).toEqual(["database.example"]);
      await expect(check({ password: "wrong" })).rejects.toMatchObject({ provider: { code: "28P01" } });
    });
  });
});
