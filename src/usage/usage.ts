import type { Clock } from "../base/clock.ts";
import { createTurns } from "../base/take-turns.ts";
import type { CallCounts, CountCalls } from "../history/call-usage.ts";
import type { CountRuns, RunCounts } from "../runs/read/run-usage.ts";
import type { Usage, UsageBucket, UsageDays } from "./wire.ts";

export type ReadUsage = ReturnType<typeof createReadUsage>;

type Options = { countCalls: CountCalls; countRuns: CountRuns; clock: Clock };

const bucketMinutesOf: Record<UsageDays, number> = { 1: 30, 7: 180, 30: 720 };
const minutesOfDay = 24 * 60;
const mostShown = 50;

/**
 * How much an organization did in the last days, from its calls and its runs. It counts for an organization one thing after the other, and all who ask
 * for the same meanwhile get the same answer: however many ask, others find the database free.
 */
export function createReadUsage({ countCalls, countRuns, clock }: Options) {
  const underWay = new Map<string, Promise<Usage>>();
  const inTurn = createTurns();

  async function count(organizationId: string, days: UsageDays): Promise<Usage> {
    const bucketMinutes = bucketMinutesOf[days];
    const edges = edgesOf(clock.now(), { bucketMinutes, buckets: (days * minutesOfDay) / bucketMinutes });
    const calls = await countCalls(organizationId, edges);
    const runs = await countRuns(organizationId, edges);
    const [from, to] = [edges[0], edges.at(-1)] as [Date, Date];
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      bucketMinutes,
      total: { calls: sum(calls.buckets, "calls"), runs: sum(runs.buckets, "runs") },
      series: toSeries(edges.slice(0, -1), calls, runs),
      byTool: toTools(calls),
      byKey: toKeys(calls, runs),
      byStatus: [...Map.groupBy(calls.buckets, ({ status }) => status)]
        .map(([status, rows]) => ({ status, calls: sum(rows, "calls") }))
        .sort((one, other) => other.calls - one.calls),
      byWorkflow: toWorkflows(runs),
    };
  }

  return (organizationId: string, days: UsageDays): Promise<Usage> => {
    const key = `${organizationId} ${days}`;
    const known = underWay.get(key);
    if (known) return known;
    const counting = inTurn(organizationId, () => count(organizationId, days)).finally(() => underWay.delete(key));
    underWay.set(key, counting);
    return counting;
  };
}

/** Whole buckets, counted from the beginning of time in UTC; the last one holds the present. */
function edgesOf(now: Date, { bucketMinutes, buckets }: { bucketMinutes: number; buckets: number }): Date[] {
  const bucketMs = bucketMinutes * 60_000;
  const last = Math.floor(now.getTime() / bucketMs) + 1;
  return Array.from({ length: buckets + 1 }, (_, index) => new Date((last - buckets + index) * bucketMs));
}

const callOutcomes: Record<string, keyof UsageBucket["calls"]> = {
  success: "success",
  failed: "failed",
  timed_out: "failed",
  refused: "refused",
};
const runOutcomes: Record<string, keyof UsageBucket["runs"]> = { succeeded: "succeeded", failed: "failed" };

function toSeries(starts: Date[], calls: CallCounts, runs: RunCounts): UsageBucket[] {
  const series = starts.map((start) => ({
    at: start.toISOString(),
    calls: { success: 0, failed: 0, refused: 0, other: 0 },
    runs: { succeeded: 0, failed: 0, other: 0 },
  }));
  for (const row of calls.buckets) {
    const bucket = series[row.bucket];
    if (bucket) bucket.calls[callOutcomes[row.status] ?? "other"] += row.calls;
  }
  for (const row of runs.buckets) {
    const bucket = series[row.bucket];
    if (bucket) bucket.runs[runOutcomes[row.status] ?? "other"] += row.runs;
  }
  return series;
}

function toTools({ tools }: CallCounts): Usage["byTool"] {
  const entries = [...Map.groupBy(tools, ({ serverId, tool }) => `${serverId} ${tool}`).values()].map((rows) => {
    const { serverId, tool } = rows[0] as CallCounts["tools"][number];
    const place = createPlace(rows);
    return {
      serverId,
      tool,
      calls: sum(rows, "calls"),
      failed: sum(rows, "failed"),
      p50Ms: place(0.5),
      p95Ms: place(0.95),
    };
  });
  return entries.sort((one, other) => other.calls - one.calls).slice(0, mostShown);
}

/** The duration that a part of the calls did not exceed. */
function createPlace(rows: { durationMs: number | null; calls: number }[]) {
  const ended = rows.filter((row): row is { durationMs: number; calls: number } => row.durationMs !== null);
  ended.sort((one, other) => one.durationMs - other.durationMs);
  const total = sum(ended, "calls");
  return (part: number): number | null => {
    let left = part * total;
    for (const { durationMs, calls } of ended) {
      left -= calls;
      if (left <= 0) return durationMs;
    }
    return null;
  };
}

function toKeys({ buckets, keyNames }: CallCounts, runs: RunCounts): Usage["byKey"] {
  const byCalls = Map.groupBy(buckets, ({ apiKeyId }) => apiKeyId);
  const byRuns = Map.groupBy(runs.buckets, ({ apiKeyId }) => apiKeyId);
  const entries = [...new Set([...byCalls.keys(), ...byRuns.keys()])].map((apiKeyId) => {
    const [ofCalls, ofRuns] = [byCalls.get(apiKeyId) ?? [], byRuns.get(apiKeyId) ?? []];
    const name = apiKeyId === null ? "Without a key" : (keyNames.get(apiKeyId) ?? ofRuns.at(-1)?.apiKeyName ?? "");
    return { apiKeyId, name, calls: sum(ofCalls, "calls"), runs: sum(ofRuns, "runs") };
  });
  return entries.sort((one, other) => other.calls + other.runs - one.calls - one.runs).slice(0, mostShown);
}

function toWorkflows({ buckets, workflowNames }: RunCounts): Usage["byWorkflow"] {
  const entries = [...Map.groupBy(buckets, ({ workflowId }) => workflowId)].map(([workflowId, rows]) => {
    const failed = rows.filter(({ status }) => status === "failed");
    return {
      workflowId,
      workflowName: workflowNames.get(workflowId) ?? "",
      runs: sum(rows, "runs"),
      failed: sum(failed, "runs"),
    };
  });
  return entries.sort((one, other) => other.runs - one.runs).slice(0, mostShown);
}

const sum = <Field extends string>(rows: Record<Field, number>[], field: Field): number =>
  rows.reduce((total, row) => total + row[field], 0);
