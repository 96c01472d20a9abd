import { describe, expect, it } from "vitest";
import { Refusal } from "./refusal.ts";
import { createTracing, endAfter, type FinishedSpan, readTraceParent, type Sampler } from "./tracing.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const sampled = `00-${traceId}-00f067aa0ba902b7-01`;
const unsampled = `00-${traceId}-00f067aa0ba902b7-00`;

function record(sampler: Sampler = { ratio: 1, isParentBased: true }) {
  const finished: FinishedSpan[] = [];
  return { finished, tracing: createTracing({ sampler, onEnd: (span) => void finished.push(span) }) };
}

describe("a traceparent", () => {
  it("is read when it is whole, also of a later version", () => {
    const place = { traceId, spanId: "00f067aa0ba902b7" };
    expect(readTraceParent(sampled)).toEqual({ ...place, isSampled: true });
    expect(readTraceParent(`01-${traceId}-00f067aa0ba902b7-03-more`)).toEqual({ ...place, isSampled: true });
    expect(readTraceParent(unsampled)).toEqual({ ...place, isSampled: false });
  });

  it.each([
    undefined,
    7,
    "",
    "nonsense",
    sampled.toUpperCase(),
    `${sampled}-more`,
    `${sampled}\n`,
    ` ${sampled}`,
    `ff-${traceId}-00f067aa0ba902b7-01`,
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.slice(1)}-00f067aa0ba902b7-01`,
  ])("is refused when it is %j", (text) => {
    expect(readTraceParent(text)).toBeUndefined();
  });
});

describe("without a collector", () => {
  const tracing = createTracing();

  it("a valid trace of the caller goes on as it is", () => {
    const span = tracing.follow(sampled).begin("work").begin("more");
    expect(span.traceId).toBe(traceId);
    expect(span.toTraceParent()).toBe(sampled);
  });

  it("everything else gets an id of its own, which nobody is asked to record", () => {
    const ids = Array.from({ length: 1000 }, () => tracing.follow("nonsense").traceId);
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    const span = tracing.follow();
    expect(readTraceParent(span.toTraceParent())).toMatchObject({ traceId: span.traceId, isSampled: false });
  });

  it("a span costs nothing: it is the one it came from", () => {
    const span = tracing.follow();
    expect(span.begin("work", { "switchyard.tool": "t" })).toBe(span);
  });
});

describe("a recorded trace", () => {
  it("hangs each piece of work below the one that began it", () => {
    const { finished, tracing } = record();
    const outer = tracing.follow(sampled).begin("outer", { "switchyard.tool": "t" }, "server");
    const inner = outer.begin("inner");
    inner.end();
    outer.end({ "http.response.status_code": 200 });
    const [first, second] = finished;
    expect(second).toMatchObject({ name: "outer", kind: "server", traceId, parentSpanId: "00f067aa0ba902b7" });
    expect(second?.facts).toEqual({ "switchyard.tool": "t", "http.response.status_code": 200 });
    expect(first).toMatchObject({ name: "inner", kind: "internal", traceId, parentSpanId: second?.spanId, facts: {} });
    expect(first?.endedAtMs).toBeGreaterThanOrEqual(first?.startedAtMs ?? Number.NaN);
    expect(Math.abs((first?.startedAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(outer.toTraceParent()).toBe(`00-${traceId}-${second?.spanId}-01`);
  });

  it("begins at the top when there is no caller", () => {
    const { finished, tracing } = record();
    tracing.follow().begin("alone").end();
    expect(finished[0]).toMatchObject({ name: "alone", parentSpanId: undefined });
  });

  it("has a span once, however often it is ended", () => {
    const { finished, tracing } = record();
    const span = tracing.follow().begin("once");
    span.end();
    span.end({ "error.type": "late" });
    expect(finished).toHaveLength(1);
  });

  it("says what kind of failure it was, and not in its words", async () => {
    const { finished, tracing } = record();
    const secret = "hunter2";
    const fail = (error: Error) =>
      endAfter(
        tracing.follow().begin("work"),
        () => Promise.reject(error),
        () => ({}),
      );
    await expect(fail(new Refusal("provider_error", secret))).rejects.toThrow(secret);
    await expect(fail(new Error(secret))).rejects.toThrow(secret);
    expect(finished.map(({ facts }) => facts)).toEqual([
      { "error.type": "provider_error" },
      { "error.type": "internal_error" },
    ]);
  });
});

describe("the sampler", () => {
  const countRecorded = (sampler: Sampler, traceParent?: string) => {
    const { finished, tracing } = record(sampler);
    for (let round = 0; round < 4000; round++) tracing.follow(traceParent).begin("work").end();
    return finished.length;
  };

  it("takes its share of the traces that begin here", () => {
    expect(countRecorded({ ratio: 0, isParentBased: true })).toBe(0);
    expect(countRecorded({ ratio: 1, isParentBased: true })).toBe(4000);
    // Nine standard deviations to each side.
    expect(Math.abs(countRecorded({ ratio: 0.5, isParentBased: true }) - 2000)).toBeLessThan(285);
  });

  it("keeps to what a caller decided, or to its own share when it is told to", () => {
    expect(countRecorded({ ratio: 0, isParentBased: true }, sampled)).toBe(4000);
    expect(countRecorded({ ratio: 1, isParentBased: true }, unsampled)).toBe(0);
    expect(countRecorded({ ratio: 0, isParentBased: false }, sampled)).toBe(0);
    expect(countRecorded({ ratio: 1, isParentBased: false }, unsampled)).toBe(4000);
  });
});
