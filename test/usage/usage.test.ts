import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lowestIdAt } from "../../src/records/time-of-id.ts";
import type { Usage } from "../../src/usage/wire.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";

let mcp: McpApp;
let vera: Awaited<ReturnType<typeof signUpMember>>;

beforeAll(async () => {
  mcp = await startMcpApp();
  vera = await signUpMember(mcp.app, mcp.owner.organizationId, "Vera", "viewer");
});
afterAll(() => mcp.stop());
beforeEach(async () => {
  await mcp.app.database.query("DELETE FROM tool_call");
  await mcp.app.database.query("DELETE FROM run");
});

const path = (rest: string, organizationId = mcp.owner.organizationId) => `/api/organizations/${organizationId}${rest}`;
const usage = async (days?: number) =>
  (await vera.browser.get(path(`/usage${days ? `?days=${days}` : ""}`))).body as Usage;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const idOf = (at: Date) => `${lowestIdAt(at).slice(0, 13)}-7${randomUUID().slice(15)}`;

type Call = {
  at: Date;
  status?: string;
  tool?: string;
  key?: { id: string; name: string };
  durationMs?: number | null;
  organizationId?: string;
};

async function plantCall({
  at,
  status = "success",
  tool = "slack_send_message",
  key,
  durationMs = 5,
  organizationId,
}: Call) {
  await mcp.app.database.query(
    `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, api_key_id, api_key_name, parameters, credentials, queued_at,
       queue_ms, duration_ms, truncated, sanitized, owner)
     VALUES ($1, $2, 'mcp', $3, $4, $5, $6, $7, '{}', '{}', $8, 0, $9, false, false, $2)`,
    [
      ...[
        organizationId ?? mcp.owner.organizationId,
        idOf(at),
        tool.split("_")[0],
        tool,
        status,
        key?.id ?? null,
        key?.name ?? null,
      ],
      ...[at, durationMs],
    ],
  );
}

type Run = {
  at: Date;
  workflowId: string;
  status?: string;
  key?: { id: string; name: string };
  organizationId?: string;
};

async function plantRun({ at, workflowId, status = "succeeded", key, organizationId }: Run) {
  await mcp.app.database.query(
    `INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, api_key_id, api_key_name, queued_at)
     VALUES ($1, $2, $3, 1, 'api', $4, '{}', $5, $6, $7)`,
    [organizationId ?? mcp.owner.organizationId, idOf(at), workflowId, status, key?.id ?? null, key?.name ?? null, at],
  );
}

const saveWorkflow = async (name: string) =>
  (await mcp.owner.browser.post(path("/workflows"), { name, canvas: { nodes: [], edges: [] } })).body.id as string;

describe("the usage of an organization", () => {
  it.each([
    [1, 30, 48],
    [7, 180, 56],
    [30, 720, 60],
  ])(
    "over %i days has every bucket of %i minutes, also while nothing happens",
    async (days, bucketMinutes, buckets) => {
      const shown = await usage(days);
      expect(shown).toMatchObject({
        bucketMinutes,
        total: { calls: 0, runs: 0 },
        byTool: [],
        byKey: [],
        byStatus: [],
        byWorkflow: [],
      });
      expect(shown.series).toHaveLength(buckets);
      const [from, to] = [Date.parse(shown.from), Date.parse(shown.to)];
      expect(to - from).toBe(days * 86_400_000);
      expect([from % (bucketMinutes * 60_000), from <= Date.now() && Date.now() < to]).toEqual([0, true]);
      for (const [index, { at, calls, runs }] of shown.series.entries()) {
        expect(Date.parse(at)).toBe(from + index * bucketMinutes * 60_000);
        expect({ calls, runs }).toEqual({
          calls: { success: 0, failed: 0, refused: 0, other: 0 },
          runs: { succeeded: 0, failed: 0, other: 0 },
        });
      }
    },
  );

  it("counts each call and each run in its bucket, by how it ended, and nothing from before", async () => {
    const { from, series } = await usage(7);
    const startOf = (index: number) => Date.parse(series[index]?.at as string);
    const workflowId = await saveWorkflow("Daily report");
    await plantCall({ at: new Date(Date.parse(from) - 1) });
    await plantRun({ at: new Date(Date.parse(from) - 1), workflowId });
    await plantCall({ at: new Date(from) });
    await plantCall({ at: new Date(startOf(1) - 1) });
    for (const status of ["success", "failed", "timed_out", "refused", "cancelled", "interrupted", "running"])
      await plantCall({ at: new Date(startOf(20)), status });
    for (const status of ["succeeded", "failed", "cancelled", "pending", "waiting"])
      await plantRun({ at: new Date(startOf(21)), status, workflowId });

    const shown = await usage(7);
    expect(shown.total).toEqual({ calls: 9, runs: 5 });
    const busy = shown.series.flatMap(({ calls, runs }, index) =>
      Object.values({ ...calls, ...runs }).some((count) => count > 0) ? [[index, calls, runs]] : [],
    );
    const noCalls = { success: 0, failed: 0, refused: 0, other: 0 };
    const noRuns = { succeeded: 0, failed: 0, other: 0 };
    expect(busy).toEqual([
      [0, { ...noCalls, success: 2 }, noRuns],
      [20, { success: 1, failed: 2, refused: 1, other: 3 }, noRuns],
      [21, noCalls, { succeeded: 1, failed: 1, other: 3 }],
    ]);
    expect(shown.byStatus[0]).toEqual({ status: "success", calls: 3 });
    expect(shown.byStatus.slice(1).map(({ calls }) => calls)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(shown.byWorkflow).toEqual([{ workflowId, workflowName: "Daily report", runs: 5, failed: 1 }]);
  });

  it("says of each tool how often it failed and how long it took, most used first", async () => {
    for (let durationMs = 1; durationMs <= 20; durationMs++) await plantCall({ at: minutesAgo(1), durationMs });
    for (const durationMs of [100, 1_234, 98_765])
      await plantCall({ at: minutesAgo(1), tool: "github_create_issue", durationMs, status: "failed" });
    await plantCall({ at: minutesAgo(1), tool: "system_wait", durationMs: null, status: "refused" });
    expect((await usage()).byTool).toEqual([
      { serverId: "slack", tool: "slack_send_message", calls: 20, failed: 0, p50Ms: 10, p95Ms: 19 },
      { serverId: "github", tool: "github_create_issue", calls: 3, failed: 3, p50Ms: 1_200, p95Ms: 98_000 },
      { serverId: "system", tool: "system_wait", calls: 1, failed: 0, p50Ms: null, p95Ms: null },
    ]);
  });

  it("lists at most fifty tools", async () => {
    for (let index = 0; index < 52; index++) await plantCall({ at: minutesAgo(1), tool: `slack_tool_${index}` });
    await plantCall({ at: minutesAgo(1), tool: "slack_tool_51" });
    const { byTool, total } = await usage();
    expect([byTool.length, byTool[0]?.tool, total.calls]).toEqual([50, "slack_tool_51", 53]);
  });

  it("says of each key what it did, under the name it had last, and what was done without one", async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const workflowId = await saveWorkflow("Keyed");
    await plantCall({ at: minutesAgo(9), key: { id: one, name: "Old name" } });
    await plantCall({ at: minutesAgo(3), key: { id: one, name: "CI" } });
    await plantRun({ at: minutesAgo(3), workflowId, key: { id: one, name: "CI" } });
    await plantRun({ at: minutesAgo(3), workflowId, key: { id: other, name: "Only runs" } });
    await plantCall({ at: minutesAgo(3) });
    await plantRun({ at: minutesAgo(3), workflowId });
    expect((await usage(1)).byKey).toEqual([
      { apiKeyId: one, name: "CI", calls: 2, runs: 1 },
      { apiKeyId: null, name: "Without a key", calls: 1, runs: 1 },
      { apiKeyId: other, name: "Only runs", calls: 0, runs: 1 },
    ]);
  });

  it("counts what really happens", async () => {
    await mcp.client.modern("system", "tools/call", { name: "system_wait", arguments: { seconds: 0.02 } });
    const { total, byTool, byKey, series } = await usage(1);
    expect(total).toEqual({ calls: 1, runs: 0 });
    expect(byTool).toMatchObject([{ serverId: "system", tool: "system_wait", calls: 1, failed: 0 }]);
    expect(byTool[0]?.p50Ms).toBeGreaterThanOrEqual(20);
    expect(byKey).toEqual([{ apiKeyId: mcp.keyId, name: "test", calls: 1, runs: 0 }]);
    expect(series.at(-1)?.calls.success).toBe(1);
  });

  it("is of this organization alone, and shown to its members alone", async () => {
    const eve = await signUpOwner(mcp.app, "Eve");
    const key = { id: randomUUID(), name: "Of Eve" };
    await plantCall({ at: minutesAgo(1), organizationId: eve.organizationId, key });
    await plantRun({ at: minutesAgo(1), organizationId: eve.organizationId, workflowId: randomUUID(), key });
    expect(await usage()).toMatchObject({
      total: { calls: 0, runs: 0 },
      byKey: [],
      byTool: [],
      byWorkflow: [],
      byStatus: [],
    });
    expect((await eve.browser.get(path("/usage", eve.organizationId))).body.total).toEqual({ calls: 1, runs: 1 });
    expectProblem(await eve.browser.get(path("/usage")), { status: 404, code: "not_found" });
    expectProblem(await mcp.app.browser().get(path("/usage")), { status: 401, code: "not_signed_in" });
  });

  it.each(["0", "2", "365", "x", "", "7.0"])("refuses a period of %j days", async (days) => {
    const problem = expectProblem(await vera.browser.get(path(`/usage?days=${days}`)), {
      status: 400,
      code: "validation_failed",
    });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(["days"]);
  });
});

describe("a large history", () => {
  it("is counted whole, with the durations that half and nearly all calls stay within", async () => {
    const { organizationId } = mcp.owner;
    await mcp.app.database.query(
      `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, parameters, credentials, queued_at, queue_ms, duration_ms,
         truncated, sanitized, owner)
       SELECT $1, overlay(gen_random_uuid()::text PLACING left($2::text, 13) || '-7' || lpad(to_hex(n), 3, '0') FROM 1 FOR 18)::uuid, 'mcp', 'slack', 'slack_send_message',
         'success', repeat('x', 1600), '{}', now(), 0, n % 1000, false, false, $1 FROM generate_series(1, 4000) AS n, generate_series(1, 5)`,
      [organizationId, lowestIdAt(minutesAgo(1))],
    );
    expect((await usage(30)).byTool).toEqual([
      { serverId: "slack", tool: "slack_send_message", calls: 20_000, failed: 0, p50Ms: 490, p95Ms: 940 },
    ]);
  }, 20_000);
});
