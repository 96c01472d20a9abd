import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import tls from "node:tls";
import { createConnection } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCertificate } from "../../../test/support/certificate.ts";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeWithProgram, startMariaDb } from "../../../test/support/providers/real-servers.ts";
import { mysqlCredential } from "./credential.ts";
import { action as execute } from "./execute.ts";
import { action as query } from "./query.ts";

describeWithProgram("mariadbd", "against MariaDB", () => {
  const login = { user: "ann", password: 'pa ss "wörd' };
  let server: NonNullable<Awaited<ReturnType<typeof startMariaDb>>>;
  let admin: Awaited<ReturnType<typeof createConnection>>;
  const credential = () => ({ ...login, host: "127.0.0.1", port: server.port, database: "shop", ssl: "disable" });
  const ask = async (sql: string, more: Record<string, unknown> = {}, options: { signal?: AbortSignal } = {}) =>
    await callTool(query, { input: { sql, ...more }, credential: credential(), ...options });
  const change = async (sql: string, params?: unknown[]) =>
    await callTool(execute, { input: { sql, ...(params ? { params } : {}) }, credential: credential() });
  const look = async (sql: string) => ((await admin.query({ sql, rowsAsArray: true }))[0] as unknown[][]).flat();
  const sessions = async () =>
    (await look("SELECT count(*) FROM information_schema.processlist WHERE user = 'ann' AND id <> connection_id()"))[0];

  beforeAll(async () => {
    const started = await startMariaDb(login);
    if (!started) throw new Error("MariaDB is missing");
    server = started;
    admin = await createConnection({ ...login, host: "127.0.0.1", port: server.port, database: "shop" });
    await admin.query("CREATE TABLE goods (id bigint PRIMARY KEY, name text, price decimal(30,10))");
    await admin.query("INSERT INTO goods SELECT seq, concat('item ', seq), seq / 4 FROM seq_1_to_1000");
    await admin.query("CREATE SEQUENCE counter");
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  describe("mysql_query", () => {
    it("returns rows as items", async () => {
      expect(await ask("SELECT 1 AS one, 'x' AS text;")).toEqual([{ one: 1, text: "x" }]);
    });

    it("binds parameters and never takes them for SQL", async () => {
      const sql = "SELECT name FROM goods WHERE id = ? OR name = ? ORDER BY id LIMIT ?";
      expect(await ask(sql, { params: [7, "'; DROP TABLE goods -- ", 5] })).toEqual([{ name: "item 7" }]);
      const [row] = await ask("SELECT ? AS t, ? AS j, ? AS b, ? AS n, ? AS f", {
        params: ["ü'\"\\\n?", { a: [1] }, true, null, 1.5],
      });
      expect(row).toEqual({ t: "ü'\"\\\n?", j: '{"a":[1]}', b: 1, n: null, f: 1.5 });
    });

    it("loses nothing of a value", async () => {
      await admin.query(`CREATE TABLE kinds (big bigint unsigned, exact decimal(30,20), moment datetime(6), stamp timestamp NULL, day date, clock time(3),
        bytes blob, binary_ varbinary(4), js json, en enum('a','b'), yr year, fl double, tiny tinyint, txt text CHARACTER SET utf8mb4, nothing int)`);
      await admin.query(`INSERT INTO kinds VALUES (18446744073709551615, 0.1, '2026-01-02 03:04:05.123456', '2026-01-02 03:04:05', '2026-01-02', '03:04:05.5',
        x'00ff10', x'0001', '{"a":[1,null]}', 'b', 2026, 1.5, -1, 'ü😀', NULL)`);
      const kinds = {
        big: "18446744073709551615",
        exact: "0.10000000000000000000",
        moment: "2026-01-02T03:04:05.123456",
        stamp: "2026-01-02T03:04:05",
        day: "2026-01-02",
        bytes: "AP8Q",
        binary_: "AAE=",
        js: { a: [1, null] },
        en: "b",
        yr: 2026,
        fl: 1.5,
        tiny: -1,
        txt: "ü😀",
        nothing: null,
      };
      expect(await ask("SELECT * FROM kinds")).toEqual([{ ...kinds, clock: expect.stringMatching(/^03:04:05\.5/) }]);
      expect(await change("SELECT * FROM kinds")).toEqual([
        { rowCount: 1, rows: [{ ...kinds, clock: expect.stringMatching(/^03:04:05\.5/) }] },
      ]);
    });

    it("keeps columns with strange names as fields", async () => {
      const rows = await ask('SELECT 1 AS `__proto__`, 2 AS `a b`, 3 AS `ü."x`');
      expect(Object.entries(rows[0] ?? {})).toEqual([
        ["__proto__", 1],
        ["a b", 2],
        ['ü."x', 3],
      ]);
    });

    it("reads no further than the limit", async () => {
      expect(await ask("SELECT id FROM goods ORDER BY id")).toHaveLength(100);
      const rows = await ask("SELECT id FROM goods ORDER BY id", { limit: 777 });
      expect(rows).toHaveLength(777);
      expect(rows.at(-1)).toEqual({ id: "777" });
      expect(await ask("SELECT id FROM goods", { limit: 10_000 })).toHaveLength(1000);
      expect(await ask("SELECT 1 AS one FROM goods a, goods b, goods c, goods d", { limit: 2 })).toEqual([
        { one: 1 },
        { one: 1 },
      ]);
      expect(await ask("SELECT id FROM goods WHERE id = 0")).toEqual([]);
    });

    it("breaks off an answer that is too large", async () => {
      await expect(ask("SELECT repeat('x', 15000000) AS huge")).rejects.toThrow("larger than 10 MB");
      await expect(ask("SELECT repeat('x', 100000) FROM seq_1_to_1000", { limit: 1000 })).rejects.toThrow(
        "larger than 10 MB",
      );
    });

    it("loses no column whose name comes twice", async () => {
      expect(await ask("SELECT 1 AS a, 2 AS a, 3 AS b")).toEqual([{ a: 1, a_2: 2, b: 3 }]);
    });

    it.each(["DELETE FROM goods", "DELETE FROM goods RETURNING id", "SELECT grab()"])(
      "says that it only reads, and what does more: %s",
      async (sql) => {
        await admin.query("CREATE OR REPLACE FUNCTION grab() RETURNS int BEGIN DELETE FROM goods; RETURN 1; END");
        await expect(ask(sql)).rejects.toThrow(/mysql_query only reads.*[Uu]se mysql_execute/);
      },
    );

    it("explains and shows", async () => {
      expect(await ask("EXPLAIN SELECT 1")).toHaveLength(1);
      expect(await ask("SHOW TABLES LIKE 'goods'")).toEqual([{ "Tables_in_shop (goods)": "goods" }]);
      expect(await ask("WITH t AS (SELECT 1 AS a) SELECT * FROM t")).toEqual([{ a: 1 }]);
    });

    const outFile = () => `${server.folder}/stolen.txt`;
    it.each([
      ["INSERT INTO goods VALUES (5000, 'x', 1)"],
      ["INSERT INTO goods VALUES (5000, 'x', 1) RETURNING id"],
      ["DELETE FROM goods RETURNING id"],
      ["REPLACE INTO goods VALUES (1, 'x', 1) RETURNING id"],
      ["ANALYZE UPDATE goods SET price = -1"],
      ["SELECT nextval(counter)"],
      ["SELECT setval(counter, 99)"],
      ["CREATE TABLE stolen AS SELECT 1"],
      ["CREATE TABLE stolen (a int)"],
      ["DROP TABLE goods"],
      ["TRUNCATE goods"],
      ["OPTIMIZE TABLE goods"],
      ["SET TRANSACTION READ WRITE"],
      ["SET SESSION transaction_read_only = 0"],
      ["SET GLOBAL max_connections = 5"],
      ["COMMIT"],
      ["COMMIT AND CHAIN"],
      ["START TRANSACTION READ WRITE"],
      ["SELECT 1; DROP TABLE goods"],
      ["COMMIT; DROP TABLE goods"],
      ["SELECT * FROM goods INTO OUTFILE 'OUT'"],
      ["SELECT 'x' INTO DUMPFILE 'OUT'"],
      ["SELECT 1 INTO @a"],
      ["LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE goods"],
      [
        "BEGIN NOT ATOMIC COMMIT; SET SESSION TRANSACTION READ WRITE; START TRANSACTION READ WRITE; DELETE FROM goods; COMMIT; END",
      ],
      ["IF 1 THEN COMMIT; START TRANSACTION READ WRITE; DELETE FROM goods; COMMIT; END IF"],
      ["EXECUTE IMMEDIATE 'DELETE FROM goods'"],
      ["CALL wipe()"],
      ["EXECUTE IMMEDIATE 'CALL wipe()'"],
      ["SET STATEMENT max_statement_time = 1 FOR CALL wipe()"],
      ["SELECT grab()"],
      ["SELECT * FROM goods WHERE grab() = 1"],
      ["PREPARE p FROM 'DELETE FROM goods'"],
      ["LOCK TABLES goods WRITE"],
      ["KILL 1"],
      ["FLUSH TABLES"],
    ])("refuses to change anything: %s", async (sql) => {
      await admin.query(
        "CREATE OR REPLACE PROCEDURE wipe() BEGIN COMMIT; SET SESSION TRANSACTION READ WRITE; START TRANSACTION READ WRITE; DELETE FROM goods; COMMIT; SELECT 1; END",
      );
      await admin.query("CREATE OR REPLACE FUNCTION grab() RETURNS int BEGIN DELETE FROM goods; RETURN 1; END");
      const [called] = await look("SELECT next_not_cached_value FROM counter");
      await expect(ask(sql.replace("OUT", outFile()))).rejects.toMatchObject({
        name: "Refusal",
        code: expect.stringMatching(/provider_error|validation_failed/),
      });
      expect(await look("SELECT count(*), max(id), min(price) > 0 FROM goods")).toEqual([1000, 1000, 1]);
      expect(await look("SELECT next_not_cached_value FROM counter")).toEqual([called]);
      expect(await look("SHOW TABLES LIKE 'stolen'")).toEqual([]);
      expect(existsSync(outFile())).toBe(false);
    });

    it("reports the server's own code and words", async () => {
      await expect(ask("SELECT * FROM nowhere")).rejects.toThrow(
        "MySQL refused the call (ER_NO_SUCH_TABLE): Table 'shop.nowhere' doesn't exist",
      );
      await expect(ask("SELEC 1")).rejects.toMatchObject({ provider: { code: "ER_PARSE_ERROR" } });
      await expect(ask("SELECT ?, ?", { params: [1] })).rejects.toMatchObject({ name: "Refusal" });
    });
  });

  describe("mysql_execute", () => {
    it("changes rows and counts those that changed", async () => {
      expect(await change("UPDATE goods SET price = 1 WHERE id <= 3")).toEqual([{ rowCount: 3, rows: [] }]);
      expect(await change("UPDATE goods SET price = 1 WHERE id <= 3")).toEqual([{ rowCount: 0, rows: [] }]);
    });

    it("returns what RETURNING gives, with bound parameters", async () => {
      expect(
        await change("INSERT INTO goods VALUES (?, ?, ?) RETURNING id, name", [
          2000,
          "ü'); DROP TABLE goods; --",
          "1.10",
        ]),
      ).toEqual([{ rowCount: 1, rows: [{ id: "2000", name: "ü'); DROP TABLE goods; --" }] }]);
      expect(await change("DELETE FROM goods WHERE id = ?", [2000])).toEqual([{ rowCount: 1, rows: [] }]);
    });

    it("names the row that it inserts, without RETURNING, where the server numbers it", async () => {
      await change(
        "CREATE OR REPLACE TABLE numbered (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, a int) AUTO_INCREMENT = 9007199254740993",
      );
      expect(await change("INSERT INTO numbered (a) VALUES (?)", [1])).toEqual([
        { rowCount: 1, rows: [], insertId: "9007199254740993" },
      ]);
      expect(await change("INSERT INTO numbered (a) VALUES (2), (3)")).toEqual([
        { rowCount: 2, rows: [], insertId: "9007199254740994" },
      ]);
      expect(await change("UPDATE numbered SET a = 4")).toEqual([{ rowCount: 3, rows: [] }]);
    });

    it("calls procedures and gives their first result", async () => {
      await change("CREATE OR REPLACE PROCEDURE two() BEGIN SELECT 1 AS a; SELECT 2 AS b; END");
      expect(await change("CALL two()")).toEqual([{ rowCount: 1, rows: [{ a: 1 }] }]);
      expect(await change("CREATE TABLE made (a int)")).toEqual([{ rowCount: 0, rows: [] }]);
    });

    it("takes one statement only and reads no file of this machine", async () => {
      await expect(change("UPDATE goods SET price = -5; DROP TABLE goods")).rejects.toMatchObject({
        provider: { code: "ER_PARSE_ERROR" },
      });
      await expect(change("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE made")).rejects.toMatchObject({
        name: "Refusal",
      });
      expect(await look("SELECT (SELECT count(*) FROM goods WHERE price = -5) + (SELECT count(*) FROM made)")).toEqual([
        0,
      ]);
    });

    it("reports the server's own code and words", async () => {
      await expect(change("INSERT INTO goods (id) VALUES (1)")).rejects.toThrow(/ER_DUP_ENTRY\): Duplicate entry '1'/);
    });
  });

  describe("the connection", () => {
    it("is closed after each call, whatever happened", async () => {
      await ask("SELECT 1");
      await ask("SELECT nonsense").catch(() => {});
      await expect.poll(sessions).toBe(0);
    });

    it("says what is wrong with the login, without the password", async () => {
      const writing = callTool(query, {
        input: { sql: "DELETE FROM goods" },
        credential: { ...credential(), password: "wrong" },
      });
      await expect(writing).rejects.toMatchObject({
        provider: { code: "ER_ACCESS_DENIED_ERROR" },
        message: expect.not.stringContaining("only reads"),
      });
      const wrong = callTool(query, {
        input: { sql: "SELECT 1" },
        credential: { ...credential(), password: "not this one" },
      });
      await expect(wrong).rejects.toMatchObject({
        provider: { code: "ER_ACCESS_DENIED_ERROR" },
        message: expect.not.stringContaining("not this one"),
      });
      const unknown = callTool(query, {
        input: { sql: "SELECT 1" },
        credential: { ...credential(), database: "nowhere" },
      });
      await expect(unknown).rejects.toMatchObject({ provider: { code: "ER_BAD_DB_ERROR" } });
    });

    it("says when nobody listens", async () => {
      const call = callTool(query, { input: { sql: "SELECT 1" }, credential: { ...credential(), port: 1 } });
      await expect(call).rejects.toMatchObject({
        code: "provider_unreachable",
        message: "127.0.0.1 could not be reached or broke off (ECONNREFUSED).",
      });
    });

    it("says when the server ends the session or the line is cut in the middle", async () => {
      const ended = expect(ask("SELECT sleep(30)")).rejects.toMatchObject({ name: "Refusal" });
      await expect
        .poll(() => look("SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT sleep%'"))
        .toHaveLength(1);
      await admin.query(
        `KILL ${String((await look("SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT sleep%'"))[0])}`,
      );
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
      const cut = callTool(query, { input: { sql: "SELECT sleep(1)" }, credential: { ...credential(), port } });
      await expect(cut).rejects.toMatchObject({ code: "provider_unreachable" });
      relay.close();
    });

    it.each(["disable", "require"])("ends the statement on the server when it is aborted (TLS: %s)", async (ssl) => {
      const abort = new AbortController();
      const sql = "UPDATE goods SET price = -77 WHERE sleep(20) = 0";
      const call = callTool(execute, { input: { sql }, credential: { ...credential(), ssl }, signal: abort.signal });
      const refused = expect(call).rejects.toThrow("enough");
      await expect
        .poll(() => look("SELECT 1 FROM information_schema.processlist WHERE info LIKE 'UPDATE goods%'"))
        .toEqual([1]);
      abort.abort(new Error("enough"));
      await refused;
      await expect.poll(sessions, { timeout: 2000 }).toBe(0);
      expect(await look("SELECT count(*) FROM goods WHERE price = -77")).toEqual([0]);
    });

    it("is not opened when the call is already aborted", async () => {
      await expect(ask("SELECT 1", {}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    });

    it("trusts the authority that the account names", async () => {
      const cipher = (ca: string) =>
        callTool(query, {
          input: { sql: "SHOW STATUS LIKE 'Ssl_cipher'" },
          credential: { ...credential(), host: "localhost", ssl: "verify", ca },
        });
      expect((await cipher(server.certificate))[0]?.Value).toMatch(/^TLS/);
      await expect(cipher(createCertificate("localhost").cert)).rejects.toMatchObject({ code: "provider_unreachable" });
    });

    it("asks for TLS and checks the certificate unless told otherwise", async () => {
      const { ssl: _, ...byDefault } = credential();
      const cipher = (more: Record<string, unknown>) =>
        callTool(query, { input: { sql: "SHOW STATUS LIKE 'Ssl_cipher'" }, credential: { ...byDefault, ...more } });
      for (const more of [{}, { ssl: "verify" }, { host: "localhost" }])
        await expect(cipher(more)).rejects.toMatchObject({
          code: "provider_unreachable",
          message: expect.stringMatching(
            /self-signed certificate.* Enter the certificate authority of the server in the credential\.$/,
          ),
        });
      expect((await cipher({ ssl: "require" }))[0]?.Value).toMatch(/^TLS/);
      expect((await cipher({ ssl: "disable" }))[0]?.Value).toBe("");
      const usual = tls.getCACertificates("default");
      tls.setDefaultCACertificates([server.certificate]);
      try {
        expect((await cipher({ host: "localhost", ssl: "verify" }))[0]?.Value).toMatch(/^TLS/);
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
        await mysqlCredential.check?.({
          credential: { ...credential(), ...more },
          resolveHost,
          signal: AbortSignal.timeout(5000),
        } as never);
      await check({ host: "database.example" });
      expect(names).toEqual(["database.example"]);
      await expect(check({ password: "wrong" })).rejects.toMatchObject({
        provider: { code: "ER_ACCESS_DENIED_ERROR" },
      });
    });
  });
});
