import { describe, expect, it } from "vitest";
import type { RunNode } from "../../../src/runs/wire.ts";
import { changeNode } from "./change-node.ts";
import { faultsBelow, unplacedFaults } from "./faults-below.ts";
import { itemsAlong } from "./items-along.ts";

describe("changing a part of a node", () => {
  const node = { id: "a", nodeId: "stop", name: "A", parameters: { message: "x" } };

  it("leaves out what is empty, as the canvas is stored", () => {
    expect(changeNode(node, "name", "")).toEqual({ id: "a", nodeId: "stop", parameters: { message: "x" } });
    expect(changeNode(node, "parameters", {})).toEqual({ id: "a", nodeId: "stop", name: "A" });
    expect(changeNode(node, "settings", { disabled: true })).toEqual({ ...node, settings: { disabled: true } });
  });

  it("keeps the order of the others", () => {
    expect(Object.keys(changeNode(node, "name", "B"))).toEqual(["id", "nodeId", "name", "parameters"]);
  });
});

describe("the faults of a node", () => {
  const faults = ["", "/nodeId", "/parameters", "/parameters/a/0", "/parametersOfOthers", "/settings/retries"].map(
    (pointer) => ({
      pointer,
      detail: "is wrong",
    }),
  );

  it("go to the part they are about, with pointers into it", () => {
    expect(faultsBelow(faults, "/parameters").map(({ pointer }) => pointer)).toEqual(["", "/a/0"]);
    expect(faultsBelow(faults, "/settings").map(({ pointer }) => pointer)).toEqual(["/retries"]);
  });

  it("are shown above the fields where no field is meant", () => {
    expect(unplacedFaults(faults).map(({ pointer }) => pointer)).toEqual(["", "/nodeId", "/parametersOfOthers"]);
  });
});

describe("what came along an edge", () => {
  const source = {
    id: "a",
    outputs: [{ n: 1 }, { n: 2 }, { n: 3 }],
    ways: { true: 1, false: 2 },
  } as unknown as RunNode;
  const along = (sourceHandle?: string, from = "a") =>
    itemsAlong({ id: "e", source: from, target: "b", ...(sourceHandle ? { sourceHandle } : {}) }, [source]).map(
      ({ n }) => n,
    );

  it("are the items of its way", () => {
    expect([along("true"), along("false"), along("otherwise")]).toEqual([[1], [2, 3], []]);
  });

  it("is everything where there is one way, and nothing from a node that has not run", () => {
    expect([along(), along(undefined, "z")]).toEqual([[1, 2, 3], []]);
  });
});
