import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { listPostgres, listTree } from "../test/support/processes.ts";
import { createDataDir, runSwitchyard, startServer } from "../test/support/spawned-server.ts";
import { median, reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// A whole call of the product, with key, slot and two committed rows, next to the same tool on the official SDK without any of that.
// This process is the load generator; each server has a process of its own.
const bench = "tool-call";
const tool = "system_date_time";
const rounds = 5;
const roundMs = 2_000;
const eras = {
  "2026-07-28": {
    headers: { "Mcp-Method": "tools/call", "Mcp-Name": tool, "MCP-Protocol-Version": "2026-07-28" },
    meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} },
  },
  "2025-11-25": { headers: { "MCP-Protocol-Version": "2025-11-25" }, meta: {} },
};
type Era = keyof typeof eras;

const { dataDir, remove } = createDataDir();
const environment = {
  RATE_LIMIT_API_KEY_PER_MINUTE: "10000000",
  SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1000",
  LOG_LEVEL: "warn",
};
const server = await startServer({ dataDir, environment });
const sdk = spawn(process.execPath, ["bench/sdk-server.ts"], { stdio: ["ignore", "pipe", "inherit"] });
try {
  const [line] = (await once(sdk.stdout, "data")) as [Buffer];
  const targets = {
    product: { url: `${server.gatewayUrl}/system/mcp`, own: { "X-API-Key": await createKey() }, pids: productPids },
    sdk: { url: `${String(line).trim()}/mcp`, own: {}, pids: () => ({ server: [sdk.pid ?? 0], postgres: [] }) },
  };
  const both = Object.keys(eras) as Era[];
  for (const era of both) for (const target of Object.values(targets)) await requireSuccess(era, target);
  // Code gets faster while it is new; nobody may profit from coming later.
  for (let round = 0; round < 2; round++)
    for (const era of both) for (const target of Object.values(targets)) await measure(era, target, 64);
  await compare(both, targets);
} finally {
  sdk.kill();
  await server.stop();
  await remove();
}

type Target = { url: string; own: Record<string, string>; pids: () => { server: number[]; postgres: number[] } };
type Speed = Awaited<ReturnType<typeof measure>>;

// A disk may take 0.05 ms for a commit in one minute and 4 ms in the next, so the eras take turns.
async function compare(compared: Era[], targets: { product: Target; sdk: Target }): Promise<void> {
  const none = () => ({ product: [] as Speed[], sdk: [] as Speed[] });
  const speeds = compared.map((era) => ({ era, many: none(), one: none() }));
  for (let round = 0; round < rounds; round++)
    for (const { era, many, one } of speeds)
      for (const kind of ["sdk", "product"] as const) {
        many[kind].push(await measure(era, targets[kind], 64));
        one[kind].push(await measure(era, targets[kind], 1));
      }
  for (const { era, many, one } of speeds) report(era, many, one);
}

function report(era: Era, many: { product: Speed[]; sdk: Speed[] }, one: { product: Speed[]; sdk: Speed[] }): void {
  const middle = (speeds: Speed[], part: keyof Speed) => median(speeds.map((speed) => speed[part]));
  const versus = (speeds: { product: Speed[]; sdk: Speed[] }, part: keyof Speed) => ({
    value: middle(speeds.product, part),
    baseline: "SDK v2 McpServer without authentication or database",
    baselineValue: middle(speeds.sdk, part),
  });
  const say = (figure: string) => ({ bench, figure: `${era}, ${figure}` });
  const ratio = middle(many.product, "perSecond") / middle(many.sdk, "perSecond");
  const calls = versus(many, "perSecond");
  reportFigure({ ...say("calls per second, 64 connections"), unit: "1/s", ...calls, bar: { atLeast: 3_000 } });
  reportFigure({ ...say("rate over the SDK's, 64 connections"), unit: "×", value: ratio, bar: { atLeast: 3 } });
  reportFigure({ ...say("p50, 64 connections"), unit: "ms", ...versus(many, "p50Ms") });
  reportFigure({ ...say("p99, 64 connections"), unit: "ms", ...versus(many, "p99Ms"), bar: { atMost: 60 } });
  reportFigure({
    ...say("processor time of the server per call, 64 connections"),
    unit: "µs",
    ...versus(many, "serverMicroseconds"),
  });
  reportFigure({
    ...say("processor time of PostgreSQL per call, 64 connections"),
    unit: "µs",
    value: middle(many.product, "postgresMicroseconds"),
  });
  reportFigure({ ...say("calls per second, one connection"), unit: "1/s", ...versus(one, "perSecond") });
  reportFigure({ ...say("p50, one connection"), unit: "ms", ...versus(one, "p50Ms"), bar: { atMost: 2 } });
  reportFigure({ ...say("p99, one connection"), unit: "ms", ...versus(one, "p99Ms") });
}

async function measure(era: Era, target: Target, connections: number) {
  const pids = target.pids();
  const [serverTime, postgresTime] = [startCpuClock(pids.server), startCpuClock(pids.postgres)];
  const { body, headers } = createCall(era, target);
  const { count, perSecond, latenciesMs } = await sendRequests({
    url: target.url,
    body,
    headers,
    connections,
    forMs: roundMs,
  });
  const sorted = latenciesMs.toSorted((first, second) => first - second);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return {
    perSecond,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    serverMicroseconds: serverTime() / count,
    postgresMicroseconds: postgresTime() / count,
  };
}

function createCall(era: Era, { own }: Target) {
  const { headers, meta } = eras[era];
  const params = { name: tool, arguments: {}, _meta: meta };
  return {
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    headers: { Accept: "application/json, text/event-stream", ...headers, ...own },
  };
}

/** A refusal is also answered with status 200, and quickly. */
async function requireSuccess(era: Era, target: Target): Promise<void> {
  const { body, headers } = createCall(era, target);
  const response = await fetch(target.url, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", ...headers },
  });
  const text = await response.text();
  if (!text.includes('"structuredContent"') || text.includes('"isError":true'))
    throw new Error(`${target.url} answered ${text}`);
}

/** Processor time in microseconds since now, of the processes that are still there then: PostgreSQL ends some of its own at will. */
function startCpuClock(pids: number[]): () => number {
  const microsecondsPerTick = 10_000;
  const before = pids.map((pid) => ({ pid, ticks: readTicks(pid) ?? 0 }));
  return () =>
    before.reduce((sum, { pid, ticks }) => sum + ((readTicks(pid) ?? ticks) - ticks) * microsecondsPerTick, 0);
}

function readTicks(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return undefined;
  }
}

function productPids() {
  const postgres = listPostgres(dataDir);
  return { postgres, server: listTree(server.pid).filter((pid) => !postgres.includes(pid)) };
}

async function createKey(): Promise<string> {
  const run = async (words: string[]) =>
    JSON.parse((await runSwitchyard(words, { SWITCHYARD_DATA_DIR: dataDir })).stdout) as Record<string, string>;
  const owner = ["--email", "ann@example.com", "--password", "correct horse battery", "--organization", "Bench"];
  const { organizationId = "" } = await run(["setup", ...owner]);
  const { key = "" } = await run([
    "keys",
    "create",
    "--organization",
    organizationId,
    "--name",
    "bench",
    "--scope",
    "mcp:invoke",
  ]);
  return key;
}
