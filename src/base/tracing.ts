import { takeRandomBytes } from "./random-bytes.ts";
import { Refusal } from "./refusal.ts";

/** What a span may say about its work. A closed list, so that no argument, output, address or secret gets into one by accident. */
export type SpanFacts = {
  "switchyard.organization.id"?: string;
  "switchyard.server.id"?: string;
  "switchyard.tool"?: string;
  "switchyard.call.id"?: string;
  "switchyard.workflow.id"?: string;
  "switchyard.workflow.version"?: number;
  "switchyard.run.id"?: string;
  "switchyard.run.kind"?: string;
  "switchyard.run.outcome"?: string;
  "switchyard.node.id"?: string;
  "switchyard.node.type"?: string;
  "switchyard.node.attempt"?: number;
  "switchyard.trigger.id"?: string;
  "switchyard.provider"?: string;
  "http.request.method"?: string;
  "http.route"?: string;
  "http.response.status_code"?: number;
  /** The code of a refusal. A span with one has failed. */
  "error.type"?: string;
};

type SpanKind = "internal" | "server" | "client";

/** A piece of work in a trace, or the place in one where a caller stands. */
export type Span = {
  traceId: string;
  /** As the W3C header `traceparent` says it, for whoever goes on elsewhere or later. */
  toTraceParent: () => string;
  begin: (name: string, facts?: SpanFacts, kind?: SpanKind) => Span;
  /** A span that is never ended is never exported. */
  end: (facts?: SpanFacts) => void;
};

export type FinishedSpan = {
  name: string;
  kind: SpanKind;
  traceId: string;
  spanId: string;
  /** Undefined for the first span of a trace. */
  parentSpanId: string | undefined;
  startedAtMs: number;
  endedAtMs: number;
  facts: SpanFacts;
};

/** Which traces are recorded: `ratio` of all, except where a caller has decided already and that counts. */
export type Sampler = { ratio: number; isParentBased: boolean };

export type Tracing = ReturnType<typeof createTracing>;

type Options = { sampler: Sampler; onEnd: (span: FinishedSpan) => void };

/** Without options nothing is recorded: there are trace ids, and nothing else costs anything. */
export function createTracing(options?: Options) {
  return {
    /** Goes on where the caller stands that sent this `traceparent`; without a valid one a trace of its own begins. */
    follow(traceParent?: unknown): Span {
      const caller = readTraceParent(traceParent);
      const traceId = caller?.traceId ?? newHex(16);
      if (!options || !isRecorded(options.sampler, traceId, caller))
        return unrecorded(traceId, caller && writeTraceParent(caller));
      const { onEnd } = options;
      return {
        traceId,
        end: doNothing,
        toTraceParent: () => writeTraceParent(caller ?? { traceId, spanId: newHex(8), isSampled: true }),
        begin: (name, facts, kind) => beginSpan({ name, kind, facts, traceId, parentSpanId: caller?.spanId }, onEnd),
      };
    },
  };
}

/** Ends the span when the work has ended, however it did. */
export async function endAfter<Value>(
  span: Span,
  work: () => Promise<Value>,
  describe: (value: Value) => SpanFacts,
): Promise<Value> {
  try {
    const value = await work();
    span.end(describe(value));
    return value;
  } catch (error) {
    span.end(factsOfFailure(error));
    throw error;
  }
}

/** The kind of a failure, and never its words. */
export const factsOfFailure = (error: unknown): SpanFacts => ({
  "error.type": error instanceof Refusal ? error.code : "internal_error",
});

function unrecorded(traceId: string, traceParent: string | undefined): Span {
  const span: Span = {
    traceId,
    toTraceParent: () => traceParent ?? writeTraceParent({ traceId, spanId: newHex(8), isSampled: false }),
    begin: () => span,
    end: doNothing,
  };
  return span;
}

type Beginning = Pick<FinishedSpan, "name" | "traceId" | "parentSpanId"> & {
  kind?: SpanKind | undefined;
  facts?: SpanFacts | undefined;
};

function beginSpan(
  { name, kind = "internal", facts = {}, traceId, parentSpanId }: Beginning,
  onEnd: Options["onEnd"],
): Span {
  const spanId = newHex(8);
  const startedAtMs = nowMs();
  let hasEnded = false;
  return {
    traceId,
    toTraceParent: () => writeTraceParent({ traceId, spanId, isSampled: true }),
    begin: (childName, childFacts, childKind) =>
      beginSpan({ name: childName, kind: childKind, facts: childFacts, traceId, parentSpanId: spanId }, onEnd),
    end(more) {
      if (hasEnded) return;
      hasEnded = true;
      onEnd({
        name,
        kind,
        traceId,
        spanId,
        parentSpanId,
        startedAtMs,
        endedAtMs: nowMs(),
        facts: { ...facts, ...more },
      });
    },
  };
}

const doNothing = (): void => {};

const nowMs = (): number => performance.timeOrigin + performance.now();

type Place = { traceId: string; spanId: string; isSampled: boolean };

// Of version 00 there is nothing behind the flags; later versions may add something, which is not for us.
const traceParentForm =
  /^(?:00(?=.{53}$)|(?!00|ff)[0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

export function readTraceParent(text: unknown): Place | undefined {
  if (typeof text !== "string") return undefined;
  const [, traceId, spanId, flags] = traceParentForm.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const writeTraceParent = ({ traceId, spanId, isSampled }: Place): string =>
  `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;

function isRecorded({ ratio, isParentBased }: Sampler, traceId: string, caller: Place | undefined): boolean {
  if (caller && isParentBased) return caller.isSampled;
  // The last 13 digits are random also where others make the ids, and as many as a number holds exactly.
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13;
}

const newHex = (bytes: number): string => takeRandomBytes(bytes).toString("hex");
