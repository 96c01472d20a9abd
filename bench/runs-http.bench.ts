import { measureRuns } from "./measure-runs.ts";
import { type Installation, openInstallation } from "./open-installation.ts";
import { listParts, startProcessorClock } from "./processor-time.ts";
import { median, reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// Runs as users start them: five nodes, triggered over 64 connections from another process, until the last one has ended. `runs` starts them inside the
// worker and is the limit of this one. What they cost is said in recorded calls of a tool in the same process.
const bench = "runs-http";
const rounds = 3;
const roundMs = 2_000;
const nodeCount = 5;

const installation = await openInstallation();
try {
  const kinds = await createKinds(installation);
  const names = Object.keys(kinds);
  const measured = new Map(names.map((name) => [name, [] as Cost[]]));
  const calls: number[] = [];
  for (const load of Object.values(kinds)) await requireSuccess(load);
  for (const load of Object.values(kinds)) await measureKind(load);
  await measureCalls();
  for (let round = 0; round < rounds; round++) {
    calls.push(await measureCalls());
    for (const name of names) measured.get(name)?.push(await measureKind(kinds[name] as RunLoad));
  }
  report(measured, median(calls));
} finally {
  await installation.close();
}

type RunLoad = Omit<Parameters<typeof sendRequests>[0], "connections">;
type Cost = { perSecond: number; microseconds: number; server: number; postgres: number };

async function measureKind(load: RunLoad): Promise<Cost> {
  const clock = startProcessorClock(listParts(installation.server.pid, installation.dataDir));
  const startedAt = performance.now();
  const perSecond = await measureRuns(installation, load);
  const count = (perSecond * (performance.now() - startedAt)) / 1_000;
  const { server, postgres } = clock();
  return { perSecond, microseconds: (server + postgres) / count, server: server / count, postgres: postgres / count };
}

/** A run that fails at once would be a quick one. */
async function requireSuccess({ url, body, headers }: RunLoad): Promise<void> {
  const given = { "Content-Type": "application/json", ...headers, Prefer: "wait=30" };
  const run = (await (await fetch(url, { method: "POST", body, headers: given })).json()) as { status: string };
  if (run.status !== "succeeded") throw new Error(`${url} answered ${JSON.stringify(run)}`);
}

/** Processor time of one recorded call of a tool. */
async function measureCalls(): Promise<number> {
  const { gatewayUrl, mcpKey, server, dataDir } = installation;
  const clock = startProcessorClock(listParts(server.pid, dataDir));
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "system_date_time", arguments: {} } };
  const { count } = await sendRequests({
    url: `${gatewayUrl}/system/mcp`,
    body: JSON.stringify(message),
    headers: { Accept: "application/json", "MCP-Protocol-Version": "2025-11-25", "X-API-Key": mcpKey },
    connections: 64,
    forMs: roundMs,
  });
  const spent = clock();
  return (spent.server + spent.postgres) / count;
}

function report(measured: Map<string, Cost[]>, callMicroseconds: number): void {
  const middle = (name: string, part: keyof Cost) => median((measured.get(name) ?? []).map((cost) => cost[part]));
  reportFigure({ bench, figure: "processor time of a recorded call", unit: "µs", value: callMicroseconds });
  for (const name of measured.keys()) {
    reportFigure({ bench, figure: `runs per second, ${name}`, unit: "1/s", value: middle(name, "perSecond") });
    for (const part of ["server", "postgres"] as const)
      reportFigure({
        bench,
        figure: `processor time of the ${part} per run, ${name}`,
        unit: "µs",
        value: middle(name, part),
      });
    const value = middle(name, "microseconds") / callMicroseconds;
    const most = { plain: 3, "expressions, waiting": 6 }[name];
    const bar = most === undefined ? {} : { bar: { atMost: most } };
    reportFigure({ bench, figure: `processor time per run, ${name}, in recorded calls`, unit: "calls", value, ...bar });
  }
  for (const name of ["waiting", "expressions"]) {
    const value = middle(name, "perSecond") / middle("plain", "perSecond");
    reportFigure({ bench, figure: `rate with ${name} over plain`, unit: "×", value, bar: { atLeast: 0.8 } });
  }
}

/** Each is a workflow of five nodes, triggered with or without waiting for its end. */
async function createKinds(opened: Installation): Promise<Record<string, RunLoad>> {
  const wait = { Prefer: "wait=30" };
  const nodeId = "system_date_time";
  const plain = await createWorkflow(opened, "Plain", () => ({ nodeId, parameters: {} }));
  const references = await createWorkflow(opened, "References", (before) => ({
    nodeId,
    parameters: { date: before === undefined ? "{{ $trigger.prompt }}" : "{{ $input.iso }}" },
  }));
  const expressions = await createWorkflow(opened, "Expressions", () => ({
    nodeId,
    parameters: { timeZone: "{{ $uppercase($substring($trigger.prompt, 0, 0) & 'utc') }}" },
  }));
  const accounts = await createWorkflow(opened, "Accounts", () => ({
    nodeId: "http_request",
    parameters: { url: opened.serviceUrl },
    credentials: { http_auth: opened.reference },
  }));
  const body = JSON.stringify({ runtimePrompt: "2026-01-31T12:00:00.000Z" });
  const load = (workflowId: string, more: Record<string, string> = {}): RunLoad => ({
    url: `${opened.platformUrl}/task-runner/trigger/${workflowId}`,
    body,
    headers: { "X-API-Key": opened.triggerKey, ...more },
    status: "Prefer" in more ? 200 : 202,
    forMs: roundMs,
  });
  return {
    plain: load(plain),
    references: load(references),
    expressions: load(expressions),
    waiting: load(plain, wait),
    "expressions, waiting": load(expressions, wait),
    "an account in every node": load(accounts),
  };
}

async function createWorkflow(
  { browser, organizationId }: Installation,
  name: string,
  toNode: (before: string | undefined) => object,
): Promise<string> {
  const ids = Array.from({ length: nodeCount }, (_, index) => `n${index}`);
  const canvas = {
    nodes: ids.map((id, index) => ({ id, ...toNode(ids[index - 1]) })),
    edges: ids.slice(1).map((target, index) => ({ id: `e${index}`, source: ids[index], target })),
  };
  const answer = await browser.post(`/api/organizations/${organizationId}/workflows`, { name, canvas });
  if (answer.status !== 201) throw new Error(answer.text);
  return (answer.body as { id: string }).id;
}
