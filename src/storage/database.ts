import { setTimeout as delay } from "node:timers/promises";
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import pg from "pg";
import type { Logger } from "pino";
import {
  asRefusalWhenUnavailable,
  isDatabaseUnavailable,
  isReadTimeout,
  isStalePreparedStatement,
} from "./database-errors.ts";
import { isPageWork } from "./page-work.ts";
import { repeatAfterConflict } from "./repeat-after-conflict.ts";
import type { SlowStatements } from "./slow-statements.ts";

/** Behind a pooler every transaction may be in another session. */
export type ConnectionTarget =
  | { connectionString: string; isPooled?: boolean }
  | { host: string; port: number; user: string; database: string };

export type Database = ReturnType<typeof createDatabase>;

type DatabaseOptions = {
  target: ConnectionTarget;
  applicationName: string;
  poolSize?: number;
  /** How many connections there are besides for `runAsPage`; without any, pages use those of everything else. */
  pagePoolSize?: number;
  /** For statements that only look up keys: a plan that was made while a table was small must still be right when it is large. */
  onlyByKey?: boolean;
  /** How long one statement may take, where nobody waits for it; ten seconds unless given. */
  limitMs?: number;
  /** How long shared work waits for more of its kind, where several processes of this machine would each bring a little. */
  gatherMs?: number | undefined;
  log: Logger;
  slowStatements?: SlowStatements;
};

/** Pools of connections. Every wait in them ends by itself, and a database that is away becomes the refusal `database_unavailable`. */
export function createDatabase({ slowStatements, pagePoolSize = 0, gatherMs, ...options }: DatabaseOptions) {
  const open = (poolSize = 10) => {
    const pool = openPool({ onlyByKey: false, limitMs: queryLimitMs, ...options, poolSize });
    return { pool, ...createConnections(pool, { slowStatements, keepsStatements: !isPooled(options.target) }) };
  };
  const main = open(options.poolSize);
  const pages = pagePoolSize > 0 ? open(pagePoolSize) : main;
  const choose = () => (isPageWork() ? pages : main);
  const kyselyPool: PostgresPool = { connect: () => choose().connectForKysely(), end: async () => {}, options: {} };
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: kyselyPool }) });
  let closing: Promise<void> | undefined;

  return {
    gatherMs,

    /** Kysely typed with the tables of the calling feature. */
    tables: <T>(): Kysely<T> => kysely as unknown as Kysely<T>,

    /** For hot paths: parsed once per connection, answered or refused within about two seconds. */
    async prepared<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
      const attempt = () => choose().runPrepared(statement, values, preparedLimitMs);
      return (await repeatAfterConflict(preparedLimitMs, attempt)) as Row[];
    },

    /**
     * All statements of `work` or none, answered or refused within about ten seconds. Nothing else may be awaited inside, and `work` is done
     * anew when the database undid it because of another transaction.
     */
    async transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
      return await repeatAfterConflict(queryLimitMs, () => runTransaction(choose(), work));
    },

    async isReachable(): Promise<boolean> {
      const probe = main.runPrepared(reachableStatement, [], reachableLimitMs).then(
        () => true,
        () => false,
      );
      const timer = new AbortController();
      const tooLate = delay(reachableLimitMs, false, { signal: timer.signal }).catch(() => false);
      try {
        return await Promise.race([probe, tooLate]);
      } finally {
        timer.abort();
      }
    },

    counts: () => countPool(main.pool),
    pageCounts: () => countPool(pages.pool),

    close(): Promise<void> {
      closing ??= Promise.all([...new Set([main.pool, pages.pool])].map((pool) => pool.end())).then(() => {});
      return closing;
    },
  };
}

const countPool = (pool: pg.Pool) => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount });

/** Without a name it is planned each time. */
export type Statement = { name: string; text: string };

export type Sql = <Row>(statement: Statement, values: unknown[]) => Promise<Row[]>;

const begin: Statement = { name: "", text: "BEGIN" };
const commit: Statement = { name: "", text: "COMMIT" };
const rollback: Statement = { name: "", text: "ROLLBACK" };
const reachableStatement: Statement = { name: "is_reachable", text: "SELECT 1" };
const sessionSetupLimitMs = 1_000;
const queryLimitMs = 10_000;
// Whoever waits for it is answered within two seconds, also who has to wait for a connection first.
const preparedLimitMs = 1_700;
const connectLimitMs = preparedLimitMs;
const preparedFloorMs = 250;
const reachableLimitMs = 1_000;

// Sent after connecting, not as startup parameters: poolers such as PgBouncer refuse startup parameters they do not know.
// The server gives up just before the client does, so a slow statement does not cost its connection.
const sessionSetup = (limitMs: number) => [
  `SET statement_timeout = ${limitMs - 500}`,
  `SET idle_in_transaction_session_timeout = ${queryLimitMs}`,
  `SET tcp_user_timeout = ${queryLimitMs}`,
];
const byKeySetup = ["SET enable_seqscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off"];

// The pool waits for the promise, although its type asks for nothing.
const createSessionSetup = (settings: string[]): ((client: pg.ClientBase) => unknown) => {
  const setup: TimedQuery = { text: settings.join("; "), query_timeout: sessionSetupLimitMs };
  return (client) => client.query(setup);
};

type PoolOptions = Required<Omit<DatabaseOptions, "slowStatements" | "pagePoolSize" | "gatherMs">>;

function openPool({ target, applicationName, poolSize, onlyByKey, limitMs, log }: PoolOptions): pg.Pool {
  const settings = [...sessionSetup(limitMs), ...(onlyByKey ? byKeySetup : [])];
  const pool = new pg.Pool({
    ...target,
    // A unix socket speaks no TLS, whatever PGSSLMODE says.
    ...("host" in target && target.host.startsWith("/") ? { ssl: false } : {}),
    application_name: applicationName,
    max: poolSize,
    connectionTimeoutMillis: connectLimitMs,
    query_timeout: limitMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
    // A setting would stay in a session that others get next.
    ...(isPooled(target) ? {} : { onConnect: createSessionSetup(settings) }),
  });
  // Not the whole error: the pool hangs the client with its connection settings onto it.
  pool.on("error", (error) => log.warn({ reason: error.message }, "An idle database connection was lost."));
  // The pool listens only while a client is idle; without a listener a socket error between two statements ends the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

const isPooled = (target: ConnectionTarget): boolean => "isPooled" in target && target.isPooled === true;

type Row = Record<string, unknown>;
type TimedQuery = pg.QueryConfig & { query_timeout: number };

type ConnectionOptions = {
  slowStatements: SlowStatements | undefined;
  /** Whether a statement that one transaction prepared is there for the next. */
  keepsStatements: boolean;
};

function createConnections(pool: pg.Pool, { slowStatements, keepsStatements }: ConnectionOptions) {
  const bornIn = new WeakMap<pg.PoolClient, number>();
  let generation = 0;
  let lastAnswerAt = 0;

  pool.on("connect", (client: pg.PoolClient) => {
    bornIn.set(client, generation);
  });

  async function take(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (bornIn.get(client) === generation) return client;
      client.release(true);
    }
  }

  /** Marks all connections as suspect when nothing at all was answered since the lost statement began: a black hole took them together. */
  function noteFailure(error: unknown, startedAt: number): void {
    if (isReadTimeout(error) && lastAnswerAt < startedAt) generation += 1;
  }

  async function query(client: pg.PoolClient, config: pg.QueryConfig | TimedQuery): Promise<pg.QueryResult<Row>> {
    const startedAt = performance.now();
    try {
      const result = await client.query<Row>(keepsStatements ? config : { ...config, name: "" });
      lastAnswerAt = performance.now();
      return result;
    } catch (error) {
      noteFailure(error, startedAt);
      throw error;
    } finally {
      slowStatements?.note(config.text, performance.now() - startedAt);
    }
  }

  function countDown(limitMs: number): () => number {
    const startedAt = performance.now();
    return () => Math.max(preparedFloorMs, Math.ceil(limitMs - (performance.now() - startedAt)));
  }

  async function runPrepared(statement: Statement, values: unknown[], limitMs: number): Promise<unknown[]> {
    const remainingMs = countDown(limitMs);
    let discard = false;
    let client: pg.PoolClient | undefined;
    try {
      client = await take();
      try {
        return (await query(client, { ...statement, values, query_timeout: remainingMs() })).rows;
      } catch (error) {
        discard = isDatabaseUnavailable(error) || isStalePreparedStatement(error);
        if (!isStalePreparedStatement(error)) throw error;
        return (await query(client, { text: statement.text, values, query_timeout: remainingMs() })).rows;
      }
    } catch (error) {
      throw asRefusalWhenUnavailable(error);
    } finally {
      client?.release(discard);
    }
  }

  async function connectForKysely(): Promise<PostgresPoolClient> {
    const client = await take().catch((error: unknown) => {
      throw asRefusalWhenUnavailable(error);
    });
    let broken: unknown;
    // Kysely sends a rollback after a failure and releases without an error: a lost connection must get neither.
    const run = async (text: string, values: readonly unknown[]) => {
      if (broken !== undefined) throw broken;
      try {
        return await query(client, { text, values: [...values], query_timeout: queryLimitMs });
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        broken = asRefusalWhenUnavailable(error);
        throw broken;
      }
    };
    const release = (destroy?: boolean) => client.release(destroy === true || broken !== undefined);
    return { query: run as unknown as PostgresPoolClient["query"], release };
  }

  return { take, query, runPrepared, connectForKysely };
}

type Connections = Pick<ReturnType<typeof createConnections>, "take" | "query">;

async function runTransaction<Result>(
  { take, query }: Connections,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  let client: pg.PoolClient | undefined;
  let broken = false;
  const run = async (statement: Statement, values: unknown[]) => {
    try {
      return (await query(client as pg.PoolClient, { ...statement, values })).rows;
    } catch (error) {
      broken ||= isDatabaseUnavailable(error) || isStalePreparedStatement(error);
      throw error;
    }
  };
  try {
    client = await take();
    try {
      await run(begin, []);
      const result = await work(run as Sql);
      await run(commit, []);
      return result;
    } catch (error) {
      // When the rollback fails too the connection is given up, and with it the transaction.
      if (!broken) await run(rollback, []).catch(() => (broken = true));
      throw error;
    }
  } catch (error) {
    throw asRefusalWhenUnavailable(error);
  } finally {
    client?.release(broken);
  }
}

const int8Oid = 20;

function getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
  if (oid === int8Oid && format !== "binary") return parseInt8;
  return pg.types.getTypeParser(oid, format as "text") as (text: string) => unknown;
}

function parseInt8(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}
