import { expect, it } from "vitest";
import type { Box } from "../flow/flow-data.ts";
import { findCarried, shiftAll } from "./find-carried.ts";

const box = (id: string, type: "box" | "note", [x, y, width, height]: [number, number, number, number]) =>
  ({ id, type, position: { x, y }, measured: { width, height } }) as unknown as Box;

const boxes = [
  box("note:a", "note", [0, 0, 400, 200]),
  box("on", "box", [10, 10, 224, 58]),
  box("edge", "box", [300, 10, 224, 58]),
  box("beside", "box", [600, 10, 224, 58]),
  box("note:b", "note", [20, 100, 120, 60]),
];

it("takes along what lies fully on a note, and nothing that only touches it or is moved anyway", () => {
  expect(findCarried(boxes, ["note:a"])).toEqual({ on: { x: 10, y: 10 }, "note:b": { x: 20, y: 100 } });
  expect(findCarried(boxes, ["note:a", "on"])).toEqual({ "note:b": { x: 20, y: 100 } });
  expect(findCarried(boxes, ["on"])).toEqual({});
});

it("moves all by the same way", () => {
  expect(shiftAll({ on: { x: 10, y: 10 } }, 5, -5)).toEqual({ on: { x: 15, y: 5 } });
});
