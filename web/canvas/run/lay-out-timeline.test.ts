import { expect, it } from "vitest";
import type { Run, RunNode } from "../../../src/runs/wire.ts";
import { layOutTimeline } from "./lay-out-timeline.ts";

const zeroMs = Date.parse("2026-01-01T00:00:00.000Z");
const at = (ms: number) => new Date(zeroMs + ms).toISOString();
const node = (id: string, others: Partial<RunNode> = {}): RunNode => ({
  id,
  nodeId: "set_fields",
  status: "succeeded",
  attempts: 1,
  leftOutBytes: 0,
  input: null,
  outputs: [],
  ways: {},
  items: null,
  filled: null,
  error: null,
  note: null,
  takenFrom: null,
  wakeAt: null,
  startedAt: null,
  completedAt: null,
  durationMs: null,
  ...others,
});
const run = (nodes: RunNode[], others: Partial<Run> = {}) =>
  ({ createdAt: at(0), startedAt: at(100), completedAt: at(1_000), status: "succeeded", nodes, ...others }) as Run;
const shape = (timeline: ReturnType<typeof layOutTimeline>) =>
  timeline.bars.map(({ node: { id }, startMs, lengthMs, waitedMs, isReused }) => [
    id,
    startMs,
    lengthMs,
    waitedMs,
    isReused,
  ]);

it("puts nodes in the order of their start, to scale, and those not reached last", () => {
  const timeline = layOutTimeline(
    run([
      node("late", { startedAt: at(500), completedAt: at(900), durationMs: 400 }),
      node("never"),
      node("early", { startedAt: at(100), completedAt: at(400), durationMs: 300 }),
    ]),
    zeroMs + 9_999,
  );
  expect(shape(timeline)).toEqual([
    ["early", 100, 300, 0, false],
    ["late", 500, 400, 0, false],
    ["never", null, 0, 0, false],
  ]);
  expect([timeline.totalMs, timeline.queuedMs]).toEqual([1_000, 100]);
});

it("tells waiting from running", () => {
  expect(
    shape(layOutTimeline(run([node("retried", { startedAt: at(100), completedAt: at(900), durationMs: 50 })]), 0)),
  ).toEqual([["retried", 100, 800, 750, false]]);
});

it("does not call it waiting that a node's end was written down a moment later", () => {
  expect(
    shape(layOutTimeline(run([node("quick", { startedAt: at(100), completedAt: at(120), durationMs: 1 })]), 0)),
  ).toEqual([["quick", 100, 20, 0, false]]);
});

it("lets what goes on grow until now", () => {
  const going = node("going", { status: "running", startedAt: at(200), durationMs: 0 });
  const paused = node("paused", { status: "running", startedAt: at(200), durationMs: 10, wakeAt: at(5_000) });
  const timeline = layOutTimeline(run([going, paused], { status: "running", completedAt: null }), zeroMs + 3_000);
  expect(shape(timeline)).toEqual([
    ["going", 200, 2_800, 0, false],
    ["paused", 200, 2_800, 2_790, false],
  ]);
  expect(timeline.totalMs).toBe(3_000);
});

it("counts the whole time as queued while the run has not begun", () => {
  expect(
    layOutTimeline(run([], { status: "pending", startedAt: null, completedAt: null }), zeroMs + 700),
  ).toMatchObject({
    totalMs: 700,
    queuedMs: 700,
  });
});

it("marks what an earlier run had done", () => {
  expect(
    shape(layOutTimeline(run([node("before", { startedAt: at(-900), completedAt: at(-500), durationMs: 400 })]), 0)),
  ).toEqual([["before", 0, 0, 0, true]]);
});
