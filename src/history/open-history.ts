import type { FastifyInstance } from "fastify";
import type { Ground } from "../ground/ground.ts";
import type { LiveSource } from "../records/live.ts";
import type { FindStoredOf } from "../records/typed-secrets.ts";
import { createCountCalls } from "./call-usage.ts";
import { createHistory } from "./history.ts";
import type { RequireAccess } from "./routes.ts";

type Needs = {
  findStoredOf: FindStoredOf;
  /** What else live streams tell of, by kind. */
  sources: Record<string, LiveSource>;
};

/** The record of every call. */
export function openHistory({ db, target, clock, log, config, metrics }: Ground, needs: Needs) {
  const { historyRetentionDays: keptDays, historyMaxRows: keptRows, serverUrlTemplate } = config;
  const observe = {
    batch: metrics.observeBatch,
    retention: (removed: number) => metrics.observeRetention("tool_calls", removed),
  };
  const history = createHistory({ db, target, clock, log, keptDays, keptRows, serverUrlTemplate, observe, ...needs });
  metrics.watchStreams(history.streams.count);
  return {
    ...history,
    countCalls: createCountCalls({ db }),

    /** `requireAccess`: a stream goes on for hours, so whoever listens is asked for again. */
    async register(server: FastifyInstance, { requireAccess }: { requireAccess: RequireAccess }): Promise<void> {
      const { registerHistoryRoutes } = await import("./routes.ts");
      registerHistoryRoutes(server, history, requireAccess);
    },
  };
}
