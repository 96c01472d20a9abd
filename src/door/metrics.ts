import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

import type { SharedCounts } from "./shared-counts.ts";

export type Metrics = ReturnType<typeof createMetrics>;

type Read<Value> = () => Value | Promise<Value>;
type Counts = Record<string, number>;

const quickBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60, 300];
const longBuckets = [0.005, 0.025, 0.1, 0.5, 2, 10, 60, 300, 1800, 3600];

/** What one process measures, in a form that can be sent to another. */
export type Measured = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The processes that a supervisor started beside this one, and behind the same ports. */
export type Siblings = {
  number: number;
  /** What each of them measures, this one among them. */
  measureAll: () => Promise<Measured[]>;
  /** How this one answers the others. */
  onMeasure: (measure: () => Promise<Measured>) => void;
  counts: SharedCounts;
};

/** One registry per process, served by all doors. Labels never hold ids or anything a caller chose. */
export function createMetrics(siblings?: Siblings) {
  const registry = new Registry();
  if (siblings) {
    registry.setDefaultLabels({ process: String(siblings.number) });
    siblings.onMeasure(() => registry.getMetricsAsJSON());
  }
  return {
    contentType: registry.contentType,
    /** Of all processes behind these ports: nobody can choose which of them is asked. */
    read: async (): Promise<string> =>
      siblings ? joinMeasured(await siblings.measureAll()) : await registry.metrics(),
    ...createWatches(registry),
    ...createRequestMetrics(registry),
    ...createRunMetrics(registry),
    ...createUpkeep(registry),
  };
}

/** Every series has the number of its process, so that there is nothing to add up. */
function joinMeasured(measured: Measured[]): Promise<string> {
  const kept = measured.map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: "first" })));
  return AggregatorRegistry.aggregate(kept as unknown as Parameters<typeof AggregatorRegistry.aggregate>[0]).metrics();
}

/** What is read when somebody asks for the metrics. What cannot be read then is left out. */
function createWatches(registry: Registry) {
  const pools = new Map<string, () => { total: number; idle: number; waiting: number }>();
  new Gauge({
    name: "switchyard_database_connections",
    help: "Database connections of this process by pool and state, and statements that wait for one.",
    labelNames: ["pool", "state"],
    registers: [registry],
    collect() {
      for (const [pool, read] of pools) {
        const { total, idle, waiting } = read();
        for (const [state, count] of Object.entries({ used: total - idle, idle, waiting }))
          this.set({ pool, state }, count);
      }
    },
  });
  const watchStates = (name: string, help: string): ((read: Read<Counts>) => void) => {
    let readCounts: Read<Counts> = () => ({});
    new Gauge({
      name,
      help,
      labelNames: ["state"],
      registers: [registry],
      async collect() {
        this.reset();
        const counts = await Promise.resolve(readCounts()).catch((): Counts => ({}));
        for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
      },
    });
    return (read) => {
      readCounts = read;
    };
  };
  let countStreams = (): number => 0;
  new Gauge({
    name: "switchyard_live_streams",
    help: "Streams of live events that this process has open.",
    registers: [registry],
    collect() {
      this.set(countStreams());
    },
  });
  return {
    /** Of the process itself: memory, processor, event loop, garbage collection. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    watchPool: (name: string, read: () => { total: number; idle: number; waiting: number }) =>
      void pools.set(name, read),
    watchSlots: watchStates(
      "switchyard_slots",
      "Slots of the organizations this process works for: held and used here, cap, and who waits.",
    ),
    watchActiveRuns: watchStates(
      "switchyard_runs_here",
      "Runs this process has taken up, by whether they have a slot.",
    ),
    watchRunQueue: watchStates("switchyard_run_queue", "Runs in the queue of all processes, as it was counted last."),
    watchStreams: (count: () => number) => {
      countStreams = count;
    },
  };
}

function createRequestMetrics(registry: Registry) {
  const registers = [registry];
  const requests = new Histogram({
    name: "switchyard_http_request_seconds",
    help: "Time to answer an HTTP request.",
    labelNames: ["door", "method", "route", "status"],
    buckets: quickBuckets,
    registers,
  });
  const calls = new Histogram({
    name: "switchyard_tool_call_seconds",
    help: "Time a tool call ran, by MCP server and how it ended; refused and cancelled ones may not have run at all.",
    labelNames: ["server", "status"],
    buckets: quickBuckets,
    registers,
  });
  const waits = new Histogram({
    name: "switchyard_tool_call_wait_seconds",
    help: "Time a tool call waited for a slot.",
    buckets: quickBuckets,
    registers,
  });
  return {
    observeRequest: (labels: { door: string; method: string; route: string; status: number }, seconds: number) =>
      requests.observe(labels, seconds),
    observeCall({ serverId: server, status, queueMs, durationMs }: ObservedCall): void {
      calls.observe({ server, status }, durationMs / 1000);
      waits.observe(queueMs / 1000);
    },
  };
}

type ObservedCall = { serverId: string; status: string; queueMs: number; durationMs: number };

function createRunMetrics(registry: Registry) {
  const registers = [registry];
  const accepted = new Counter({
    name: "switchyard_runs_accepted_total",
    help: "Runs accepted, by what started them.",
    labelNames: ["kind"],
    registers,
  });
  const ended = new Counter({
    name: "switchyard_runs_ended_total",
    help: "Runs ended by this process, by how.",
    labelNames: ["status"],
    registers,
  });
  const durations = new Histogram({
    name: "switchyard_run_seconds",
    help: "Time a run was busy until it ended, without waiting.",
    labelNames: ["status"],
    buckets: longBuckets,
    registers,
  });
  const waits = new Histogram({
    name: "switchyard_run_wait_seconds",
    help: "Time from the acceptance of a run to its first slot.",
    buckets: longBuckets,
    registers,
  });
  return {
    observeRuns: {
      accepted: (kind: string): void => accepted.inc({ kind }),
      began: (waitMs: number): void => waits.observe(waitMs / 1000),
      /** Without a duration when it was ended from outside. */
      ended(
        status: "succeeded" | "failed" | "cancelled",
        { runs = 1, activeMs }: { runs?: number; activeMs?: number },
      ): void {
        ended.inc({ status }, runs);
        if (activeMs !== undefined) durations.observe({ status }, activeMs / 1000);
      },
    },
  };
}

function createUpkeep(registry: Registry) {
  const registers = [registry];
  const batches = new Histogram({
    name: "switchyard_history_batch_rows",
    help: "Rows that one write to the history of tool calls stores together.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const removed = new Counter({
    name: "switchyard_retention_removed_total",
    help: "Old records that this process removed.",
    labelNames: ["records"],
    registers,
  });
  const cleaned = new Gauge({
    name: "switchyard_retention_last_success_seconds",
    help: "When this process last looked for old records without a failure, in seconds since 1970.",
    labelNames: ["records"],
    registers,
  });
  const schema = new Gauge({ name: "switchyard_schema_version", help: "Migrations that the database has.", registers });
  const slow = new Counter({
    name: "switchyard_slow_statements_total",
    help: "Database statements that took longer than SLOW_STATEMENT_WARNING.",
    registers,
  });
  const spans = new Counter({
    name: "switchyard_spans_total",
    help: "Spans for the trace collector: exported, failed (it did not take them) or dropped (too many waited for it).",
    labelNames: ["outcome"],
    registers,
  });
  return {
    observeBatch: (rows: number): void => batches.observe(rows),
    observeRetention(records: "tool_calls" | "runs", count: number): void {
      removed.inc({ records }, count);
      cleaned.set({ records }, Date.now() / 1000);
    },
    setSchemaVersion: (version: number): void => schema.set(version),
    countSlowStatement: (): void => slow.inc(),
    countSpans: (outcome: "exported" | "failed" | "dropped", count: number): void => spans.inc({ outcome }, count),
  };
}
