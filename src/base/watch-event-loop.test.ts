import { pino } from "pino";
import { afterEach, expect, it } from "vitest";
import { watchEventLoop } from "./watch-event-loop.ts";

let stop = () => {};
afterEach(() => stop());

function watch(limitMs: number) {
  const lines: { level: number; p99Ms: number; maxMs: number }[] = [];
  const log = pino({ level: "debug" }, { write: (line) => void lines.push(JSON.parse(line)) });
  stop = watchEventLoop({ log, limitMs, lookEveryMs: 200 }).stop;
  return lines;
}

it("warns with how long it was when something blocks the event loop", async () => {
  const lines = watch(300);
  // The first look must have been taken, because the pause before it is not counted.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const until = performance.now() + 600;
  while (performance.now() < until);
  await expect.poll(() => lines.find(({ maxMs }) => maxMs >= 550), { timeout: 10_000 }).toMatchObject({ level: 40 });
});

it("says nothing while nothing is that late", async () => {
  const lines = watch(60_000);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(lines).toEqual([]);
});
