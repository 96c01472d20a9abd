import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "./log.ts";
import type { FinishedSpan } from "./tracing.ts";

export type SpanTarget = {
  /** Where OTLP over HTTP is spoken, without `/v1/traces`. */
  endpoint: string;
  headers: Record<string, string>;
  timeoutMs: number;
  /** What all spans of this process say about it, such as `service.name`. */
  resource: Record<string, string>;
};

export type SpanOutcome = "exported" | "failed" | "dropped";

type Options = {
  target: SpanTarget;
  log: Log;
  count: (outcome: SpanOutcome, spans: number) => void;
  /** Further ones are dropped. */
  mostWaiting?: number;
  collectMs?: number;
};

const flushLimitMs = 3_000;
const warnEveryMs = 60_000;

/** Hands spans to a collector in the background. Nothing waits for it, and what it cannot take is dropped and counted. */
export async function createSpanExport({ target, log, count, mostWaiting = 2048, collectMs = 1_000 }: Options) {
  // Loaded here, because most installations have no collector and need none of it.
  const [{ OTLPTraceExporter }, { BatchSpanProcessor }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/resources"),
  ]);
  const { endpoint, headers, timeoutMs } = target;
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers, timeoutMillis: timeoutMs });
  const resource = resourceFromAttributes(target.resource);
  let waiting = 0;
  const counting = createCountingExporter(exporter, { log, count, onTaken: (spans) => (waiting -= spans) });
  const processor = new BatchSpanProcessor({
    exporter: counting,
    maxQueueSize: mostWaiting,
    maxExportBatchSize: Math.min(512, mostWaiting),
    scheduledDelayMillis: collectMs,
    exportTimeoutMillis: timeoutMs,
  });

  return {
    add(span: FinishedSpan): void {
      if (waiting >= mostWaiting) count("dropped", 1);
      else {
        waiting += 1;
        processor.onEnd(toReadable(span, resource));
      }
    },

    /** Sends what is left, for as long as a stop can wait for it. */
    async close(): Promise<void> {
      const { promise: tooLate, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, flushLimitMs);
      await Promise.race([processor.shutdown().catch(() => {}), tooLate]).finally(() => clearTimeout(timer));
    },
  };
}

type Counting = Pick<Options, "log" | "count"> & { onTaken: (spans: number) => void };

function createCountingExporter(exporter: SpanExporter, { log, count, onTaken }: Counting): SpanExporter {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, onResult) {
      onTaken(spans.length);
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        count(hasFailed ? "failed" : "exported", spans.length);
        if (hasFailed && performance.now() - warnedAt > warnEveryMs) {
          warnedAt = performance.now();
          // Not the message: it quotes what the collector answered.
          log.warn(
            { spans: spans.length, reason: reasonOf(result.error) },
            "traces could not be handed to the collector",
          );
        }
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

const reasonOf = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return String(code ?? name ?? "unknown");
};

const kinds = { internal: 0, server: 1, client: 2 } as const;
const statusUnset = 0;
const statusError = 2;

function toReadable(span: FinishedSpan, resource: Resource): ReadableSpan {
  const { name, kind, traceId, spanId, parentSpanId, startedAtMs, endedAtMs, facts } = span;
  const context = { traceId, spanId, traceFlags: 1 };
  return {
    name,
    kind: kinds[kind],
    spanContext: () => context,
    ...(parentSpanId === undefined ? {} : { parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: 1 } }),
    startTime: toTime(startedAtMs),
    endTime: toTime(endedAtMs),
    duration: toTime(endedAtMs - startedAtMs),
    status: { code: facts["error.type"] === undefined ? statusUnset : statusError },
    attributes: { ...facts },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: "switchyard" },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
function toTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.trunc((ms - seconds * 1000) * 1e6)];
}
