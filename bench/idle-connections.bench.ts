import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { listPostgres, listTree } from "../test/support/processes.ts";
import { createDataDir, startServer } from "../test/support/spawned-server.ts";
import { createKey } from "./create-key.ts";
import { measureMemory } from "./measure-memory.ts";
import { reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// Clients that asked once, with their key, and keep the connection: what they weigh, and whether others still get their answers.
const bench = "idle-connections";
const connections = 10_000;
const opening = 100;
const settleMs = 3_000;
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

const { dataDir, remove } = createDataDir();
const environment = { RATE_LIMIT_API_KEY_PER_MINUTE: "10000000", LOG_LEVEL: "warn" };
const server = await startServer({ dataDir, roles: "gateway", environment });
const sockets: Socket[] = [];
try {
  const headers = { Accept: "application/json", "X-API-Key": await createKey(dataDir, "idle") };
  const url = `${server.gatewayUrl}/system/mcp`;
  const measure = () => sendRequests({ url, body, headers, connections: 1, forMs: 2_000 });
  // As many requests as are to come, so that only the connections make a difference.
  for (let sent = 0; sent < connections; )
    sent += (await sendRequests({ url, body, headers, connections: 64, forMs: 1_000 })).count;
  const quiet = await measure();
  const before = await weigh();

  const { port } = new URL(url);
  const request = Object.entries({ Host: `localhost:${port}`, "Content-Type": "application/json", ...headers });
  const lines = request.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const bytes = `POST /system/mcp HTTP/1.1\r\n${lines}Content-Length: ${body.length}\r\n\r\n${body}`;
  for (let opened = 0; opened < connections; opened += opening)
    sockets.push(
      ...(await Promise.all(Array.from({ length: opening }, (_, index) => open(Number(port), bytes, opened + index)))),
    );
  const after = await weigh();
  const busy = await measure();
  const alive = sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length;

  reportFigure({
    bench,
    figure: "connections open at the end",
    value: alive,
    unit: "connections",
    bar: { atLeast: connections },
  });
  const growth = after - before;
  reportFigure({
    bench,
    figure: `memory growth with ${connections} idle connections`,
    value: growth,
    unit: "MB",
    bar: { atMost: 200 },
  });
  reportFigure({ bench, figure: "memory of one idle connection", value: (growth / connections) * 1024, unit: "KB" });
  const baseline = "without idle connections";
  const [value, baselineValue] = [p95(busy.latenciesMs), p95(quiet.latenciesMs)];
  reportFigure({ bench, figure: "p95 of a ping beside them", value, unit: "ms", baseline, baselineValue });
} finally {
  for (const socket of sockets) socket.destroy();
  await server.stop();
  await remove();
}

/** Each thousand from an address of its own, because one address has few ports to call from. */
async function open(port: number, bytes: string, index: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, localAddress: `127.0.1.${1 + Math.floor(index / 1000)}` });
  socket.on("error", () => {});
  socket.write(bytes);
  const [answer] = (await once(socket, "data")) as [Buffer];
  if (!answer.toString().startsWith("HTTP/1.1 200")) throw new Error(answer.toString());
  return socket;
}

async function weigh(): Promise<number> {
  await delay(settleMs);
  const postgres = new Set(listPostgres(dataDir));
  return measureMemory(listTree(server.pid).filter((pid) => !postgres.has(pid))).pss;
}

function p95(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}
