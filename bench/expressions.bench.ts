import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createDataDir, runSwitchyard, startServer } from "../test/support/spawned-server.ts";
import { measureRuns } from "./measure-runs.ts";
import { median, reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// What expressions cost: runs of five nodes with one each beside the same without, and what an organization notices of another that floods.
const bench = "expressions";
const rounds = 3;
const roundMs = 3_000;
/** Longer than a process without work lives. */
const idleMs = 36_000;

const zones = {
  none: "UTC",
  common: "{{ $uppercase($trigger.prompt) }}",
  uncommon: "{{ $map([$trigger.prompt], function($zone) { $uppercase($zone) }) }}",
};
type Kind = keyof typeof zones;
const uncommonCall = { data: { zone: "utc" }, expression: "$map([zone], function($zone) { $uppercase($zone) })" };
const commonCall = { data: { zone: "utc" }, expression: "$uppercase(zone)" };
const slowCall = { data: {}, expression: `$match("${"a".repeat(60)}b", /(a+)+$/)` };

type Load = Parameters<typeof sendRequests>[0];
type Request = Omit<Load, "connections" | "forMs">;
type Server = Awaited<ReturnType<typeof startServer>>;

// The flood comes from a process of its own: in this one it would delay the clock.
if (process.argv[2] === "flood") await sendRequests(JSON.parse(process.argv[3] ?? "") as Load);
else await runAll();

async function runAll(): Promise<void> {
  const { dataDir, remove } = createDataDir();
  const limits = { RATE_LIMIT_API_KEY_PER_MINUTE: "10000000", SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1000" };
  const server = await startServer({ dataDir, environment: { ...limits, LOG_LEVEL: "error" } });
  try {
    const own = await createOrganization(dataDir, "own");
    const other = await createOrganization(dataDir, "other");
    await reportRuns(server, await createRequests(server, dataDir, own));
    const quick = createCall(server, own.key, uncommonCall);
    await reportFlood(quick, createCall(server, other.key, slowCall));
    await reportFirst(createCall(server, own.key, commonCall), quick);
  } finally {
    await server.stop();
    await remove();
  }
}

async function run(dataDir: string, words: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await runSwitchyard(words, { SWITCHYARD_DATA_DIR: dataDir });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, string>;
}

type Organization = { organizationId: string; key: string };

async function createOrganization(dataDir: string, name: string): Promise<Organization> {
  const owner = ["--email", `${name}@example.com`, "--password", "correct horse battery", "--organization", name];
  const { organizationId = "" } = await run(dataDir, ["setup", ...owner]);
  const scopes = ["--scope", "mcp:invoke", "--scope", "workflows:trigger"];
  const { key = "" } = await run(dataDir, [
    "keys",
    "create",
    "--organization",
    organizationId,
    "--name",
    "bench",
    ...scopes,
  ]);
  return { organizationId, key };
}

async function createRequests(
  server: Server,
  dataDir: string,
  { organizationId, key }: Organization,
): Promise<Record<Kind, Request>> {
  const create = async (kind: Kind): Promise<Request> => {
    const ids = ["a", "b", "c", "d", "e"];
    const canvas = {
      nodes: ids.map((id) => ({ id, nodeId: "system_date_time", parameters: { timeZone: zones[kind] } })),
      edges: ids.slice(1).map((target, index) => ({ id: `e${index}`, source: ids[index], target })),
    };
    const file = path.join(dataDir, `${kind}.json`);
    writeFileSync(
      file,
      JSON.stringify({ format: "switchyard.workflow", formatVersion: 1, name: kind, description: "", canvas }),
    );
    const { id } = await run(dataDir, ["workflows", "import", "--organization", organizationId, "--file", file]);
    const url = `${server.platformUrl}/task-runner/trigger/${id}`;
    return { url, body: JSON.stringify({ runtimePrompt: "utc" }), headers: { "X-API-Key": key }, status: 202 };
  };
  return { none: await create("none"), common: await create("common"), uncommon: await create("uncommon") };
}

function createCall({ gatewayUrl }: Server, key: string, given: object): Request {
  const params = { name: "system_transform_json", arguments: given };
  return {
    url: `${gatewayUrl}/system/mcp`,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    headers: { Accept: "application/json", "MCP-Protocol-Version": "2025-11-25", "X-API-Key": key },
  };
}

/** The three in turn, so that all meet the same machine. */
async function reportRuns(server: Server, requests: Record<Kind, Request>): Promise<void> {
  const rates: Record<Kind, number[]> = { none: [], common: [], uncommon: [] };
  const kinds: Kind[] = ["none", "common", "uncommon"];
  for (const kind of kinds) await measureRuns(server, { ...requests[kind], forMs: roundMs });
  for (let round = 0; round < rounds; round++)
    for (const kind of kinds) rates[kind].push(await measureRuns(server, { ...requests[kind], forMs: roundMs }));
  const baselineValue = median(rates.none);
  const bars: Record<Kind, number> = { none: 0, common: 0.8, uncommon: 0.4 };
  for (const kind of ["common", "uncommon"] as const) {
    const figure = `runs per second of five nodes with one ${kind} expression each`;
    const value = median(rates[kind]);
    reportFigure({ bench, figure, value, unit: "1/s", baseline: "without expressions", baselineValue });
    reportFigure({
      bench,
      figure: `${figure}, over those without`,
      value: value / baselineValue,
      unit: "×",
      bar: { atLeast: bars[kind] },
    });
  }
}

async function reportFlood(quick: Request, slow: Request): Promise<void> {
  await measureCalls(quick);
  const quiet: number[] = [];
  const flooded: number[] = [];
  for (let round = 0; round < rounds; round++) {
    quiet.push(await measureCalls(quick));
    const load: Load = { ...slow, connections: 16, forMs: roundMs };
    const child = spawn(process.execPath, [import.meta.filename, "flood", JSON.stringify(load)], { stdio: "inherit" });
    const ended = once(child, "exit");
    await delay(1_000);
    flooded.push(await measureCalls(quick));
    child.kill();
    await ended;
    await delay(2_000);
  }
  const [value, baselineValue] = [median(flooded), median(quiet)];
  const figure = "p50 of another organization's evaluation beside a flood of endless patterns";
  reportFigure({ bench, figure, value, unit: "ms", baseline: "without the flood", baselineValue });
  reportFigure({
    bench,
    figure: `${figure}, over the quiet value`,
    value: value / baselineValue,
    unit: "×",
    bar: { atMost: 2 },
  });
}

async function measureCalls(request: Request): Promise<number> {
  return median((await sendRequests({ ...request, connections: 1, forMs: roundMs / 2 })).latenciesMs);
}

/** The call before it needs no process, and wakes up whatever else has slept. */
async function reportFirst(common: Request, quick: Request): Promise<void> {
  const call = async (request: Request) =>
    (await sendRequests({ ...request, connections: 1, forMs: 200 })).latenciesMs[0] ?? Number.NaN;
  const woken: number[] = [];
  const firsts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await delay(idleMs);
    woken.push(await call(common));
    firsts.push(await call(quick));
  }
  const figure = "first evaluation after the organization's process has ended, whole call";
  const baseline = { baseline: "the call before it, which needs no process", baselineValue: median(woken) };
  reportFigure({ bench, figure, value: median(firsts), unit: "ms", ...baseline, bar: { atMost: 60 } });
}
