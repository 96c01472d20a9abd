import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createLog } from "../src/base/log.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import type { Browser } from "../test/support/browser-client.ts";
import { createDataDir, type SpawnedServer, startServer } from "../test/support/spawned-server.ts";
import { reportFigure } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

// What an organization notices of its tool calls while somebody else floods: searches by a viewer, sign-ins, previews of schedules, expressions.
const bench = "neighbours";
const rounds = 3;
const roundMs = 3_000;
const storedRuns = 300_000;
const password = "correct horse battery";

type Load = Parameters<typeof sendRequests>[0];
type Request = Omit<Load, "connections" | "forMs">;

// Floods and calls each come from a process of their own: in one they would delay each other's clock.
if (process.argv[2] === "flood") await sendRequests(JSON.parse(process.argv[3] ?? "") as Load);
else await runAll();

async function runAll(): Promise<void> {
  const { dataDir } = createDataDir();
  const postgres = await startEmbeddedPostgres({ dataDir, log: createLog("error") });
  const service = createServer((_request, response) => response.setHeader("connection", "close").end("{}")).listen(
    0,
    "localhost",
  );
  try {
    await once(service, "listening");
    const environment = {
      DATABASE_URL: addressOf(postgres.target),
      DEPLOYMENT_MODE: "cloud",
      LOG_LEVEL: "error",
      OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8,::1/128",
      RATE_LIMIT_API_KEY_PER_MINUTE: "10000000",
      RATE_LIMIT_SIGN_IN_PER_MINUTE: "1000000",
    };
    const server = await startServer({ dataDir, environment });
    try {
      const call = await createCall(server, (service.address() as AddressInfo).port);
      await report(call, await createFloods(server, postgres.target));
    } finally {
      await server.stop();
    }
  } finally {
    service.close();
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function signUp(server: SpawnedServer, name: string): Promise<{ browser: Browser; organizationId: string }> {
  const browser = server.browser();
  const person = { name, email: `${name}@example.com`, password, organizationName: name };
  const first = await browser.post("/api/setup", person);
  const { organizationId } = readTexts(first.status === 201 ? first : await browser.post("/api/sign-up", person));
  return { browser, organizationId: organizationId ?? "" };
}

function readTexts({ body }: { body?: unknown }): Record<string, string> {
  return body as Record<string, string>;
}

/** A call that looks up a name, as nearly every call does. */
async function createCall(server: SpawnedServer, port: number): Promise<Request> {
  const { browser, organizationId } = await signUp(server, "own");
  const path = `/api/organizations/${organizationId}`;
  const { key = "" } = readTexts(await browser.post(`${path}/api-keys`, { name: "bench", scopes: ["mcp:invoke"] }));
  const account = { type: "http_auth", name: "Open", data: { authKind: "none" } };
  const { reference } = readTexts(await browser.post(`${path}/credentials`, account));
  const given = { url: `http://localhost:${port}/`, credentials: { http_auth: reference } };
  return toRequest(`${server.gatewayUrl}/http/mcp`, key, { name: "http_request", arguments: given });
}

function toRequest(url: string, key: string, params: object): Request {
  return {
    url,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    headers: { Accept: "application/json", "MCP-Protocol-Version": "2025-11-25", "X-API-Key": key },
  };
}

async function createFloods(
  server: SpawnedServer,
  target: pg.ClientConfig,
): Promise<Record<string, Omit<Load, "forMs">>> {
  const { browser, organizationId } = await signUp(server, "other");
  await fill(target, organizationId);
  const path = `${server.platformUrl}/api/organizations/${organizationId}`;
  const headers = { Cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; "), Origin: server.platformUrl };
  const anyStatus = true;
  const nobody = { email: "nobody@example.com", password: "not this one" };
  const schedule = { cron: "0 0 29 2 *", timeZone: "Australia/Lord_Howe" };
  const { key = "" } = readTexts(
    await browser.post(`/api/organizations/${organizationId}/api-keys`, { name: "flood", scopes: ["mcp:invoke"] }),
  );
  const endless = { data: {}, expression: `$match("${"a".repeat(60)}b", /(a+)+$/)` };
  return {
    "searches for a rare text, 12 at a time": {
      url: `${path}/runs?search=nowhere`,
      method: "GET",
      body: "",
      headers,
      connections: 12,
    },
    "sign-ins, 64 connections, 200 per second": {
      url: `${server.platformUrl}/api/sign-in`,
      body: JSON.stringify(nobody),
      headers,
      anyStatus,
      connections: 64,
      perSecond: 200,
    },
    "previews of a schedule, 12 connections, 200 per second": {
      url: `${path}/schedule-preview`,
      body: JSON.stringify(schedule),
      headers,
      connections: 12,
      perSecond: 200,
    },
    "endless expressions, 16 at a time": {
      ...toRequest(`${server.gatewayUrl}/system/mcp`, key, { name: "system_transform_json", arguments: endless }),
      connections: 16,
    },
  };
}

async function fill(target: pg.ClientConfig, organizationId: string): Promise<void> {
  const client = new pg.Client(target);
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      "INSERT INTO workflow (organization_id, id, name, node_count) VALUES ($1, gen_random_uuid(), 'Busy', 0) RETURNING id",
      [organizationId],
    );
    await client.query(
      `INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, queued_at, started_at, completed_at)
       SELECT $1, uuidv7(-(number * interval '5 seconds')), $2, 1, 'api', 'succeeded', '{}', now(), now(), now() FROM generate_series(1, $3::int) AS number`,
      [organizationId, rows[0]?.id, storedRuns],
    );
    await client.query("VACUUM ANALYZE run");
  } finally {
    await client.end();
  }
}

/** Each flood right after a quiet round, so that both meet the same machine. */
async function report(call: Request, floods: Record<string, Omit<Load, "forMs">>): Promise<void> {
  await measure(call);
  for (const [name, flood] of Object.entries(floods)) {
    const quiet: number[] = [];
    const flooded: number[] = [];
    for (let round = 0; round < rounds; round++) {
      quiet.push(...(await measure(call)));
      const load: Load = { ...flood, forMs: 3 * roundMs };
      const child = spawn(process.execPath, [import.meta.filename, "flood", JSON.stringify(load)], {
        stdio: "inherit",
      });
      const ended = once(child, "exit");
      await delay(1_000);
      if (child.exitCode !== null) throw new Error("The flood ended early.");
      flooded.push(...(await measure(call)));
      child.kill();
      await ended;
      await delay(1_000);
    }
    const [value, baselineValue] = [p95(flooded), p95(quiet)];
    const figure = `p95 of another organization's tool call beside ${name}`;
    reportFigure({ bench, figure, value, unit: "ms", baseline: "without the flood", baselineValue });
    reportFigure({
      bench,
      figure: `${figure}, over the quiet value`,
      value: value / baselineValue,
      unit: "×",
      bar: { atMost: 2 },
    });
  }
}

async function measure(request: Request): Promise<number[]> {
  return (await sendRequests({ ...request, connections: 1, forMs: roundMs / 2 })).latenciesMs;
}

function p95(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}

function addressOf(target: Awaited<ReturnType<typeof startEmbeddedPostgres>>["target"]): string {
  if (!("host" in target)) throw new Error("The embedded database has no address.");
  return `postgres://${target.user}@localhost/${target.database}?host=${encodeURIComponent(target.host)}&port=${target.port}`;
}
