import { describe, expect, it } from "vitest";
import type { NodeRow } from "./checkpoint-store.ts";
import type { Checkpoint } from "./checkpoints.ts";
import { createNodeWriter } from "./node-writer.ts";

const row = (nodeId: string, outputs = "{}") => ({ nodeId, outputs, input: null }) as NodeRow;

function open() {
  const stored: string[][] = [];
  const answers: ((isOwned: boolean) => void)[] = [];
  const writer = createNodeWriter(({ nodes }: Checkpoint) => {
    stored.push(nodes.map(({ nodeId }) => nodeId));
    return new Promise((resolve) => answers.push(resolve));
  });
  return { writer, stored, answer: (index: number, isOwned = true) => answers[index]?.(isOwned) };
}

describe("what is deferred", () => {
  it("is stored with what comes next, in order, and once", async () => {
    const { writer, stored, answer } = open();
    expect([writer.defer(row("a")), writer.defer(row("b"))]).toEqual([true, true]);
    const written = writer.write({ nodes: [row("c")] });
    answer(0);
    expect(await written).toBe(true);
    const next = writer.write({ nodes: [row("d")] });
    answer(1);
    expect(await next).toBe(true);
    expect(stored).toEqual([["a", "b", "c"], ["d"]]);
  });

  it("is neither much nor large", () => {
    const { writer } = open();
    expect(writer.defer(row("large", "x".repeat(100_000)))).toBe(false);
    const kept = Array.from({ length: 60 }, (_, index) => writer.defer(row(`n${index}`)));
    expect(kept.filter(Boolean)).toHaveLength(50);
  });
});

describe("a write", () => {
  it("is done only when those before it are", async () => {
    const { writer, answer } = open();
    const order: string[] = [];
    const first = writer.write({ nodes: [row("a")] }).then(() => order.push("a"));
    const second = writer.write({ nodes: [row("b")] }).then(() => order.push("b"));
    answer(1);
    await Promise.resolve();
    answer(0);
    await Promise.all([first, second]);
    expect(order).toEqual(["a", "b"]);
  });

  it("fails with those before it", async () => {
    const { writer, answer } = open();
    const writes = [writer.write({ nodes: [row("a")] }), writer.write({ nodes: [row("b")] })];
    answer(0, false);
    answer(1, true);
    expect(await Promise.all(writes)).toEqual([false, false]);
  });
});
