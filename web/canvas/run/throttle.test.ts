import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createThrottle } from "./throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("acts at once, then once for all that was asked in between", () => {
  let acts = 0;
  const { ask } = createThrottle(() => acts++, 250);
  for (let count = 0; count < 5; count++) ask();
  expect(acts).toBe(1);
  vi.advanceTimersByTime(250);
  expect(acts).toBe(2);
  vi.advanceTimersByTime(1_000);
  expect(acts).toBe(2);
});

it("does nothing after it was stopped", () => {
  let acts = 0;
  const { ask, stop } = createThrottle(() => acts++, 250);
  ask();
  ask();
  stop();
  vi.advanceTimersByTime(1_000);
  expect(acts).toBe(1);
});
