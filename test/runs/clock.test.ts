import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { issue, useGithub } from "../support/runs/github-nodes.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const hourMs = 3_600_000;

describe.each([
  ["behind", -hourMs],
  ["ahead", hourMs],
])("a process whose clock is an hour %s", (_, shiftMs) => {
  let ann: WorkflowApp;
  let github: CountingProvider;
  beforeAll(async () => {
    github = await startCountingProvider();
    const clock = { now: () => new Date(Date.now() + shiftMs) };
    ann = await startWorkflowApp({ clock, environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
    await useGithub(ann, github.url);
  });
  afterAll(async () => {
    await ann?.stop();
    await github?.stop();
  });

  it("ends a wait after its time", async () => {
    const began = performance.now();
    expect((await ann.run(await ann.save([node("rest", "wait", { milliseconds: 700 })]))).status).toBe("succeeded");
    expect(performance.now() - began).toBeGreaterThan(650);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it("ends a wait at its moment, which others read as it is", async () => {
    const until = Date.now() + 1_500;
    const { body } = await ann.trigger(
      await ann.save([node("rest", "wait", { until: new Date(until).toISOString() })]),
    );
    await expect
      .poll(async () => (await ann.readRun(body.id)).body.status, { timeout: 5_000, interval: 20 })
      .toBe("waiting");
    expect(Date.parse(String((await ann.readRun(body.id)).body.wakeAt))).toBe(until);
    const run = await ann.ended(body.id);
    expect(Date.now()).toBeGreaterThan(until - 50);
    expect(Math.abs(Date.parse(String(run.completedAt)) - until)).toBeLessThan(10_000);
  });

  it("tries again after the pause of a node", async () => {
    const id = await ann.save([issue("open", "fail", { settings: { retries: 1, retryDelay: 600 } })]);
    expect(await ann.run(id)).toMatchObject({ status: "failed", nodes: [{ attempts: 2 }] });
    const [first, second] = github.requests.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(550);
    expect((second ?? 0) - (first ?? 0)).toBeLessThan(10_000);
  });
});
