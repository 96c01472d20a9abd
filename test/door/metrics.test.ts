import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let flows: WorkflowApp;

beforeAll(async () => {
  flows = await startWorkflowApp({ environment: { SLOW_STATEMENT_WARNING: "1ms" } });
});
afterAll(() => flows.stop());

const readMetrics = async (): Promise<string> => await (await fetch(`${flows.app.platformUrl}/metrics`)).text();

/** The sum of all series with this name and these labels. */
async function sumOf(name: string, ...labels: string[]): Promise<number | undefined> {
  const lines = (await readMetrics())
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const fitting = lines.filter((line) => labels.every((label) => line.includes(label)));
  return fitting.length === 0
    ? undefined
    : fitting.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

/** Names as a query writes them: a histogram is asked for by its parts. */
async function exposedNames(): Promise<{ names: Set<string>; own: string[] }> {
  const types = [...(await readMetrics()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const names = types.flatMap(([, name = "", type]) =>
    type === "histogram" ? ["bucket", "sum", "count"].map((part) => `${name}_${part}`) : [name],
  );
  return {
    names: new Set(names),
    own: types.map(([, name = ""]) => name).filter((name) => name.startsWith("switchyard_")),
  };
}

/** Whatever looks like a metric in a PromQL expression. */
const metricsIn = (expressions: string[]): string[] => [
  ...new Set(expressions.flatMap((text) => text.match(/\b(?:switchyard|nodejs|process)_[a-z0-9_]+/g) ?? [])),
];

describe("the metrics", () => {
  it("tell of calls by server and status, and of their waits", async () => {
    const { key } = await flows.app.parts.identity.apiKeys.create(flows.owner.organizationId, {
      name: "caller",
      scopes: ["mcp:invoke"],
      createdBy: null,
    });
    const client = createMcpClient(flows.app.gatewayUrl, { "x-api-key": key });
    await client.legacy("system", "tools/call", { name: "system_date_time", arguments: {} });
    await client.legacy("system", "tools/call", { name: "system_date_time", arguments: { zebra: 1 } });
    expect(await sumOf("switchyard_tool_call_seconds_count", 'server="system"', 'status="success"')).toBe(1);
    expect(await sumOf("switchyard_tool_call_seconds_count", 'server="system"', 'status="refused"')).toBe(1);
    expect(await sumOf("switchyard_tool_call_wait_seconds_count")).toBe(2);
    expect(await sumOf("switchyard_history_batch_rows_sum")).toBe(2);
    // An organization that calls nothing for a while is forgotten.
    const capAfterCall = async () => {
      await client.legacy("system", "tools/call", { name: "system_date_time", arguments: {} });
      return await sumOf("switchyard_slots", 'state="cap"');
    };
    await expect.poll(capAfterCall, { timeout: 20_000 }).toBe(5);
  });

  it("tell of runs from their acceptance to their end", async () => {
    const works = await flows.save(
      [node("a", "set_fields", { fields: { x: 1 } }), node("b", "set_fields", { fields: { y: 1 } })],
      edges("a>b"),
    );
    const fails = await flows.save([node("a", "stop", { message: "no" })]);
    const waits = await flows.save([node("a", "wait", { milliseconds: 600_000 })]);
    await flows.run(works);
    await flows.run(fails);
    const { body: waiting } = await flows.trigger(waits);
    await expect.poll(async () => (await flows.readRun(waiting.id)).body.status, { timeout: 20_000 }).toBe("waiting");
    await expect.poll(async () => await sumOf("switchyard_run_queue", 'state="later"'), { timeout: 20_000 }).toBe(1);
    await flows.owner.browser.post(`${flows.path}/runs/${waiting.id}/cancel`);
    expect(await sumOf("switchyard_runs_accepted_total", 'kind="api"')).toBe(3);
    for (const status of ["succeeded", "failed", "cancelled"])
      await expect.poll(() => sumOf("switchyard_runs_ended_total", `status="${status}"`), { timeout: 20_000 }).toBe(1);
    await expect.poll(() => sumOf("switchyard_run_seconds_count"), { timeout: 20_000 }).toBe(2);
    expect(await sumOf("switchyard_run_wait_seconds_count")).toBe(3);
    expect(await sumOf("switchyard_runs_here", 'state="waiting"')).toBe(0);
  });

  it("tell of the database, of pages that are open, and of upkeep", async () => {
    expect(await sumOf("switchyard_database_connections", 'pool="runs"', 'state="waiting"')).toBe(0);
    expect(await sumOf("switchyard_schema_version")).toBe(
      Number((await flows.app.database.query<{ count: string }>("SELECT count(*) FROM schema_migration"))[0]?.count),
    );
    expect(await sumOf("switchyard_slow_statements_total")).toBeGreaterThan(0);
    await flows.app.parts.history.retention.run();
    expect(await sumOf("switchyard_retention_last_success_seconds", 'records="tool_calls"')).toBeGreaterThan(
      Date.now() / 1000 - 60,
    );
    const page = new AbortController();
    const cookie = [...flows.owner.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const events = await fetch(`${flows.app.platformUrl}${flows.path}/events`, {
      headers: { cookie },
      signal: page.signal,
    });
    expect(events.status).toBe(200);
    await expect.poll(() => sumOf("switchyard_live_streams"), { timeout: 20_000 }).toBe(1);
    page.abort();
    await expect.poll(() => sumOf("switchyard_live_streams"), { timeout: 20_000 }).toBe(0);
  });

  it("hold nothing that a caller chose", async () => {
    expect(await readMetrics()).not.toMatch(/zebra|@|[0-9a-f]{8}-[0-9a-f]{4}-|swy_/);
  });
});

describe("the dashboard", () => {
  const dashboard = JSON.parse(readFileSync("deploy/grafana-dashboard.json", "utf8")) as {
    panels: {
      title: string;
      type: string;
      targets?: { expr: string }[];
      gridPos: { x: number; y: number; w: number; h: number };
    }[];
  };
  const asked = metricsIn(dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));

  it("asks only for metrics that exist", async () => {
    const { names } = await exposedNames();
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
  });

  it("shows every metric of our own", async () => {
    const { own } = await exposedNames();
    expect(own.length).toBeGreaterThan(10);
    expect(
      own.filter((name) => !asked.some((one) => one === name || one.replace(/_(bucket|sum|count)$/, "") === name)),
    ).toEqual([]);
  });
});

describe("the alerts", () => {
  const text = readFileSync("deploy/prometheus-alerts.yaml", "utf8");
  const expressions = [...text.matchAll(/^ +expr: (.+)$/gm)].map(([, expression = ""]) => expression);

  it("ask only for metrics that exist, and each says what to do", async () => {
    const { names } = await exposedNames();
    expect(expressions.length).toBe(text.match(/- alert: /g)?.length);
    expect(metricsIn(expressions).filter((name) => !names.has(name))).toEqual([]);
    expect(text.match(/ summary: /g)).toHaveLength(expressions.length);
    expect(text.match(/ description: /g)).toHaveLength(expressions.length);
  });

  it("take what was never counted for none", () => {
    const comparisons = expressions.filter((expression) => expression.includes("== 0"));
    expect(comparisons.filter((expression) => !expression.includes("or vector(0)) == 0"))).toEqual([]);
    expect(comparisons).not.toEqual([]);
  });

  it("name labels and values that the metrics have", async () => {
    const metrics = await readMetrics();
    for (const [, label, values = ""] of expressions.join("\n").matchAll(/\{(\w+)=~?"([^"]+)"/g))
      if (label === "state") for (const value of values.split("|")) expect(metrics).toContain(`${label}="${value}"`);
  });
});
