import type { Refusal } from "../../base/refusal.ts";
import type { ActionCall } from "../../contract/call.ts";
import { providerFailure } from "../../contract/http.ts";
import { adviseAuthority, connectionFailure, tlsForName, unlessAborted } from "../../contract/server-connection.ts";

export type Login = {
  host: string;
  port: number;
  username?: string | undefined;
  password?: string | undefined;
  database: number;
  tls: boolean;
  ca?: string | undefined;
};

export type RedisCall = Pick<ActionCall<unknown, Login>, "credential" | "resolveHost" | "signal">;

/** Sends one command; texts come back as bytes. */
export type Send = (...command: string[]) => Promise<unknown>;

const connectLimitMs = 10_000;

/** One connection for one call, closed in any case. */
export async function withRedis<Result>(
  { credential, resolveHost, signal }: RedisCall,
  work: (send: Send) => Promise<Result>,
): Promise<Result> {
  const { username, password, ca } = credential;
  const { host, port, database, tls } = readServer(credential);
  const address = await resolveHost(host);
  const { createClient, ErrorReply, RESP_TYPES } = await import("redis");
  const socket = { host: address, port, connectTimeout: connectLimitMs, reconnectStrategy: false as const };
  const client = createClient({
    socket: tls ? { ...socket, ...tlsForName(host, { ca }), tls: true as const } : socket,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    database,
    // The older form of the protocol, which every server and every compatible product speaks.
    RESP: 2,
    disableClientInfo: true,
    commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  });
  // A connection that breaks also fails the running command; an unheard event would end the process.
  client.on("error", () => {});
  try {
    return await unlessAborted(
      signal,
      () => client.destroy(),
      async () => {
        await client.connect();
        return await work(async (...command) => await client.sendCommand<unknown>(command));
      },
    );
  } catch (error) {
    if (signal.aborted) throw error;
    throw error instanceof ErrorReply ? readReply(error) : connectionFailure(host, error, adviseAuthority);
  } finally {
    if (client.isOpen) client.destroy();
  }
}

/** What an address says counts before the fields that say the same. */
function readServer({ host, port = 6379, database = 0, tls }: Login) {
  const url = /^rediss?:\/\//i.test(host.trim()) ? URL.parse(host.trim()) : null;
  if (url === null) return { host, port, database, tls };
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ""),
    port: url.port === "" ? port : Number(url.port),
    database: /^\/\d+$/.test(url.pathname) ? Number(url.pathname.slice(1)) : database,
    tls: tls || url.protocol === "rediss:",
  };
}

/** Redis begins its errors with their code: WRONGPASS invalid username-password pair. */
function readReply({ message }: Error): Refusal {
  const [, code, words] = /^([A-Z]+) (.*)$/s.exec(message) ?? [];
  return providerFailure("Redis", { code, message: words ?? message });
}
