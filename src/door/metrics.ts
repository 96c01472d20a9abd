import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/** One registry per process, served by both doors. Labels never hold ids or anything a caller chose. */
export function createMetrics(pool: () => { total: number; idle: number; waiting: number }) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "switchyard_database_connections",
    help: "Database connections of this process by state.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(pool())) this.set({ state }, count);
    },
  });
  const requests = new Histogram({
    name: "switchyard_http_request_seconds",
    help: "Time to answer an HTTP request.",
    labelNames: ["door", "method", "route", "status"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60, 300],
    registers: [registry],
  });
  return {
    registry,
    observeRequest: (labels: { door: string; method: string; route: string; status: number }, seconds: number) =>
      requests.observe(labels, seconds),
  };
}
