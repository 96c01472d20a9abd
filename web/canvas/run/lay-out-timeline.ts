import type { Run, RunNode } from "../../../src/runs/wire.ts";
import { isOver } from "../../api/runs.ts";

export type TimelineBar = {
  node: RunNode;
  /** Since the run was accepted; null when the node was not reached. */
  startMs: number | null;
  /** From its start to its end, or to now. */
  lengthMs: number;
  /** Of that, what was spent on pauses and on waiting for another attempt. */
  waitedMs: number;
  /** It was done in the run that this one repeats. */
  isReused: boolean;
};

/** Less than that goes into writing down that a node began and ended. */
const noticeableMs = 50;

export type Timeline = { totalMs: number; queuedMs: number; bars: TimelineBar[] };

/** Where on a common scale each node began and ended, in the order in which they began. */
export function layOutTimeline(run: Run, nowMs: number): Timeline {
  const zeroMs = Date.parse(run.createdAt);
  const endMs = run.completedAt ? Date.parse(run.completedAt) : nowMs;
  const bars = run.nodes.map((node) => toBar(node, { zeroMs, endMs, isRunOver: isOver(run) }));
  const reached = bars
    .filter(({ startMs }) => startMs !== null)
    .sort((one, other) => (one.startMs ?? 0) - (other.startMs ?? 0));
  return {
    totalMs: Math.max(1, endMs - zeroMs, ...reached.map(({ startMs, lengthMs }) => (startMs ?? 0) + lengthMs)),
    queuedMs: Math.max(0, (run.startedAt ? Date.parse(run.startedAt) : endMs) - zeroMs),
    bars: [...reached, ...bars.filter(({ startMs }) => startMs === null)],
  };
}

type Frame = { zeroMs: number; endMs: number; isRunOver: boolean };

function toBar(node: RunNode, { zeroMs, endMs, isRunOver }: Frame): TimelineBar {
  if (node.startedAt === null) return { node, startMs: null, lengthMs: 0, waitedMs: 0, isReused: false };
  const began = Date.parse(node.startedAt);
  const ended = node.completedAt ? Date.parse(node.completedAt) : endMs;
  const isReused = ended < zeroMs;
  const lengthMs = isReused ? 0 : Math.max(0, ended - began);
  const isWorking = !isRunOver && node.completedAt === null && node.wakeAt === null;
  const restMs = lengthMs - (node.durationMs ?? lengthMs);
  const waitedMs = isReused || isWorking || restMs < noticeableMs ? 0 : restMs;
  return { node, startMs: Math.max(0, began - zeroMs), lengthMs, waitedMs, isReused };
}
