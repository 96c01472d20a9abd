import pg from "pg";
import type { Log } from "../base/log.ts";
import type { ConnectionTarget } from "./database.ts";

type ListenOptions = {
  target: ConnectionTarget;
  channel: string;
  applicationName: string;
  log: Log;
  onMessage: (payload: string) => void;
  /** Also after each reconnection: what was announced in between is lost. */
  onConnect: () => void;
};

export type Listener = ReturnType<typeof listen>;

const shortestPauseMs = 100;
const longestPauseMs = 2_000;
const connectLimitMs = 2_000;
const probeIntervalMs = 10_000;

/** A connection of its own that hears what other processes announce, and is opened anew whenever it is lost. */
export function listen({ target, channel, applicationName, log, onMessage, onConnect }: ListenOptions) {
  let client: pg.Client | undefined;
  let isStopped = false;
  let isConnected = false;
  let pauseMs = shortestPauseMs;
  let timer: NodeJS.Timeout | undefined;

  function lose(lost: pg.Client): void {
    if (client !== lost) return;
    client = undefined;
    isConnected = false;
    // Sent good-byes may never arrive, and waiting for them would hold up the next connection.
    lost.end().catch(() => {});
    if (isStopped) return;
    timer = setTimeout(() => void connect(), pauseMs);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({
      ...target,
      ...("host" in target && target.host.startsWith("/") ? { ssl: false } : {}),
      application_name: applicationName,
      connectionTimeoutMillis: connectLimitMs,
      query_timeout: connectLimitMs,
      keepAlive: true,
    });
    client = next;
    next.on("error", () => lose(next));
    next.on("end", () => lose(next));
    next.on("notification", ({ payload }) => onMessage(payload ?? ""));
    try {
      await next.connect();
      await next.query(`LISTEN ${channel}`);
    } catch (error) {
      log.warn({ reason: (error as Error).message, channel }, "other processes cannot be heard right now");
      return lose(next);
    }
    if (client !== next) return;
    isConnected = true;
    pauseMs = shortestPauseMs;
    onConnect();
  }

  // A connection that leads nowhere makes no sound, so it is asked now and then.
  const probe = setInterval(() => {
    const asked = client;
    if (asked && isConnected) asked.query("SELECT 1").catch(() => lose(asked));
  }, probeIntervalMs);
  probe.unref();
  void connect();

  return {
    isConnected: () => isConnected,
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(probe);
      clearTimeout(timer);
      const last = client;
      client = undefined;
      await last?.end().catch(() => {});
    },
  };
}
