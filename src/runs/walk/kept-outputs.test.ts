import { describe, expect, it } from "vitest";
import type { GraphNode } from "./graph.ts";
import type { Settled } from "./incoming.ts";
import { createKeptOutputs } from "./kept-outputs.ts";
import { createOutputBudget } from "./output-budget.ts";

const node = (id: string, ...sources: string[]) =>
  ({
    id,
    parameters: {},
    settings: {},
    incoming: sources.map((source) => ({ source, way: "out" })),
    next: [],
  }) as unknown as GraphNode;
const gave = (text: string): Settled => ({ status: "succeeded", outputs: { out: [{ text }] } });

/** A run of which the node `after` follows `first`, in a process that keeps 1000 characters of each run. */
function open(stored: Record<string, string>) {
  const settled = new Map<string, Settled>();
  const [first, after] = [node("first"), node("after", "first")];
  const kept = createKeptOutputs({
    graph: new Map([first, after].map((one) => [one.id, one])),
    settled,
    root: {},
    budget: createOutputBudget({ heapBytes: 32_000 }),
    isStored: () => true,
    read: async (id) => stored[id] ?? null,
    signal: new AbortController().signal,
  });
  const settle = (length: number) => {
    settled.set("first", gave("whole"));
    kept.add("first", length);
  };
  return { settle, load: () => kept.load({ node: after, incoming: { items: [], branches: [] } }) };
}

describe("what a node gave that is only in the database", () => {
  it("is read for a node that needs it", async () => {
    const { settle, load } = open({ first: JSON.stringify(gave("read").outputs) });
    settle(2_000);
    expect((await load()).settled.get("first")).toEqual(gave("read"));
  });

  it("is not taken for nothing when it is not there", async () => {
    const { settle, load } = open({});
    settle(2_000);
    await expect(load()).rejects.toThrow("What the node first gave is not stored any more.");
  });
});

describe("what a node is executed with", () => {
  it("stays as it is when the run keeps less in memory meanwhile", async () => {
    const { settle, load } = open({});
    settle(10);
    const { settled } = await load();
    settle(2_000);
    expect(settled.get("first")).toEqual(gave("whole"));
  });
});

describe("a node that waits for memory", () => {
  it("does not wait when its run is over already", async () => {
    const budget = createOutputBudget({ heapBytes: 32_000 });
    await budget.takeToRead(4_000, new AbortController().signal);
    await expect(budget.takeToRead(4_000, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
  }, 2_000);
});
