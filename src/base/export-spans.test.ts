import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FakeCollector, startFakeCollector } from "../../test/support/fake-collector.ts";
import { createSpanExport, type SpanOutcome } from "./export-spans.ts";
import { createTracing } from "./tracing.ts";

let collector: FakeCollector;
let logLines: string[];
let counts: Record<SpanOutcome, number>;

beforeEach(async () => {
  collector = await startFakeCollector();
  logLines = [];
  counts = { exported: 0, failed: 0, dropped: 0 };
});
afterEach(() => collector.stop());

async function open({ endpoint = collector.url, timeoutMs = 30_000, mostWaiting = 100 } = {}) {
  const exporting = await createSpanExport({
    target: { endpoint, headers: {}, timeoutMs, resource: { "service.name": "test" } },
    log: pino({ level: "debug" }, { write: (line) => void logLines.push(line) }),
    count(outcome, spans) {
      counts[outcome] += spans;
    },
    mostWaiting,
    collectMs: 50,
  });
  const tracing = createTracing({ sampler: { ratio: 1, isParentBased: true }, onEnd: exporting.add });
  const finish = (spans: number) => {
    for (let count = 0; count < spans; count++) tracing.follow().begin("work").end();
  };
  return { finish, close: exporting.close };
}

describe("spans", () => {
  it("reach the collector and are counted", async () => {
    const { finish, close } = await open();
    finish(3);
    await expect.poll(() => counts, { timeout: 10_000 }).toEqual({ exported: 3, failed: 0, dropped: 0 });
    expect(collector.spans().map(({ name, parentSpanId, kind }) => [name, parentSpanId, kind])).toEqual(
      Array.from({ length: 3 }, () => ["work", undefined, 1]),
    );
    await close();
  });

  it("that nobody has sent yet are sent when it closes", async () => {
    const { finish, close } = await open({ mostWaiting: 2000 });
    finish(1200);
    await close();
    expect(collector.spans()).toHaveLength(1200);
    expect(counts.exported).toBe(1200);
  });
});

describe("a collector", () => {
  it("that does not answer costs a bounded queue, and a stop does not wait for it", async () => {
    collector.fallSilent();
    const { finish, close } = await open({ mostWaiting: 100 });
    finish(100);
    await expect.poll(() => collector.requests.length, { timeout: 10_000 }).toBe(1);
    finish(5000);
    expect(counts).toEqual({ exported: 0, failed: 0, dropped: 4900 });
    const closedAt = performance.now();
    await close();
    // Far less than what the collector was given to answer.
    expect(performance.now() - closedAt).toBeLessThan(15_000);
  });

  it("that takes too long is given up, counted and named in the log, once", async () => {
    collector.fallSilent();
    const { finish, close } = await open({ timeoutMs: 100 });
    finish(1);
    await expect.poll(() => counts.failed, { timeout: 10_000 }).toBe(1);
    finish(1);
    await expect.poll(() => counts.failed, { timeout: 10_000 }).toBe(2);
    expect(logLines.filter((line) => line.includes("traces could not be handed to the collector"))).toHaveLength(1);
    await close();
  });

  it.each([
    ["is not there", async () => await collector.stop()],
    ["refuses", async () => collector.answerWith(400)],
  ])("that %s is counted", async (_, spoil) => {
    await spoil();
    const { finish, close } = await open({ timeoutMs: 1_000 });
    finish(2);
    await expect.poll(() => counts, { timeout: 10_000 }).toEqual({ exported: 0, failed: 2, dropped: 0 });
    await close();
  });
});
