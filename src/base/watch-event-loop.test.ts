import { pino } from "pino";
import { afterEach, expect, it } from "vitest";
import { watchEventLoop } from "./watch-event-loop.ts";

let stop = () => {};
afterEach(() => stop());

function watch(limitMs: number) {
  const lines: { level: number; msg: string; p99Ms: number; maxMs: number }[] = [];
  const log = pino({ level: "debug" }, { write: (line) => void lines.push(JSON.parse(line)) });
  stop = watchEventLoop({ log, limitMs, periodMs: 200 }).stop;
  return lines;
}

function block(forMs: number): void {
  const until = performance.now() + forMs;
  while (performance.now() < until);
}

it("warns with how long it was when something blocks the event loop, each time", async () => {
  const lines = watch(300);
  for (const round of [1, 2]) {
    block(600);
    await expect.poll(() => lines.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(round);
  }
  expect(lines[0]).toMatchObject({ level: 40, msg: "the event loop was blocked" });
  expect(lines[0]?.maxMs).toBeGreaterThanOrEqual(540);
  expect(lines[0]?.p99Ms).toBeGreaterThanOrEqual(500);
});

it("says nothing while nothing is that late", async () => {
  const lines = watch(60_000);
  block(300);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(lines).toEqual([]);
});
