import { connect, type Socket } from "node:net";
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

/** Sends one request after the other on each connection and counts complete answers with the expected status. Cheap, because it shares the machine. */
export async function sendRequests({
  url,
  method = "POST",
  body,
  headers,
  connections,
  forMs,
  perSecond: pace,
  ...expected
}: Load) {
  const { hostname, port, pathname, search } = new URL(url);
  const start = expected.anyStatus ? "HTTP/1.1 " : `HTTP/1.1 ${expected.status ?? 200}`;
  const given = {
    Host: `${hostname}:${port}`,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  const until = performance.now() + forMs;
  const startedAt = performance.now();
  const latenciesMs: number[] = [];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let dueAt = startedAt;
      try {
        while (performance.now() < until) {
          if (pace) dueAt += (1_000 * connections) / pace;
          if (dueAt > performance.now()) await delay(dueAt - performance.now());
          const sentAt = performance.now();
          socket.write(bytes);
          await readAnswer(socket, start);
          latenciesMs.push(performance.now() - sentAt);
        }
      } finally {
        socket.destroy();
      }
    }),
  );
  return {
    count: latenciesMs.length,
    perSecond: latenciesMs.length / ((performance.now() - startedAt) / 1000),
    latenciesMs,
  };
}

function readAnswer(socket: Socket, start: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = "";
    const settle = (error?: Error) => {
      socket.off("data", onData).off("error", reject).off("close", onClose);
      if (error) reject(error);
      else resolve();
    };
    const onClose = () => settle(new Error(`The connection was closed after: ${received.slice(0, 200)}`));
    const onData = (chunk: Buffer) => {
      received += chunk.toString("latin1");
      if (!isComplete(received)) return;
      settle(received.startsWith(start) ? undefined : new Error(received.slice(0, 500)));
    };
    socket.on("data", onData).on("error", reject).on("close", onClose);
  });
}

function isComplete(received: string): boolean {
  const end = received.indexOf("\r\n\r\n");
  if (end === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end + 2))?.[1];
  return length === undefined ? received.endsWith("\r\n0\r\n\r\n") : received.length >= end + 4 + Number(length);
}
