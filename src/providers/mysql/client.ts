import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Connection, ConnectionOptions, FieldPacket } from "mysql2";
import { Refusal } from "../../base/refusal.ts";
import type { ActionCall } from "../../contract/call.ts";
import { providerFailure } from "../../contract/http.ts";
import { nameColumns } from "../../contract/name-columns.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { adviseAuthority, connectionFailure, trusting, unlessAborted } from "../../contract/server-connection.ts";

export type Login = {
  host: string;
  port?: number | undefined;
  database: string;
  user: string;
  password?: string | undefined;
  ssl: "disable" | "require" | "verify";
  ca?: string | undefined;
};

export type MysqlCall = Pick<ActionCall<unknown, Login>, "credential" | "resolveHost" | "signal">;

type MysqlSession = ReturnType<typeof createSession>;

type Row = Record<string, unknown>;
type Scalar = string | number | boolean | null;

/** One session for one call. An abort also ends the statement on the server; the connection is closed in any case. */
export async function withMysql<Result>(
  { credential, resolveHost, signal }: MysqlCall,
  work: (session: MysqlSession) => Promise<Result>,
): Promise<Result> {
  const { host, port = 3306 } = credential;
  const address = await resolveHost(host);
  const { createConnection } = await import("mysql2");
  const open = () =>
    createConnection(describeConnection(credential, () => connect({ host: address, port }))) as Session;
  const session = open();
  // The library does not tell a statement whose rows are being read that the connection broke.
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  session.on("error", broken.reject);
  const limit = { isExceeded: false };
  const breakOff = async () => {
    try {
      await killStatement(session.threadId, open);
    } finally {
      session.stream.destroy();
    }
  };
  try {
    return await unlessAborted(signal, breakOff, async () => {
      await untilConnected(session);
      limitAnswer(session, limit);
      return await Promise.race([work(createSession(session)), broken.promise]);
    });
  } catch (error) {
    if (limit.isExceeded) throw tooLarge;
    throw signal.aborted ? error : explain(error, host);
  } finally {
    session.destroy();
    session.stream.destroy();
  }
}

const connectLimitMs = 10_000;
const cancelLimitMs = 3_000;
const answerLimitBytes = 10 * 1024 * 1024;

export const tooLarge = new Refusal(
  "provider_error",
  "MySQL's answer is larger than 10 MB and was broken off. Ask for fewer rows or columns.",
);

// What the library has but its types do not say.
type Session = Connection & { stream: Socket };
type Statement = { columns: unknown[]; execute: (values: unknown[]) => { stream: () => Readable } };

function describeConnection(
  { host, database, user, password = "", ssl, ca }: Login,
  stream: () => Socket,
): ConnectionOptions {
  const isVerified = ssl !== "require";
  return {
    // Only for the certificate: where to connect is the stream's affair.
    host,
    stream,
    database,
    user,
    password,
    ...(ssl === "disable"
      ? {}
      : { ssl: { rejectUnauthorized: isVerified, verifyIdentity: isVerified, ...trusting(ca) } }),
    connectTimeout: connectLimitMs,
    // No reading of our files for the server, and rows that were changed instead of rows that were found.
    flags: ["-LOCAL_FILES", "-FOUND_ROWS"],
    multipleStatements: false,
    disableEval: true,
    rowsAsArray: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
  };
}

function createSession(session: Session) {
  return {
    /** One statement with its whole answer; the first result when a procedure gives several. */
    async execute(sql: string, values: unknown[]): Promise<{ rows: Row[]; rowCount: number; insertId?: string }> {
      const { result, fields } = await new Promise<{ result: unknown; fields: unknown }>((resolve, reject) => {
        const done = (error: Error | null, found: unknown, columns: unknown) =>
          error ? reject(error) : resolve({ result: found, fields: columns });
        // Not every statement can be prepared, so only those with parameters are.
        if (values.length === 0) session.query(sql, done);
        else session.execute(sql, values.map(toParameter), done);
      });
      const isProcedure = Array.isArray(fields) && fields.some((entry) => entry === undefined || Array.isArray(entry));
      const [columns, rows] = isProcedure ? [(fields as unknown[])[0], (result as unknown[])[0]] : [fields, result];
      if (!Array.isArray(columns) || !Array.isArray(rows)) {
        const insertId = textAt(rows, "insertId") ?? "0";
        return { rows: [], rowCount: integerAt(rows, "affectedRows") ?? 0, ...(insertId !== "0" && { insertId }) };
      }
      const named = toColumns(columns as FieldPacket[]);
      return { rows: rows.map((row: unknown[]) => toRow(row, named)), rowCount: rows.length };
    },

    /**
     * Rows of one statement, no further than the limit. The server itself says whether a statement gives rows: CALL, compound statements
     * and SELECT … INTO OUTFILE do not, and these are what a read-only transaction would not stop.
     */
    async read(sql: string, values: unknown[], limit: number): Promise<Row[]> {
      const statement = await new Promise<Statement>((resolve, reject) => {
        session.prepare(sql, (error, prepared) => (error ? reject(error) : resolve(prepared as unknown as Statement)));
      });
      if (statement.columns.length === 0) {
        const detail = "changes something or gives no rows: mysql_query only reads, so use mysql_execute for it";
        throw refuseInput("/sql", detail);
      }
      const stream = statement.execute(values.map(toParameter)).stream();
      let columns: Column[] = [];
      stream.on("fields", (found: FieldPacket[]) => {
        columns = toColumns(found);
      });
      const rows: Row[] = [];
      for await (const row of stream as AsyncIterable<unknown[]>) {
        rows.push(toRow(row, columns));
        if (rows.length === limit) break;
      }
      return rows;
    },
  };
}

/** From here on the server refuses what changes something. */
export async function beginReading({ execute }: MysqlSession): Promise<void> {
  await execute(`SET ${statementLimit}`, []);
  await execute("SET SESSION TRANSACTION READ ONLY", []);
  await execute("START TRANSACTION READ ONLY", []);
}

// For the case that nobody is left to cancel the statement. MariaDB takes the first in seconds, MySQL the second in milliseconds.
const statementLimit = "/*M!100101 SESSION max_statement_time = 600 */ /*!50708 SESSION max_execution_time = 600000 */";

async function untilConnected(session: Session): Promise<void> {
  await new Promise<void>((resolve, reject) => session.connect((error) => (error ? reject(error) : resolve())));
}

/** Counts on the wire, so that one huge value does not get into memory either. */
function limitAnswer({ stream }: Session, limit: { isExceeded: boolean }): void {
  let received = 0;
  stream.on("data", ({ length }: Buffer) => {
    received += length;
    if (received <= answerLimitBytes) return;
    limit.isExceeded = true;
    stream.destroy(new Error("too large"));
  });
}

async function killStatement(threadId: number | null, open: () => Session): Promise<void> {
  if (threadId === null) return;
  const session = open();
  session.on("error", () => {});
  const timer = setTimeout(() => session.stream.destroy(new Error("too slow")), cancelLimitMs);
  try {
    await untilConnected(session);
    await createSession(session).execute(`KILL QUERY ${threadId}`, []);
  } finally {
    clearTimeout(timer);
    session.destroy();
    session.stream.destroy();
  }
}

function explain(error: unknown, host: string): Refusal {
  const message = textAt(error, "sqlMessage");
  if (message !== undefined)
    return providerFailure("MySQL", { code: textAt(error, "code") ?? textAt(error, "errno"), message });
  const code = textAt(error, "code");
  if (code === "HANDSHAKE_NO_SSL_SUPPORT")
    return new Refusal("provider_unreachable", `${host} does not offer TLS, and the credential asks for it.`, {
      effect: "none",
    });
  if (code === "HANDSHAKE_SSL_ERROR" && error instanceof Error) {
    const advice = adviseAuthority(error.message);
    return new Refusal("provider_unreachable", `TLS with ${host} failed: ${error.message.slice(0, 200)}.${advice}`, {
      effect: "none",
    });
  }
  return connectionFailure(host, error, adviseAuthority);
}

const toParameter = (value: unknown): Scalar =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : (value as Scalar);

const timeTypes = new Set([7, 12]);

type Column = { name: string; columnType: number | undefined };

/** Once for all rows of an answer. */
function toColumns(fields: FieldPacket[]): Column[] {
  const names = nameColumns(fields.map(({ name }) => name));
  return fields.map(({ columnType }, index) => ({ name: names[index] ?? "", columnType }));
}

const toRow = (row: unknown[], columns: Column[]): Row =>
  Object.fromEntries(columns.map(({ name, columnType }, index) => [name, toValue(row[index], columnType)]));

function toValue(value: unknown, columnType: number | undefined): unknown {
  if (Buffer.isBuffer(value)) return value.toString("base64");
  if (typeof value === "string" && timeTypes.has(columnType ?? 0)) return value.replace(" ", "T");
  return value;
}
