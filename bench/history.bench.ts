import { rmSync } from "node:fs";
import pg from "pg";
import { systemClock } from "../src/base/clock.ts";
import { newId } from "../src/base/ids.ts";
import { createLog } from "../src/base/log.ts";
import { createCallList } from "../src/history/list-calls.ts";
import { type ArrivedCall, createRecorder } from "../src/history/record.ts";
import type { ToolCallQuery } from "../src/history/wire.ts";
import { createPartitions } from "../src/records/partitions.ts";
import { createDatabase } from "../src/storage/database.ts";
import { startEmbeddedPostgres } from "../src/storage/embedded-postgres.ts";
import { migrate, migrationsFolder } from "../src/storage/migrate.ts";
import { createDataDir } from "../test/support/spawned-server.ts";
import { median, reportFigure } from "./report-figure.ts";

// What a record costs before and after a call, and a page of the history in a small and in a large organization.
const bench = "history";
const roundMs = 2_000;
const rounds = 3;
const fewRows = 1_000;
const manyRows = 1_000_000;
const pagesPerFigure = 200;

const parameters = { channel: "C024BE91L", text: "The build is green again. ".repeat(8) };
const outputs = { items: [{ ok: true, channel: "C024BE91L", ts: "1503435956.000247", message: parameters.text }] };
const log = createLog("error");
const { dataDir } = createDataDir();
const postgres = await startEmbeddedPostgres({ dataDir, log });
await migrate(postgres.target, { folder: migrationsFolder });
const db = createDatabase({ target: postgres.target, applicationName: "bench", log });
const { tableOf, upkeep } = createPartitions({ db, target: postgres.target, log });
await upkeep.run();
const recorder = createRecorder({ db, clock: systemClock, log, onChange: () => {}, tableOf });
const [small, large, written] = [newId(), newId(), newId()];
try {
  await measureWriting();
  await measureReading();
} finally {
  await db.close();
  await postgres.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measureWriting(): Promise<void> {
  const speeds = {
    together: [] as Speed[],
    togetherBaseline: [] as Speed[],
    alone: [] as Speed[],
    aloneBaseline: [] as Speed[],
  };
  await measure(64, recordCall);
  await measure(64, recordPlainly);
  for (let round = 0; round < rounds; round++) {
    speeds.togetherBaseline.push(await measure(64, recordPlainly));
    speeds.together.push(await measure(64, recordCall));
    speeds.aloneBaseline.push(await measure(1, recordPlainly));
    speeds.alone.push(await measure(1, recordCall));
  }
  const middle = (list: Speed[], part: keyof Speed) => median(list.map((speed) => speed[part]));
  const baseline = "one INSERT and one UPDATE for each call";
  for (const [figure, ours, theirs] of [
    ["64 callers", speeds.together, speeds.togetherBaseline],
    ["one caller", speeds.alone, speeds.aloneBaseline],
  ] as const) {
    const versus = (part: keyof Speed) => ({
      value: middle(ours, part),
      baseline,
      baselineValue: middle(theirs, part),
    });
    reportFigure({
      bench,
      figure: `records opened and closed per second, ${figure}`,
      unit: "1/s",
      ...versus("perSecond"),
    });
    reportFigure({ bench, figure: `open and close of one record, p50, ${figure}`, unit: "ms", ...versus("p50") });
    reportFigure({
      bench,
      figure: `own processor time per record, ${figure}`,
      unit: "µs",
      ...versus("ownMicroseconds"),
    });
  }
}

type Speed = Awaited<ReturnType<typeof measure>>;

async function measure(callers: number, run: (call: ArrivedCall) => Promise<unknown>) {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const times: number[] = [];
  const loop = async () => {
    while (performance.now() - startedAt < roundMs) {
      const begun = performance.now();
      await run(callOf());
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: callers }, loop));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    perSecond: times.length / ((performance.now() - startedAt) / 1000),
    p50: median(times),
    ownMicroseconds: (user + system) / times.length,
  };
}

function callOf(): ArrivedCall {
  const key = { apiKeyId: small, apiKeyName: "CI" };
  const place = {
    organizationId: written,
    id: newId(),
    source: "mcp",
    serverId: "slack",
    tool: "slack_send_message",
  } as const;
  return {
    ...place,
    ...key,
    parameters,
    credentials: {},
    queueMs: 0,
    requestId: small,
    traceId: "0af7651916cd43dd8448eb211c80319c",
  };
}

async function recordCall(call: ArrivedCall): Promise<void> {
  await recorder.open(call);
  await recorder.close(call, { status: "success", outputs, durationMs: 1 });
}

async function recordPlainly(call: ArrivedCall): Promise<void> {
  await db.prepared(
    {
      name: "bench_insert",
      text: `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, api_key_id, api_key_name, parameters, credentials,
               queued_at, started_at, queue_ms, request_id, trace_id, truncated, sanitized, owner)
             VALUES ($1, $2, 'mcp', $3, $4, 'running', $5, 'CI', $6, '{}', now(), now(), 0, $7, $7, false, false, $5)`,
    },
    [
      call.organizationId,
      call.id,
      call.serverId,
      call.tool,
      call.apiKeyId,
      JSON.stringify(call.parameters),
      call.traceId,
    ],
  );
  await db.prepared(
    {
      name: "bench_update",
      text: `UPDATE tool_call SET status = 'success', outputs = $3, completed_at = now(), duration_ms = 1, changed_at = now()
             WHERE organization_id = $1 AND id = $2 AND status = 'running'`,
    },
    [call.organizationId, call.id, JSON.stringify(outputs)],
  );
}

async function measureReading(): Promise<void> {
  await fill(small, fewRows);
  await fill(large, manyRows);
  const { list } = createCallList({ db });
  const cursorOf = async (organizationId: string) =>
    (await list(organizationId, { limit: 100, to: await middleOf(organizationId) })).nextCursor;
  const [fewCursor, manyCursor] = [await cursorOf(small), await cursorOf(large)];
  const pages: [string, Partial<ToolCallQuery>, Partial<ToolCallQuery>?][] = [
    ["first page", {}],
    ["page in the middle", { cursor: fewCursor ?? "" }, { cursor: manyCursor ?? "" }],
    ["one tool of twenty", { tool: "tool_7" }],
    ["one server of ten", { serverId: "server_3" }],
    ["failed calls, one in twenty", { status: "failed" }],
    ["one key of twenty", { apiKeyId: keyOf(5) }],
  ];
  for (const [name, few, many = few] of pages) {
    const times = { few: [] as number[], many: [] as number[] };
    for (let page = 0; page < pagesPerFigure; page++) {
      times.few.push(await timeOf(() => list(small, { limit: 50, ...few })));
      times.many.push(await timeOf(() => list(large, { limit: 50, ...many })));
    }
    const [value, baselineValue] = [median(times.many), median(times.few)];
    const baseline = `the same page with ${fewRows} records`;
    reportFigure({
      bench,
      figure: `${name}, p50 with ${manyRows} records`,
      unit: "ms",
      value,
      baseline,
      baselineValue,
    });
    reportFigure({
      bench,
      figure: `${name}, ratio`,
      unit: "times",
      value: value / baselineValue,
      bar: { atMost: 1.5 },
    });
  }
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function keyOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

async function middleOf(organizationId: string): Promise<string> {
  const [row] = await runSql(
    "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY queued_at) AS middle FROM tool_call WHERE organization_id = $1",
    [organizationId],
  );
  return row?.middle instanceof Date ? row.middle.toISOString() : "";
}

/** As many calls over the last thirty days, evenly. */
async function fill(organizationId: string, rows: number): Promise<void> {
  const step = `(interval '30 days' / ${rows}) * (${rows} - number)`;
  await runSql(
    `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, api_key_id, api_key_name, parameters, credentials, outputs,
       error_code, error_message, queued_at, started_at, completed_at, queue_ms, duration_ms, truncated, sanitized, owner, changed_at)
     SELECT $1, uuidv7(-(${step})), 'mcp', 'server_' || number % 10, 'tool_' || number % 20,
       CASE WHEN number % 20 = 7 THEN 'failed' ELSE 'success' END,
       ('00000000-0000-4000-8000-' || lpad((number % 20)::text, 12, '0'))::uuid, 'key', $2, '{}', $3,
       CASE WHEN number % 20 = 7 THEN 'provider_error' END, CASE WHEN number % 20 = 7 THEN 'It did not work.' END,
       now() - ${step}, now() - ${step}, now() - ${step}, 0, 5, false, false, $1, now() - ${step}
     FROM generate_series(1, ${rows}) AS number`,
    [organizationId, JSON.stringify(parameters), JSON.stringify(outputs)],
  );
  await runSql("VACUUM ANALYZE tool_call");
}

async function runSql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(postgres.target);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}
