import { listTree } from "../test/support/processes.ts";
import { type Installation, openInstallation } from "./open-installation.ts";
import { measurePlainRecords } from "./plain-sql.ts";
import { listParts, type Parts, startProcessorClock } from "./processor-time.ts";
import { median, reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";
import { type Baseline, startProxy, startSdk } from "./start-baselines.ts";

// A whole call of the product, with key, slot and two committed rows, next to the same tool on the official SDK and behind mcp-proxy without any of that.
// This process is the load generator; each server has a process of its own.
const bench = "tool-call";
const tool = "system_date_time";
const rounds = 5;
const roundMs = 2_000;
const eras = {
  "2026-07-28": {
    headers: { "Mcp-Method": "tools/call", "MCP-Protocol-Version": "2026-07-28" },
    meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} },
  },
  "2025-11-25": { headers: { "MCP-Protocol-Version": "2025-11-25" }, meta: {} },
};
type Era = keyof typeof eras;

const installation = await openInstallation();
const baselines: Baseline[] = [];
try {
  const sdk = await startSdk();
  baselines.push(sdk);
  const proxy = await startProxy();
  baselines.push(proxy);
  const targets = {
    product: ownTool(installation),
    account: withAccount(installation),
    sdk: plain(sdk),
    proxy: plain(proxy),
  };
  const both = Object.keys(eras) as Era[];
  for (const era of both) for (const target of Object.values(targets)) await requireSuccess(era, target);
  // Code gets faster while it is new; nobody may profit from coming later.
  for (let round = 0; round < 2; round++)
    for (const era of both) for (const target of Object.values(targets)) await measure(era, target, 64);
  for (const era of both) report(era, await measureAll(era, targets));
  const records = await measurePlainRecords(installation.databaseUrl, { connections: 16, forMs: roundMs });
  const figure = "plain SQL, one INSERT and one UPDATE for each call, 16 connections";
  reportFigure({ bench, figure, unit: "1/s", value: records.perSecond });
  reportFigure({
    bench,
    figure: `${figure}: processor time of PostgreSQL`,
    unit: "µs",
    value: records.postgresMicroseconds,
  });
} finally {
  for (const { stop } of baselines) await stop();
  await installation.close();
}

type Target = { url: string; name: string; given: object; own: Record<string, string>; parts: () => Parts };
type Speed = Awaited<ReturnType<typeof measure>>;
type Kind = "product" | "account" | "sdk" | "proxy";
type Speeds = Record<Kind, Speed[]>;

function ownTool({ gatewayUrl, mcpKey, server, dataDir }: Installation): Target {
  const parts = () => listParts(server.pid, dataDir);
  return { url: `${gatewayUrl}/system/mcp`, name: tool, given: {}, own: { "X-API-Key": mcpKey }, parts };
}

/** The account is decrypted for each call, and a service is reached over HTTP. */
function withAccount(opened: Installation): Target {
  const given = { url: opened.serviceUrl, credentials: { http_auth: opened.reference } };
  return { ...ownTool(opened), url: `${opened.gatewayUrl}/http/mcp`, name: "http_request", given };
}

function plain({ url, pid }: Baseline): Target {
  return { url, name: tool, given: {}, own: {}, parts: () => ({ server: listTree(pid), postgres: [] }) };
}

// A disk may take 0.05 ms for a commit in one minute and 4 ms in the next, so all take turns.
async function measureAll(era: Era, targets: Record<Kind, Target>): Promise<{ many: Speeds; one: Speeds }> {
  const none = (): Speeds => ({ product: [], account: [], sdk: [], proxy: [] });
  const [many, one] = [none(), none()];
  for (let round = 0; round < rounds; round++)
    for (const kind of Object.keys(targets) as Kind[]) {
      many[kind].push(await measure(era, targets[kind], 64));
      one[kind].push(await measure(era, targets[kind], 1));
    }
  return { many, one };
}

function report(era: Era, { many, one }: { many: Speeds; one: Speeds }): void {
  const middle = (speeds: Speed[], part: keyof Speed) => median(speeds.map((speed) => speed[part]));
  const versus = (speeds: Speeds, part: keyof Speed) => ({
    value: middle(speeds.product, part),
    baseline: "SDK v2 McpServer without authentication or database",
    baselineValue: middle(speeds.sdk, part),
  });
  const over = (kind: Kind) => middle(many.product, "perSecond") / middle(many[kind], "perSecond");
  const say = (figure: string) => ({ bench, figure: `${era}, ${figure}` });
  const [per, ms] = [{ unit: "µs" }, { unit: "ms" }];
  reportFigure({
    ...say("calls per second, 64 connections"),
    unit: "1/s",
    ...versus(many, "perSecond"),
    bar: { atLeast: 3_000 },
  });
  reportFigure({ ...say("rate over the SDK's, 64 connections"), unit: "×", value: over("sdk"), bar: { atLeast: 4 } });
  reportFigure({
    ...say("rate over mcp-proxy's, 64 connections"),
    unit: "×",
    value: over("proxy"),
    bar: { atLeast: 2 },
  });
  reportFigure({ ...say("p50, 64 connections"), ...ms, ...versus(many, "p50Ms") });
  reportFigure({ ...say("p99, 64 connections"), ...ms, ...versus(many, "p99Ms"), bar: { atMost: 40 } });
  reportFigure({ ...say("processor time of the server per call"), ...per, ...versus(many, "serverMicroseconds") });
  reportFigure({
    ...say("processor time of PostgreSQL per call"),
    ...per,
    value: middle(many.product, "postgresMicroseconds"),
  });
  reportFigure({
    ...say("processor time of both per call"),
    ...per,
    value: middle(many.product, "microseconds"),
    bar: { atMost: 300 },
  });
  reportFigure({ ...say("calls per second, one connection"), unit: "1/s", ...versus(one, "perSecond") });
  reportFigure({ ...say("p50, one connection"), ...ms, ...versus(one, "p50Ms"), bar: { atMost: 2 } });
  const ratio = middle(one.product, "p50Ms") / middle(one.sdk, "p50Ms");
  reportFigure({ ...say("p50 over the SDK's, one connection"), unit: "×", value: ratio, bar: { atMost: 1.3 } });
  reportFigure({
    ...say("calls with an account per second, 64 connections"),
    unit: "1/s",
    value: middle(many.account, "perSecond"),
  });
  reportFigure({
    ...say("processor time of both per call with an account"),
    ...per,
    value: middle(many.account, "microseconds"),
  });
  reportFigure({ ...say("p50 with an account, one connection"), ...ms, value: middle(one.account, "p50Ms") });
}

async function measure(era: Era, target: Target, connections: number) {
  const clock = startProcessorClock(target.parts());
  const { body, headers } = createCall(era, target);
  const load = { url: target.url, body, headers, connections, forMs: roundMs };
  const { count, perSecond, latenciesMs } = await sendRequests(load);
  const { server, postgres } = clock();
  const sorted = latenciesMs.toSorted((first, second) => first - second);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return {
    perSecond,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    serverMicroseconds: server / count,
    postgresMicroseconds: postgres / count,
    microseconds: (server + postgres) / count,
  };
}

function createCall(era: Era, { name, given, own }: Target) {
  const { headers, meta } = eras[era];
  const params = { name, arguments: given, _meta: meta };
  return {
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    headers: {
      Accept: "application/json, text/event-stream",
      ...headers,
      ...("Mcp-Method" in headers ? { "Mcp-Name": name } : {}),
      ...own,
    },
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
