import { spawn } from "node:child_process";
import { once } from "node:events";
import { createDataDir, startServer } from "../test/support/spawned-server.ts";
import { createKey } from "./create-key.ts";
import { median, reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// One organization keeps ten times as many calls in flight as it has slots; what another one that calls now and then notices of it.
const bench = "fairness";
const slots = 5;
const rounds = 5;
const roundMs = 2_000;
const warmUpMs = 500;

type Load = Parameters<typeof sendRequests>[0];

// The flood comes from a process of its own: in this one it would delay the clock.
if (process.argv[2] === "flood") await sendRequests(JSON.parse(process.argv[3] ?? "") as Load);
else await runAll();

async function runAll(): Promise<void> {
  const { dataDir, remove } = createDataDir();
  const environment = {
    RATE_LIMIT_API_KEY_PER_MINUTE: "10000000",
    SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: String(slots),
    LOG_LEVEL: "warn",
  };
  const server = await startServer({ dataDir, roles: "gateway", environment });
  try {
    const url = `${server.gatewayUrl}/system/mcp`;
    const other = createLoad(url, await createKey(dataDir, "other"), { name: "system_date_time", arguments: {} });
    const flooding = await createKey(dataDir, "flooding");
    const waiting = createLoad(url, flooding, { name: "system_wait", arguments: { seconds: 0.05 } });
    const working = createLoad(url, flooding, { name: "system_date_time", arguments: {} });
    await sendRequests({ ...other, connections: 4, forMs: roundMs });
    await report("calls that take 50 ms", { other, flood: waiting, bar: { atMost: 2 } });
    await report("calls that only take processor time", { other, flood: working });
  } finally {
    await server.stop();
    await remove();
  }
}

type Flood = {
  other: Omit<Load, "connections" | "forMs">;
  flood: Omit<Load, "connections" | "forMs">;
  bar?: { atMost: number };
};

async function report(kind: string, { other, flood, bar }: Flood): Promise<void> {
  const quiet: number[] = [];
  const flooded: number[] = [];
  for (let round = 0; round < rounds; round++) {
    quiet.push(await measure(other));
    const load: Load = { ...flood, connections: 10 * slots, forMs: warmUpMs + roundMs + warmUpMs };
    const child = spawn(process.execPath, [import.meta.filename, "flood", JSON.stringify(load)], { stdio: "inherit" });
    const ended = once(child, "exit");
    await new Promise((resolve) => setTimeout(resolve, warmUpMs));
    flooded.push(await measure(other));
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error("The flood failed.");
  }
  const [value, baselineValue] = [median(flooded), median(quiet)];
  const figure = `p95 of another organization's calls beside a flood of ${kind}`;
  reportFigure({ bench, figure, value, unit: "ms", baseline: "without the flood", baselineValue });
  reportFigure({
    bench,
    figure: `${figure}, over the quiet value`,
    value: value / baselineValue,
    unit: "×",
    ...(bar ? { bar } : {}),
  });
}

async function measure(load: Flood["other"]): Promise<number> {
  const { latenciesMs } = await sendRequests({ ...load, connections: 1, forMs: roundMs });
  return latenciesMs.toSorted((one, other) => one - other)[Math.floor(latenciesMs.length * 0.95)] ?? Number.NaN;
}

function createLoad(url: string, key: string, params: { name: string; arguments: object }): Flood["other"] {
  return {
    url,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    headers: { Accept: "application/json", "MCP-Protocol-Version": "2025-11-25", "X-API-Key": key },
  };
}
