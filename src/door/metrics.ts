import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/** One registry per process, served by both doors. Labels never hold ids or anything a caller chose. */
export function createMetrics(pool: () => { total: number; idle: number; waiting: number }) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const watch = (name: string, help: string, read: () => Record<string, number>): void => {
    new Gauge({
      name,
      help,
      labelNames: ["state"],
      registers: [registry],
      collect() {
        for (const [state, count] of Object.entries(read())) this.set({ state }, count);
      },
    });
  };
  watch("switchyard_database_connections", "Database connections of this process by state.", pool);
  const requests = new Histogram({
    name: "switchyard_http_request_seconds",
    help: "Time to answer an HTTP request.",
    labelNames: ["door", "method", "route", "status"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60, 300],
    registers: [registry],
  });
  return {
    registry,
    watchSlots: (counts: () => { held: number; used: number; waiting: number }) =>
      watch("switchyard_slots", "Slots this process holds and uses, and calls that wait for one.", counts),
    observeRequest: (labels: { door: string; method: string; route: string; status: number }, seconds: number) =>
      requests.observe(labels, seconds),
  };
}
