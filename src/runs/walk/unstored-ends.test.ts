import { describe, expect, it } from "vitest";
import { createUnstoredEnds, type Ended } from "./unstored-ends.ts";

const ended = (outputs: string) =>
  ({ end: { is: "succeeded" }, row: { outputs, input: null, filled: null } }) as unknown as Ended;

describe("ends that could not be stored", () => {
  const keptOf = (ends: ReturnType<typeof createUnstoredEnds>, runId: string) => [...ends.of(runId).keys()];

  it("are kept until each is forgotten", () => {
    const ends = createUnstoredEnds();
    for (const id of ["a", "b"]) ends.keep("run", id, ended("{}"));
    expect([keptOf(ends, "run"), keptOf(ends, "run")]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    ends.forget("run", "a");
    expect(keptOf(ends, "run")).toEqual(["b"]);
  });

  it("take a limited amount of memory: the oldest go first, also of one run", () => {
    const ends = createUnstoredEnds({ mostTextLength: 100 });
    ends.keep("old", "a", ended("x".repeat(60)));
    ends.keep("new", "a", ended("x".repeat(60)));
    expect([keptOf(ends, "old"), keptOf(ends, "new")]).toEqual([[], ["a"]]);
    ends.keep("new", "b", ended("x".repeat(60)));
    expect(keptOf(ends, "new")).toEqual(["b"]);
    ends.keep("new", "b", ended("x".repeat(90)));
    expect(keptOf(ends, "new")).toEqual(["b"]);
    ends.forget("new", "b");
    ends.keep("next", "a", ended("x".repeat(100)));
    expect(keptOf(ends, "next")).toEqual(["a"]);
  });

  it("are those of a limited number of runs", () => {
    const ends = createUnstoredEnds();
    for (let index = 0; index <= 500; index++) ends.keep(`run ${index}`, "a", ended("{}"));
    expect([keptOf(ends, "run 0"), keptOf(ends, "run 1")]).toEqual([[], ["a"]]);
  });
});
