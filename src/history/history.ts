import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { createEventStreams } from "../records/event-stream.ts";
import { createLive, type LiveSource } from "../records/live.ts";
import { createPartitions } from "../records/partitions.ts";
import type { FindStoredOf } from "../records/typed-secrets.ts";
import type { ConnectionTarget, Database } from "../storage/database.ts";
import { createCallRetention } from "./call-retention.ts";
import { createCallList } from "./list-calls.ts";
import { type CallPlace, createRecorder } from "./record.ts";
import { createSweep } from "./sweep.ts";
import { createToolCallSource, toolCallKind } from "./tool-call-source.ts";

export type History = ReturnType<typeof createHistory>;

type Options = {
  db: Database;
  /** For the connection of its own that hears other processes. */
  target: ConnectionTarget;
  clock: Clock;
  log: Log;
  keptDays: number;
  keptRows: number;
  /** Where an MCP server is reached, with {serverId}. */
  serverUrlTemplate: string;
  /** What else live streams tell of, by kind. */
  sources: Record<string, LiveSource>;
  observe: { batch: (rows: number) => void; retention: (removed: number) => void };
  findStoredOf: FindStoredOf;
};

/** Every tool call: written before it runs and when it ends, listed, streamed as it happens, and removed when it is old. */
export function createHistory({
  db,
  target,
  clock,
  log,
  keptDays,
  keptRows,
  serverUrlTemplate,
  sources,
  observe,
  findStoredOf,
}: Options) {
  const live = createLive({ db, target, log, sources: { ...sources, [toolCallKind]: createToolCallSource({ db }) } });
  const onChange = (changed: CallPlace[]): void => live.announce(toolCallKind, changed);
  const partitions = createPartitions({ db, target, log });
  const recorder = createRecorder({
    db,
    clock,
    log,
    onChange,
    onBatch: observe.batch,
    tableOf: partitions.tableOf,
    findStoredOf,
  });
  const sweep = createSweep({ db, recorder, log, onChange });
  const retention = createCallRetention({ db, partitions, log, keptDays, keptRows, onDone: observe.retention });
  return {
    partitions,
    recorder,
    retention,
    live,
    calls: createCallList({ db }),
    streams: createEventStreams({ live }),
    serverUrlTemplate,

    /** What a serving process does in the background. */
    async start(): Promise<void> {
      await partitions.upkeep.run();
      partitions.upkeep.start();
      sweep.start();
      retention.start();
    },

    async stop(): Promise<void> {
      await recorder.drain();
      await Promise.all([sweep.stop(), retention.stop(), partitions.upkeep.stop()]);
      await live.stop();
    },
  };
}
