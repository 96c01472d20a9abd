import { expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createTracing } from "../base/tracing.ts";
import type { Outside } from "./action-call.ts";
import { watchSteps } from "./watch-steps.ts";

/** Whether a call that took these steps counts as one that may have changed something. */
async function watch(steps: (reach: Outside) => Promise<unknown>): Promise<boolean> {
  let mayHaveActed = false;
  const outside: Outside = {
    fetch: async (url) => new Response(null, { status: Number(new URL(url).pathname.slice(1)) }),
    resolveHost: async () => "192.0.2.1",
    clock: systemClock,
  };
  const trace = createTracing().follow();
  const onReach = (now: boolean) => {
    mayHaveActed = now;
  };
  await watchSteps(
    outside,
    { beforeStep: undefined, onReach, trace, providerId: "example", sendsTraceParent: false },
    steps,
  );
  return mayHaveActed;
}

const post = (reach: Outside, status: number) => reach.fetch(`https://example.test/${status}`, { method: "POST" });

it("takes back only what the refused request itself would have done", async () => {
  expect(await watch((reach) => post(reach, 422))).toBe(false);
  expect(await watch((reach) => reach.fetch("https://example.test/200"))).toBe(false);
  expect(await watch(async (reach) => [await post(reach, 201), await post(reach, 422)])).toBe(true);
  expect(await watch(async (reach) => [await reach.resolveHost("example.test"), await post(reach, 422)])).toBe(true);
});
