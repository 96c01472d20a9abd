import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { listPostgres, listTree } from "../test/support/processes.ts";
import { createDataDir, runSwitchyard, startServer } from "../test/support/spawned-server.ts";
import { median, reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// The product, with its key verified in the database, next to the same tools on the official SDK without any of that.
const bench = "tools-list";
const rounds = 3;
const roundMs = 2_000;
const figures = [
  ["answers per second, 64 connections", "1/s", "perSecond"],
  ["processor time of the server process per answer", "µs", "cpuMicroseconds"],
  ["99th percentile, 64 connections", "ms", "p99Ms"],
] as const;
const ours = [
  ["product", "with key and database"],
  ["core", "without database"],
] as const;
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const accept = "application/json, text/event-stream";

const requests = {
  "modern tools/list": createRequest(
    "tools/list",
    { _meta: meta },
    { "Mcp-Method": "tools/list", "MCP-Protocol-Version": "2026-07-28" },
  ),
  "legacy tools/list": createRequest("tools/list", {}, { "MCP-Protocol-Version": "2025-11-25" }),
  "modern tools/call of system_date_time": createRequest(
    "tools/call",
    { name: "system_date_time", arguments: {}, _meta: meta },
    { "Mcp-Method": "tools/call", "Mcp-Name": "system_date_time", "MCP-Protocol-Version": "2026-07-28" },
  ),
  "legacy tools/call of system_date_time": createRequest(
    "tools/call",
    { name: "system_date_time", arguments: {} },
    { "MCP-Protocol-Version": "2025-11-25" },
  ),
};

const { dataDir, remove } = createDataDir();
const environment = { RATE_LIMIT_API_KEY_PER_MINUTE: "10000000", LOG_LEVEL: "warn" };
const server = await startServer({ dataDir, environment });
const others = { sdk: startOther("bench/sdk-server.ts"), bare: startOther("bench/bare-gateway.ts") };
try {
  const key = { "X-API-Key": await createKey() };
  const targets = {
    product: { url: `${server.gatewayUrl}/system/mcp`, headers: key, pids: ownPids },
    core: { url: `${await others.bare.url}/system/mcp`, headers: key, pids: others.bare.pids },
    sdk: { url: `${await others.sdk.url}/mcp`, headers: {}, pids: others.sdk.pids },
  };
  // Code gets faster while it is new; nobody may profit from coming later.
  for (let round = 0; round < 2; round++)
    for (const request of Object.values(requests))
      for (const target of Object.values(targets)) await measure(request, target);
  for (const [name, request] of Object.entries(requests)) await compare(name, request, targets);
} finally {
  for (const { child } of Object.values(others)) child.kill();
  await server.stop();
  await remove();
}

type Request = ReturnType<typeof createRequest>;
type Target = { url: string; headers: Record<string, string>; pids: () => number[] };
type Speed = { perSecond: number; cpuMicroseconds: number; p99Ms: number };

async function compare(
  name: string,
  request: Request,
  targets: { product: Target; core: Target; sdk: Target },
): Promise<void> {
  const speeds = { product: [] as Speed[], core: [] as Speed[], sdk: [] as Speed[] };
  for (let round = 0; round < rounds; round++)
    for (const kind of ["product", "core", "sdk"] as const) speeds[kind].push(await measure(request, targets[kind]));
  const middle = (kind: keyof typeof speeds, part: keyof Speed) => median(speeds[kind].map((speed) => speed[part]));
  for (const [kind, words] of ours)
    for (const [figure, unit, part] of figures) {
      const baseline = { baseline: "SDK v2 McpServer without authentication", baselineValue: middle("sdk", part) };
      reportFigure({ bench, figure: `${name}, ${words}: ${figure}`, unit, value: middle(kind, part), ...baseline });
    }
  if (!name.endsWith("tools/list")) return;
  for (const [kind, words] of ours) {
    const ratio = middle(kind, "perSecond") / middle("sdk", "perSecond");
    reportFigure({
      bench,
      figure: `${name}, ${words}: rate over the SDK's`,
      value: ratio,
      unit: "×",
      bar: { atLeast: 10 },
    });
  }
}

async function measure(request: Request, { url, headers: own, pids: listPids }: Target): Promise<Speed> {
  const pids = listPids();
  const before = cpuMicroseconds(pids);
  const headers = { ...request.headers, ...own };
  const { count, perSecond, latenciesMs } = await sendRequests({
    url,
    body: request.body,
    headers,
    connections: 64,
    forMs: roundMs,
  });
  const sorted = latenciesMs.toSorted((one, other) => one - other);
  const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  return { perSecond, cpuMicroseconds: (cpuMicroseconds(pids) - before) / count, p99Ms };
}

/** A server in a process of its own that prints its address. */
function startOther(file: string) {
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
  return { child, url: once(child.stdout, "data").then(([line]) => String(line).trim()), pids: () => [child.pid ?? 0] };
}

function cpuMicroseconds(pids: number[]): number {
  const microsecondsPerTick = 10_000;
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, count) => sum + count, 0) * microsecondsPerTick;
}

/** Without PostgreSQL, whose share the bench verify-key shows. */
function ownPids(): number[] {
  const postgres = new Set(listPostgres(dataDir));
  return listTree(server.pid).filter((pid) => !postgres.has(pid));
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

function createRequest(method: string, params: object, headers: Record<string, string>) {
  return { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers: { Accept: accept, ...headers } };
}
