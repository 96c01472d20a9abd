import { once } from "node:events";
import net from "node:net";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSql, silentLog, startTestPostgres } from "../../test/support/storage/test-postgres.ts";
import { Refusal } from "../base/refusal.ts";
import { type ConnectionTarget, createDatabase } from "./database.ts";
import { createSlowStatements } from "./slow-statements.ts";

type Tables = { item: { id: number; big: number; at: Date } };

let server: Awaited<ReturnType<typeof startTestPostgres>>;

beforeAll(async () => {
  server = await startTestPostgres();
  await runSql(
    server.target,
    "CREATE TABLE item (id int PRIMARY KEY, big int8 NOT NULL, at timestamptz NOT NULL DEFAULT now())",
  );
});
afterAll(() => server.close());

async function withDatabase(
  use: (db: ReturnType<typeof createDatabase>) => Promise<void>,
  target: ConnectionTarget = server.target,
  poolSize = 3,
) {
  const db = createDatabase({ target, applicationName: "database test", poolSize, log: silentLog });
  try {
    await use(db);
  } finally {
    await db.close();
  }
}

async function refusalOf(work: Promise<unknown>): Promise<{ refusal: Refusal; elapsedMs: number }> {
  const startedAt = performance.now();
  const refusal = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(Refusal);
  return { refusal: refusal as Refusal, elapsedMs: performance.now() - startedAt };
}

/** Forwards to the server until it is told to swallow everything, on old and on new connections. */
async function startProxy() {
  const { host, port } = server.target as { host: string; port: number };
  let swallowing = false;
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((downstream) => {
    const upstream = net.connect(`${host}/.s.PGSQL.${port}`);
    const forward = (to: net.Socket) => (chunk: Buffer) => {
      if (!swallowing) to.write(chunk);
    };
    downstream.on("data", forward(upstream)).on("close", () => upstream.destroy());
    upstream.on("data", forward(downstream)).on("close", () => downstream.destroy());
    for (const socket of [downstream, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    target: {
      ...(server.target as { user: string; database: string }),
      host: "127.0.0.1",
      port: (proxy.address() as net.AddressInfo).port,
    },
    swallow(on: boolean) {
      swallowing = on;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

test("gives safe big integers as numbers, unsafe ones as text, and timestamps as dates", async () => {
  await withDatabase(async (db) => {
    await db
      .tables<Tables>()
      .insertInto("item")
      .values({ id: 1, big: 9007199254740991, at: new Date(0) })
      .execute();
    const row = await db.tables<Tables>().selectFrom("item").selectAll().where("id", "=", 1).executeTakeFirstOrThrow();
    expect(row).toEqual({ id: 1, big: 9007199254740991, at: new Date(0) });
    expect(await db.prepared({ name: "big", text: "SELECT 9007199254740993::int8 AS big" }, [])).toEqual([
      { big: "9007199254740993" },
    ]);
  });
});

test("sets the server-side limits on every connection", async () => {
  await withDatabase(async (db) => {
    const text =
      "SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle";
    expect(await db.prepared({ name: "limits", text }, [])).toEqual([{ statement: "9500ms", idle: "10s" }]);
  });
});

test("refuses within 2.5 seconds when the server is a black hole, and works again on new connections", async () => {
  const proxy = await startProxy();
  const select = { name: "one", text: "SELECT 1 AS one" };
  try {
    await withDatabase(async (db) => {
      const pids = async () =>
        (await Promise.all([1, 2, 3].map(() => db.prepared<{ pid: number }>(backend, [])))).map(([row]) => row?.pid);
      const before = await pids();
      expect(db.counts()).toEqual({ total: 3, idle: 3, waiting: 0 });
      proxy.swallow(true);
      const reachable = db.isReachable();
      const onOldConnection = await refusalOf(db.prepared(select, []));
      expect(onOldConnection.refusal.code).toBe("database_unavailable");
      expect(onOldConnection.elapsedMs).toBeLessThan(2_500);
      expect(await reachable).toBe(false);
      const onNewConnection = await refusalOf(db.tables<Tables>().selectFrom("item").select("id").execute());
      expect(onNewConnection.refusal.code).toBe("database_unavailable");
      expect(onNewConnection.elapsedMs).toBeLessThan(2_500);
      proxy.swallow(false);
      expect(await db.prepared(select, [])).toEqual([{ one: 1 }]);
      expect((await pids()).filter((pid) => before.includes(pid))).toEqual([]);
      expect(await db.isReachable()).toBe(true);
    }, proxy.target);
  } finally {
    proxy.close();
  }
});

test("turns a connection killed in a transaction into a refusal and leaves a usable pool", async () => {
  await withDatabase(
    async (db) => {
      const { refusal } = await refusalOf(
        db
          .tables<Tables>()
          .transaction()
          .execute(async (transaction) => {
            await transaction.insertInto("item").values({ id: 50, big: 1, at: new Date() }).execute();
            await runSql(
              server.target,
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'database test'",
            );
            await transaction.selectFrom("item").selectAll().execute();
          }),
      );
      expect(refusal.code).toBe("database_unavailable");
      expect(refusal.message).toBe("The database cannot be reached right now.");
      expect(await db.tables<Tables>().selectFrom("item").selectAll().where("id", "=", 50).execute()).toEqual([]);
    },
    server.target,
    1,
  );
});

test("survives idle connections being terminated", async () => {
  await withDatabase(async (db) => {
    await Promise.all([1, 2, 3].map(() => db.prepared(backend, [])));
    await runSql(
      server.target,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'database test'",
    );
    await expect.poll(() => db.counts().total).toBe(0);
    expect(await db.isReachable()).toBe(true);
  });
});

test("refuses after two seconds when the pool is exhausted", async () => {
  await withDatabase(
    async (db) => {
      const slow = db
        .tables<Tables>()
        .connection()
        .execute(() => new Promise((resolve) => setTimeout(resolve, 2_400)));
      await expect.poll(() => db.counts()).toMatchObject({ total: 1, idle: 0 });
      const { refusal, elapsedMs } = await refusalOf(db.prepared(backend, []));
      expect(refusal.code).toBe("database_unavailable");
      expect(elapsedMs).toBeLessThan(2_500);
      await slow;
      expect(await db.isReachable()).toBe(true);
    },
    server.target,
    1,
  );
});

test("refuses a hot statement that takes too long and gives up its connection only", async () => {
  await withDatabase(async (db) => {
    const [before] = await db.prepared(backend, []);
    const slow = refusalOf(db.prepared({ name: "slow", text: "SELECT pg_sleep(3)" }, []));
    const [other] = await db.prepared(backend, []);
    expect(other).not.toEqual(before);
    expect((await slow).refusal.code).toBe("database_unavailable");
    expect(db.counts()).toEqual({ total: 1, idle: 1, waiting: 0 });
    expect(await db.prepared(backend, [])).toEqual([other]);
  });
});

test("refuses when nobody listens, on a socket and on a port, in both paths", async () => {
  for (const target of [
    { host: "/nonexistent", port: 5432, user: "nobody", database: "none" },
    { connectionString: "postgres://nobody@127.0.0.1:1/none" },
  ]) {
    await withDatabase(async (db) => {
      expect((await refusalOf(db.prepared(backend, []))).refusal.code).toBe("database_unavailable");
      expect((await refusalOf(db.tables<Tables>().selectFrom("item").selectAll().execute())).refusal.code).toBe(
        "database_unavailable",
      );
      expect(await db.isReachable()).toBe(false);
    }, target);
  }
});

test("repeats a prepared statement whose table changed under it", async () => {
  await withDatabase(
    async (db) => {
      await runSql(server.target, "CREATE TABLE shape (id int); INSERT INTO shape VALUES (1)");
      const statement = { name: "shape", text: "SELECT *, pg_backend_pid() AS pid FROM shape" };
      const [before] = await db.prepared<{ pid: number }>(statement, []);
      await runSql(server.target, "ALTER TABLE shape ADD COLUMN extra text");
      expect(await db.prepared(statement, [])).toEqual([{ id: 1, extra: null, pid: before?.pid }]);
      const [after] = await db.prepared<{ pid: number }>(statement, []);
      expect(after?.pid).not.toBe(before?.pid);
    },
    server.target,
    1,
  );
});

test("warns of a slow statement with its text and without its values, once a minute", async () => {
  const lines: { level: number; msg: string; statement: string; elapsedMs: number; unsaid: number }[] = [];
  const log = pino({ level: "debug" }, { write: (line) => void lines.push(JSON.parse(line)) });
  let slow = 0;
  const slowStatements = createSlowStatements({ log, limitMs: 300, onSlow: () => void slow++ });
  const db = createDatabase({ target: server.target, applicationName: "slow", poolSize: 1, log, slowStatements });
  const secret = "canary-value-7741";
  const sleep = { name: "sleeps", text: "SELECT pg_sleep($1),\n  $2::text AS secret" };
  try {
    for (let round = 0; round < 3; round++) await db.prepared(sleep, [0.4, secret]);
    await db.transaction((sql) => sql({ name: "", text: "SELECT pg_sleep(0.4), $1::text" }, [secret]));
    await sql`SELECT pg_sleep(${0.4}), ${secret}::text AS kysely`.execute(db.tables());
    await expect(
      db.prepared({ name: "", text: "SELECT pg_sleep(0.4), 1 / (random() * $1::int)::int" }, [0]),
    ).rejects.toMatchObject({
      code: "22012",
    });
  } finally {
    await db.close();
  }
  expect(slow).toBeGreaterThanOrEqual(6);
  const told = lines.filter(({ statement }) => statement?.includes("pg_sleep"));
  expect(told.map(({ statement }) => statement)).toEqual([
    "SELECT pg_sleep($1), $2::text AS secret",
    "SELECT pg_sleep(0.4), $1::text",
    "SELECT pg_sleep($1), $2::text AS kysely",
    "SELECT pg_sleep(0.4), 1 / (random() * $1::int)::int",
  ]);
  for (const { level, msg, elapsedMs } of told) {
    expect([level, msg]).toEqual([40, "a database statement was slow"]);
    expect(elapsedMs).toBeGreaterThanOrEqual(390);
  }
  expect(JSON.stringify(lines)).not.toContain(secret);
});

test("passes on the error of a wrong statement and keeps its connection", async () => {
  await withDatabase(async (db) => {
    const [before] = await db.prepared(backend, []);
    await expect(db.prepared({ name: "wrong", text: "SELECT 1/0" }, [])).rejects.toMatchObject({ code: "22012" });
    await expect(
      db.tables<{ nothing: { id: number } }>().selectFrom("nothing").selectAll().execute(),
    ).rejects.toMatchObject({
      code: "42P01",
    });
    expect(await db.prepared(backend, [])).toEqual([before]);
  });
});

const backend = { name: "backend", text: "SELECT pg_backend_pid() AS pid, pg_sleep(0.02)::text" };
