import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

type Load = {
  url: string;
  method?: string;
  body: string;
  headers: Record<string, string>;
  connections: number;
  forMs: number;
  status?: number;
  /** For floods, which may be refused. */
  anyStatus?: boolean;
  /** Of all connections together; as fast as answers come when left out. */
  perSecond?: number;
};

/**
 * Sends one request after the other on each connection and counts complete answers with the expected status. It shares the machine with what it
 * measures, so it is cheap: the same bytes each time, one listener for each connection, and no more of an answer is looked at than says where it ends.
 */
export async function sendRequests(load: Load) {
  const startedAt = performance.now();
  const until = startedAt + load.forMs;
  const latenciesMs: number[] = [];
  const bytes = toBytes(load);
  await Promise.all(
    Array.from({ length: load.connections }, () => runConnection(load, { bytes, until, startedAt, latenciesMs })),
  );
  return {
    count: latenciesMs.length,
    perSecond: latenciesMs.length / ((performance.now() - startedAt) / 1000),
    latenciesMs,
  };
}

function toBytes({ url, method = "POST", body, headers }: Load): Buffer {
  const { host, pathname, search } = new URL(url);
  const given = {
    Host: host,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

type Shared = { bytes: Buffer; until: number; startedAt: number; latenciesMs: number[] };

function runConnection(load: Load, { bytes, until, startedAt, latenciesMs }: Shared): Promise<void> {
  const { hostname, port } = new URL(load.url);
  const start = load.anyStatus ? "HTTP/1.1 " : `HTTP/1.1 ${load.status ?? 200}`;
  const pauseMs = load.perSecond === undefined ? 0 : (1_000 * load.connections) / load.perSecond;
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  return new Promise<void>((resolve, reject) => {
    let [sentAt, dueAt] = [0, startedAt];
    let pending: Buffer | undefined;
    const settle = (error?: Error) => {
      socket.removeAllListeners().on("error", () => {});
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    const send = () => {
      sentAt = performance.now();
      if (sentAt >= until) settle();
      else socket.write(bytes);
    };
    const sendWhenDue = () => {
      dueAt += pauseMs;
      const waitMs = dueAt - performance.now();
      if (pauseMs > 0 && waitMs > 0) void delay(waitMs).then(send);
      else send();
    };
    socket.on("data", (chunk) => {
      pending = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
      if (!isComplete(pending)) return;
      if (pending.toString("latin1", 0, start.length) !== start)
        return settle(new Error(pending.toString("latin1", 0, 2_000)));
      pending = undefined;
      latenciesMs.push(performance.now() - sentAt);
      sendWhenDue();
    });
    socket.on("error", settle);
    socket.on("close", () =>
      settle(new Error(`The connection was closed after: ${pending?.toString("latin1", 0, 200)}`)),
    );
    sendWhenDue();
  });
}

function isComplete(received: Buffer): boolean {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString("latin1", 0, end + 2))?.[1];
  if (length === undefined) return received.toString("latin1", received.length - 7) === "\r\n0\r\n\r\n";
  return received.length >= end + 4 + Number(length);
}
