import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { listProcesses } from "../../test/support/processes.ts";
import { startEvaluator } from "./evaluator.ts";
import { createEvaluatorPool } from "./evaluator-pool.ts";

const endlessSearch = `$match("${"a".repeat(60)}b", /(a+)+$/)`;
const data = JSON.stringify({ input: {}, bindings: {} });
const ask = (
  pool: ReturnType<typeof createEvaluatorPool>,
  organizationId: string,
  expression: string,
  signal?: AbortSignal,
) => pool.ask(organizationId, { expressions: [expression], data, signal });

/** The processes for expressions that this one has started. */
const readProcesses = (): number[] =>
  listProcesses()
    .filter(({ parent, command }) => parent === process.pid && command.includes("expression-process"))
    .map(({ pid }) => pid);

/** Without a spare, whose start would be counted whenever it happens to come. */
const createPool = (limits: Parameters<typeof createEvaluatorPool>[0] = {}) =>
  createEvaluatorPool({ spareAfterMs: 600_000, ...limits });

/** Processor time in hundredths of a second. */
function readTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

describe("the processes for expressions", () => {
  // Other tests of the same worker leave a spare behind that starts a moment later.
  beforeAll(async () => {
    for (let before = -1, now = readProcesses().length; before !== now; now = readProcesses().length) {
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  });

  it("are never asked by two organizations", async () => {
    const pool = createPool({ processes: 2, turnMs: 20 });
    const before = new Set(readProcesses());
    const seen = new Map<string, Set<number>>();
    for (const organizationId of ["one", "two", "three", "one", "two", "three"]) {
      await ask(pool, organizationId, "1 + 1");
      const started = readProcesses().filter((pid) => !before.has(pid));
      seen.set(organizationId, new Set([...(seen.get(organizationId) ?? []), ...started]));
      expect(started.length).toBeLessThanOrEqual(3);
    }
    // With two places three organizations cannot have kept theirs.
    expect(new Set([...seen.values()].flatMap((pids) => [...pids])).size).toBeGreaterThan(3);
  });

  it("are the same for one organization, however its id is written", async () => {
    const pool = createPool();
    const before = new Set(readProcesses());
    for (const organizationId of ["abc", "ABC", "abc"])
      expect(await ask(pool, organizationId, "1 + 1")).toEqual([{ json: "2" }]);
    expect(readProcesses().filter((pid) => !before.has(pid))).toHaveLength(1);
  });

  it("take turns when there are more organizations than processes, however long the questions of one are", async () => {
    const pool = createPool({ processes: 1, turnMs: 20 });
    const flood = Promise.allSettled(Array.from({ length: 4 }, () => ask(pool, "one", endlessSearch)));
    const others = await Promise.all(
      ["two", "three", "four"].map((organizationId) => ask(pool, organizationId, "1 + 1")),
    );
    expect(others).toEqual([[{ json: "2" }], [{ json: "2" }], [{ json: "2" }]]);
    const ended = vi.fn();
    void flood.then(ended);
    await Promise.resolve();
    expect(ended).not.toHaveBeenCalled();
    for (const { status } of await flood) expect(status).toBe("rejected");
  }, 60_000);

  it("lose only the question they were ended for", async () => {
    const pool = createPool();
    const outcomes = await Promise.allSettled([
      ask(pool, "one", endlessSearch),
      ask(pool, "one", "1 + 1"),
      ask(pool, "one", "$length($pad('x', 500000000))"),
      ask(pool, "one", "2 + 2"),
    ]);
    expect(outcomes).toMatchObject([
      { reason: { code: "expression_timeout" } },
      { value: [{ json: "2" }] },
      { status: "rejected" },
      { value: [{ json: "4" }] },
    ]);
  }, 60_000);

  it("go on with what others of the organization ask when somebody leaves", async () => {
    const pool = createPool();
    const abort = new AbortController();
    const left = ask(pool, "one", endlessSearch, abort.signal);
    const next = ask(pool, "one", "1 + 1");
    setTimeout(() => abort.abort(new Error("enough")), 100);
    await expect(left).rejects.toThrow("enough");
    expect(await next).toEqual([{ json: "2" }]);
  }, 60_000);

  it("end when they have had nothing to do for a while, and when they have worked for long", async () => {
    const pool = createPool({ idleMs: 200, retireProcessorMs: 0 });
    const before = new Set(readProcesses());
    await ask(pool, "one", "1 + 1");
    const first = readProcesses().filter((pid) => !before.has(pid));
    await ask(pool, "one", "1 + 1");
    expect(readProcesses().filter((pid) => first.includes(pid))).toEqual([]);
    await vi.waitFor(() => expect(readProcesses().filter((pid) => !before.has(pid))).toEqual([]), 5_000);
  });

  it("have a spare that is ready for the next organization, which waits for no start", async () => {
    const pool = createEvaluatorPool({ spareAfterMs: 0 });
    const timed = async (organizationId: string) => {
      const startedAt = performance.now();
      await ask(pool, organizationId, "1 + 1");
      return performance.now() - startedAt;
    };
    const withStartMs = await timed("one");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await timed("two")).toBeLessThan(withStartMs / 2);
  });

  // Where there is no /proc the processor time of another process cannot be read this finely.
  it.runIf(process.platform === "linux")(
    "leave the spare to others when one of them was ended for what it was asked",
    async () => {
      const before = new Set(readProcesses());
      const readOwn = () => readProcesses().filter((pid) => !before.has(pid));
      const pool = createPool({ spareAfterMs: 0 });
      await ask(pool, "one", "1 + 1");
      const [first] = readOwn();
      await vi.waitFor(() => expect(readOwn()).toHaveLength(2), 5_000);
      const spare = readOwn().find((pid) => pid !== first) ?? 0;
      const outcomes = await Promise.allSettled([ask(pool, "one", endlessSearch), ask(pool, "one", "1 + 1")]);
      expect(outcomes).toMatchObject([{ status: "rejected" }, { value: [{ json: "2" }] }]);
      expect(readOwn()).not.toContain(first);
      expect(readOwn()).toHaveLength(2);
      const working = readTicks(spare);
      await Promise.allSettled([ask(pool, "one", endlessSearch)]);
      expect(readTicks(spare) - working).toBeLessThan(50);
    },
    60_000,
  );

  it("survive their own warming up, which nobody has asked for", async () => {
    const evaluator = startEvaluator();
    const { promise: isReady, resolve } = Promise.withResolvers<void>();
    evaluator.hold(true);
    evaluator.listen({ said: () => resolve(), gone: resolve });
    await isReady;
    await new Promise((done) => setTimeout(done, 1_500));
    expect([evaluator.isReady, evaluator.isGone]).toEqual([true, false]);
    evaluator.end();
  }, 30_000);
});
