import type pg from "pg";
import { Refusal } from "../../base/refusal.ts";
import type { ActionCall } from "../../contract/call.ts";
import { providerFailure } from "../../contract/http.ts";
import { nameColumns } from "../../contract/name-columns.ts";
import { adviseAuthority, connectionFailure, tlsForName, unlessAborted } from "../../contract/server-connection.ts";

export type Login = {
  host: string;
  port?: number | undefined;
  database: string;
  user: string;
  password?: string | undefined;
  ssl: "disable" | "require" | "verify";
  ca?: string | undefined;
};

export type PostgresCall = Pick<ActionCall<unknown, Login>, "credential" | "resolveHost" | "signal">;

export type PostgresSession = ReturnType<typeof createSession>;

type Rows = { rows: Record<string, unknown>[]; rowCount: number };

/** One session for one call. An abort also ends the statement on the server; the connection is closed in any case. */
export async function withPostgres<Result>(
  { credential, resolveHost, signal }: PostgresCall,
  work: (session: PostgresSession) => Promise<Result>,
): Promise<Result> {
  const { host } = credential;
  const address = await resolveHost(host);
  const { default: library } = await import("pg");
  const options = describeConnection(library, credential, address);
  const client = new library.Client(options) as Client;
  // A connection that breaks also fails the running statement; an unheard event would end the process.
  client.on("error", () => {});
  const limit = { isExceeded: false };
  const breakOff = async () => {
    try {
      await cancelStatement(library, client, options);
    } finally {
      client.connection.stream.destroy();
    }
  };
  try {
    return await unlessAborted(signal, breakOff, async () => {
      await client.connect();
      limitAnswer(client, limit);
      return await work(createSession(client));
    });
  } catch (error) {
    if (limit.isExceeded) throw tooLarge;
    throw signal.aborted ? error : explain(error, host);
  } finally {
    void client.end().catch(() => {});
    client.connection.stream.destroySoon();
  }
}

const connectLimitMs = 10_000;
const cancelLimitMs = 3_000;
const answerLimitBytes = 10 * 1024 * 1024;

export const tooLarge = new Refusal(
  "provider_error",
  "PostgreSQL's answer is larger than 10 MB and was broken off. Ask for fewer rows or columns.",
);

// What the library has but its types do not say.
type Wire = pg.Connection & {
  stream: pg.Connection["stream"] & { destroySoon: () => void };
  connect: (port: number, host: string) => void;
  requestSsl: () => void;
  cancel: (processId: number, secretKey: unknown) => void;
};
type Client = pg.Client & { connection: Wire; processID: number | null; secretKey: unknown };

type ConnectionOptions = ReturnType<typeof describeConnection>;

function describeConnection(
  library: typeof pg,
  { host, port = 5432, database, user, password = "", ssl, ca }: Login,
  address: string,
) {
  return {
    host: address,
    port,
    database,
    user,
    // As a function, because otherwise an empty one is looked up in the environment and in ~/.pgpass.
    password: () => password,
    ssl: ssl === "disable" ? false : tlsForName(host, { isVerified: ssl !== "require", ca }),
    connectionTimeoutMillis: connectLimitMs,
    application_name: "switchyard",
    types: { getTypeParser: (type: number) => readerOf(library, type) },
  };
}

function createSession(client: Client) {
  return {
    /** Statements that are our own text, several in one go. */
    command: async (text: string): Promise<void> => void (await client.query(text)),
    /** Exactly one statement: the extended protocol takes no more. */
    async execute(text: string, values: unknown[]): Promise<Rows> {
      const question = { text, values, rowMode: "array" as const, queryMode: "extended" };
      const { rows, fields, rowCount } = await client.query<unknown[]>(question);
      const names = nameColumns(fields.map(({ name }) => name));
      return {
        rows: rows.map((row) => Object.fromEntries(names.map((name, column) => [name, row[column]]))),
        rowCount: rowCount ?? 0,
      };
    },
  };
}

/** From the first SELECT on nothing in this transaction can make it writable again. */
export async function beginReading({ command }: PostgresSession): Promise<void> {
  await command(`BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = '${statementLimit}'; SELECT 1`);
}

// For the case that nobody is left to cancel the statement.
const statementLimit = "10min";

/** Counts on the wire, so that one huge value does not get into memory either. */
function limitAnswer({ connection: { stream } }: Client, limit: { isExceeded: boolean }): void {
  let received = 0;
  stream.on("data", ({ length }: Buffer) => {
    received += length;
    if (received <= answerLimitBytes) return;
    limit.isExceeded = true;
    stream.destroy();
  });
}

/** The protocol's own way, which needs no free connection slot and also works through connection poolers. */
async function cancelStatement(
  library: typeof pg,
  { processID, secretKey }: Client,
  { host, port, ssl }: ConnectionOptions,
): Promise<void> {
  if (processID === null) return;
  const wire = new library.Connection({ ssl }) as Wire;
  const { promise, resolve } = Promise.withResolvers<void>();
  const send = () => wire.cancel(processID, secretKey);
  wire.on("error", () => resolve());
  wire.on("end", () => resolve());
  wire.on("connect", () => (ssl === false ? send() : wire.requestSsl()));
  wire.on("sslconnect", send);
  const timer = setTimeout(resolve, cancelLimitMs);
  wire.connect(port, host);
  await promise;
  clearTimeout(timer);
  wire.stream.destroy();
}

function explain(error: unknown, host: string): Refusal {
  const isFromServer = error instanceof Error && "severity" in error && "code" in error;
  if (isFromServer) {
    const detail = "detail" in error && typeof error.detail === "string" ? ` (${error.detail})` : "";
    return providerFailure("PostgreSQL", { code: String(error.code), message: `${error.message}${detail}` });
  }
  if (error instanceof Error && error.message.includes("does not support SSL"))
    return new Refusal("provider_unreachable", `${host} does not offer TLS, and the credential asks for it.`, {
      effect: "none",
    });
  return connectionFailure(host, error, adviseAuthority);
}

type Reader = (text: string) => unknown;

const readNumber: Reader = (text) => (Number.isFinite(Number(text)) ? Number(text) : text);
const readJson: Reader = (text) => JSON.parse(text) as unknown;
// Keeps microseconds and the server's offset, which a Date would lose.
const readTime: Reader = (text) =>
  text.replace(/^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d(?!:))?/, (_all, day, time, offset = "") => {
    const zone = offset === "+00" ? "Z" : offset === "" ? "" : `${String(offset)}:00`;
    return `${String(day)}T${String(time)}${zone}`;
  });
const readBytes: Reader = (text) => Buffer.from(text.slice(2), "hex").toString("base64");

/** By the type's number in the server's catalogue. What is not listed stays the server's text, so that no digit is lost. */
const readers = new Map<number, Reader>([
  [16, (text) => text === "t"],
  [17, readBytes],
  [21, readNumber],
  [23, readNumber],
  [26, readNumber],
  [114, readJson],
  [700, readNumber],
  [701, readNumber],
  [1114, readTime],
  [1184, readTime],
  [3802, readJson],
]);

/** Array types and the type of their elements. */
const elementTypes = new Map<number, number>([
  ...([
    [1000, 16],
    [1001, 17],
    [1005, 21],
    [1007, 23],
    [1028, 26],
    [199, 114],
    [1021, 700],
    [1022, 701],
  ] as const),
  ...([
    [1115, 1114],
    [1185, 1184],
    [3807, 3802],
    [1009, 25],
    [1014, 1042],
    [1015, 1043],
    [1002, 18],
    [1003, 19],
  ] as const),
  ...([
    [1016, 20],
    [1231, 1700],
    [1182, 1082],
    [1183, 1083],
    [2951, 2950],
    [1041, 869],
    [1187, 1186],
  ] as const),
]);

function readerOf(library: typeof pg, type: number): Reader {
  const element = elementTypes.get(type);
  if (element === undefined) return readers.get(type) ?? String;
  const { create } = library.types.arrayParser as unknown as {
    create: (text: string, read: Reader) => { parse: () => unknown[] };
  };
  return (text) => create(text, readers.get(element) ?? String).parse();
}
