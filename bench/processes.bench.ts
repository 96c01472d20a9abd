import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { listPostgres, listTree } from "../test/support/processes.ts";
import { createDataDir, startServer } from "../test/support/spawned-server.ts";
import { createKey } from "./create-key.ts";
import { measureMemory } from "./measure-memory.ts";
import { startProcessorClock } from "./processor-time.ts";
import { median, reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// The same calls to one process and to two behind the same ports, in turns, so that a busy machine is busy for both.
const bench = "processes";
const tool = "system_date_time";
const connections = 64;
const rounds = 7;
const roundMs = 2_000;
const warmCalls = 10_000;
const environment = {
  RATE_LIMIT_API_KEY_PER_MINUTE: "10000000",
  SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1000",
  LOG_LEVEL: "warn",
};

type Installation = Awaited<ReturnType<typeof install>>;
type Speed = Awaited<ReturnType<typeof measure>>;

const one = await install(1);
const two = await install(2);
try {
  // Code gets faster while it is new, and each of two processes sees only half of the calls.
  for (const { processes, ...installation } of [one, two])
    for (let calls = 0; calls < warmCalls * processes; ) calls += (await measure(installation)).count;
  reportMemory();
  await compare("two cores", [0, 1], { rate: { atLeast: 1 }, time: { atMost: 1.15 } });
  await compare("one core", [0], {});
} finally {
  await Promise.all([one.stop(), two.stop()]);
}

async function compare(where: string, cores: number[], bars: { rate?: Bar; time?: Bar }): Promise<void> {
  for (const installation of [one, two]) pin(installation, cores);
  const speeds: { one: Speed; two: Speed }[] = [];
  for (let round = 0; round < rounds; round++) speeds.push({ one: await measure(one), two: await measure(two) });
  const ratio = (part: keyof Speed) => median(speeds.map((both) => both.two[part] / both.one[part]));
  const middle = (count: "one" | "two", part: keyof Speed) => median(speeds.map((both) => both[count][part]));
  const say = (figure: string) => ({ bench, figure: `${where}, two processes: ${figure}` });
  const beside = (part: keyof Speed) => ({
    value: middle("two", part),
    baseline: "one process",
    baselineValue: middle("one", part),
  });
  reportFigure({ ...say("calls per second"), unit: "1/s", ...beside("perSecond") });
  reportFigure({ ...say("p99"), unit: "ms", ...beside("p99Ms") });
  reportFigure({ ...say("processor time of the servers per call"), unit: "µs", ...beside("serverMicroseconds") });
  reportFigure({ ...say("processor time of PostgreSQL per call"), unit: "µs", ...beside("postgresMicroseconds") });
  reportFigure({ ...say("rate over that of one"), unit: "×", value: ratio("perSecond"), ...barOf(bars.rate) });
  reportFigure({ ...say("all processor time over that of one"), unit: "×", value: ratio("both"), ...barOf(bars.time) });
}

type Bar = { atLeast: number } | { atMost: number };

function barOf(bar: Bar | undefined) {
  return bar === undefined ? {} : { bar };
}

function reportMemory(): void {
  const [alone, both] = [one, two].map(({ pids }) => measureMemory(pids().server)) as [Memory, Memory];
  const say = (figure: string) => ({ bench, figure, unit: "MB" });
  reportFigure({ ...say("after some load, PSS of one process"), value: alone.pss });
  reportFigure({ ...say("after some load, PSS of two processes and their supervisor"), value: both.pss });
}

type Memory = ReturnType<typeof measureMemory>;

async function install(processes: number) {
  const { dataDir, remove } = createDataDir();
  const server = await startServer({ dataDir, environment: { ...environment, PROCESSES: String(processes) } });
  const key = await createKey(dataDir, `team${processes}`);
  return {
    processes,
    url: `${server.gatewayUrl}/system/mcp`,
    key,
    pids() {
      const postgres = listPostgres(dataDir);
      return { postgres, server: listTree(server.pid).filter((pid) => !postgres.includes(pid)) };
    },
    async stop(): Promise<void> {
      await server.stop();
      await remove();
    },
  };
}

function pin({ pids }: Installation, cores: number[]): void {
  const { server, postgres } = pids();
  for (const pid of [...server, ...postgres])
    try {
      execFileSync("taskset", ["-acp", cores.join(","), String(pid)], { stdio: "ignore" });
    } catch (error) {
      // PostgreSQL ends sessions at will.
      if (readFileSync(`/proc/${pid}/stat`, { encoding: "utf8", flag: "r" }) !== "") throw error;
    }
}

async function measure({ url, key, pids }: Omit<Installation, "processes">) {
  // What the round before left to do is not this one's.
  await delay(300);
  const readClock = startProcessorClock(pids());
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const { count, perSecond, latenciesMs } = await sendRequests({
    url,
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: tool, arguments: {}, _meta: meta },
    }),
    headers: {
      Accept: "application/json, text/event-stream",
      "Mcp-Method": "tools/call",
      "Mcp-Name": tool,
      "MCP-Protocol-Version": "2026-07-28",
      "X-API-Key": key,
    },
    connections,
    forMs: roundMs,
  });
  const sorted = latenciesMs.toSorted((first, second) => first - second);
  const { server, postgres } = readClock();
  const [serverMicroseconds, postgresMicroseconds] = [server / count, postgres / count];
  return {
    count,
    perSecond,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    serverMicroseconds,
    postgresMicroseconds,
    both: serverMicroseconds + postgresMicroseconds,
  };
}
