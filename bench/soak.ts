import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { followEvents } from "../test/support/events/follow-events.ts";
import { createDataDir, type SpawnedServer, startServer } from "../test/support/spawned-server.ts";
import { benchOwner, prepareWorkflow } from "./prepare-workflow.ts";
import { median, reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// An hour, or as many minutes as are asked for, at half of what the server can do: calls and triggers, wrong and broken-off ones among
// them, and live streams that come and go, while retention removes what is old. Run by name only: `npm run bench -- soak [minutes]`.
const bench = "soak";
const minutes = Number(process.argv[2] ?? 60);
const warmUpShare = 1 / 6;
const sampleEveryMs = 5_000;
const settleLimitMs = 120_000;
const resourceNames = ["connections", "timers", "sockets", "requests"] as const;
const environment = {
  RATE_LIMIT_API_KEY_PER_MINUTE: "10000000",
  SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "100",
  HISTORY_MAX_ROWS: "100000",
  LOG_LEVEL: "warn",
};

const { dataDir, remove } = createDataDir();
const server = await startServer({ dataDir, environment });
try {
  const { loads, organizationId } = await prepareLoads(server);
  for (const load of loads) await sendRequests({ ...load, forMs: 5_000 });
  await delay(20_000);
  const before = await readResources(server);
  const most = await Promise.all(loads.map((load) => sendRequests({ ...load, forMs: 15_000 })));
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(residentMegabytes(server.pid)), sampleEveryMs);
  const disturbing = [disturb(loads), await watch(server, organizationId)];
  const forMs = minutes * 60_000;
  const half = loads.map((load, index) =>
    sendRequests({ ...load, forMs, perSecond: (most[index]?.perSecond ?? 0) / 2 }),
  );
  const done = await Promise.all(half);
  clearInterval(sampling);
  for (const { stop } of disturbing) await stop();
  report({ samples, done, before, after: await settle(server, before) });
  const warnings = server.output.stderr.match(/MaxListenersExceededWarning/g)?.length ?? 0;
  reportFigure({
    bench,
    figure: "warnings of too many listeners",
    unit: "warnings",
    value: warnings,
    bar: { atMost: 0 },
  });
} finally {
  await server.stop();
  await remove();
}

type Load = Omit<Parameters<typeof sendRequests>[0], "forMs">;
type Answers = Awaited<ReturnType<typeof sendRequests>>;
type Resources = Awaited<ReturnType<typeof readResources>>;

async function prepareLoads({
  platformUrl,
  gatewayUrl,
}: SpawnedServer): Promise<{ loads: Load[]; organizationId: string }> {
  const { key, workflowId, organizationId } = await prepareWorkflow(dataDir, ["mcp:invoke", "workflows:trigger"]);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "system_date_time", arguments: {} } };
  const headers = {
    "X-API-Key": key,
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
  };
  const trigger = `${platformUrl}/task-runner/trigger/${workflowId}`;
  const loads = [
    { url: `${gatewayUrl}/system/mcp`, body: JSON.stringify(call), headers, connections: 16 },
    { url: trigger, body: "{}", headers: { "X-API-Key": key }, connections: 8, status: 202 },
  ];
  return { loads, organizationId };
}

type Loop = { stop: () => Promise<void> };

/** Clients that go away in the middle and such that ask wrongly, all the time. */
function disturb(loads: Load[]): Loop {
  const ask = async ({ url, body, headers }: Load) => {
    const post = (init: RequestInit) =>
      fetch(url, { method: "POST", ...init }).then(
        (answer) => answer.text(),
        () => undefined,
      );
    const given = { ...headers, "content-type": "application/json" };
    await post({ headers: given, body, signal: AbortSignal.timeout(2) });
    await post({ headers: given, body: '{"nodes": 5' });
    await post({ headers: { ...given, "X-API-Key": "swy_wrong" }, body });
  };
  return repeat(200, () => Promise.all(loads.map(ask)));
}

/** Pages that look at the live history for a while. */
async function watch({ browser, platformUrl }: SpawnedServer, organizationId: string): Promise<Loop> {
  const page = browser();
  await page.post("/api/sign-in", benchOwner);
  return repeat(100, async () => {
    const stream = await followEvents(platformUrl, page, organizationId);
    await delay(2_000);
    if (stream.events.length === 0) throw new Error("The live view showed nothing.");
    stream.kill();
  });
}

function repeat(pauseMs: number, turn: () => Promise<unknown>): Loop {
  let isStopped = false;
  const loop = async () => {
    for (; !isStopped; await delay(pauseMs)) await turn();
  };
  const ended = loop();
  // Told when it is stopped, and not before, so that the server is stopped as well.
  ended.catch(() => {});
  return {
    async stop(): Promise<void> {
      isStopped = true;
      await ended;
    },
  };
}

/** What a process could fail to give back, as it tells itself. */
async function readResources({ gatewayUrl }: SpawnedServer) {
  const text = await (await fetch(`${gatewayUrl}/metrics`)).text();
  const sum = (pattern: RegExp) => [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  return {
    slots: sum(/^switchyard_slots\{[^}]*state="(?:used|waiting)"[^}]*\} (\d+)$/gm),
    connections: sum(/^switchyard_database_connections\{[^}]*state="(?:used|idle)"[^}]*\} (\d+)$/gm),
    timers: sum(/^nodejs_active_resources\{type="(?:Timeout|Immediate)"\} (\d+)$/gm),
    sockets: sum(/^nodejs_active_resources\{type="(?:TCPSocketWrap|PipeWrap)"\} (\d+)$/gm),
    requests: sum(/^nodejs_active_requests_total (\d+)$/gm),
  };
}

/** What is left when all has come to rest: connections that are kept for a next request end by themselves, what leaked does not. */
async function settle(served: SpawnedServer, before: Resources): Promise<Resources> {
  const untilMs = performance.now() + settleLimitMs;
  for (;;) {
    const now = await readResources(served);
    const isSettled = resourceNames.every((name) => now[name] <= before[name]) && now.slots === 0;
    if (isSettled || performance.now() > untilMs) return now;
    await delay(5_000);
  }
}

function report({
  samples,
  done,
  before,
  after,
}: {
  samples: number[];
  done: Answers[];
  before: Resources;
  after: Resources;
}): void {
  const kept = samples.slice(Math.floor(samples.length * warmUpShare));
  const third = Math.floor(kept.length / 3);
  const [early, late] = [median(kept.slice(0, third)), median(kept.slice(-third))];
  const [calls, triggers] = done.map(({ perSecond }) => perSecond);
  reportFigure({
    bench,
    figure: `calls per second for ${minutes} minutes, half of the most`,
    unit: "1/s",
    value: calls ?? 0,
  });
  reportFigure({
    bench,
    figure: `triggers per second for ${minutes} minutes, half of the most`,
    unit: "1/s",
    value: triggers ?? 0,
  });
  const baseline = "the first third after warming up";
  reportFigure({
    bench,
    figure: "memory of the server in the last third",
    unit: "MB",
    value: late,
    baseline,
    baselineValue: early,
  });
  reportFigure({
    bench,
    figure: "memory grown from the first to the last third",
    unit: "×",
    value: late / early,
    bar: { atMost: 1.05 },
  });
  reportFigure({ bench, figure: "slots in use afterwards", unit: "slots", value: after.slots, bar: { atMost: 0 } });
  for (const name of resourceNames)
    reportFigure({
      bench,
      figure: `${name} more than before`,
      unit: name,
      value: after[name] - before[name],
      bar: { atMost: 2 },
    });
}

function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1024;
}
