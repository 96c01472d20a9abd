import { describe, expect, it, onTestFinished } from "vitest";
import type { CountingProvider } from "../support/providers/counting-provider.ts";
import { issue, useGithub } from "../support/runs/github-nodes.ts";
import { setUpRuns } from "../support/runs/set-up-runs.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const environment = { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "4" };
let ann: WorkflowApp;
let github: CountingProvider;

setUpRuns(
  (made) => {
    ({ ann, github } = made);
  },
  { environment },
);

const branches = (count: number) => Array.from({ length: count }, (_, index) => issue(`b${index}`, `Branch ${index}`));

describe("the calls of one run", () => {
  it("are never more at once than the organization has slots, however many branches there are", async () => {
    github.takeTime(20);
    const run = await ann.run(await ann.save(branches(200)));
    expect(run.status).toBe("succeeded");
    expect(github.requests).toHaveLength(200);
    expect(github.seen.most).toBe(4);
  });

  it("are counted over branches, items and the runs that take turns, and none waits for ever", async () => {
    github.takeTime(20);
    const child = await ann.save([issue("open", "Child")]);
    const settings = { itemsAtOnce: 8, retries: 1, retryDelay: 10 };
    const list = node("list", "loop", { list: "[1..20].('Item ' & $string($))" });
    const calls = Array.from({ length: 6 }, (_, index) => node(`c${index}`, "call_workflow", { workflowId: child }));
    const nodes = [
      list,
      issue("each", "{{ $input.value }}", { settings }),
      node("rest", "wait", { milliseconds: 50 }),
      ...branches(10),
      ...calls,
    ];
    github.plan("Item 7", ["fail"]);
    const run = await ann.run(await ann.save(nodes, edges("list>each", "rest>b0")));
    expect(run.error).toBeNull();
    expect(github.requests).toHaveLength(20 + 1 + 10 + 6);
    // That of the run itself, and of those that it called with their own slots.
    expect(github.seen.most).toBeLessThanOrEqual(4 + 3);
  });

  it("are as many as the configuration says, and the time of one begins with its turn", async () => {
    const narrow = await startWorkflowApp({ environment: { ...environment, TASK_RUNNER_MAX_CALLS: "1" } });
    onTestFinished(() => narrow.stop());
    await useGithub(narrow, github.url);
    github.takeTime(300);
    const nodes = Array.from({ length: 5 }, (_, index) =>
      issue(`b${index}`, `Branch ${index}`, { settings: { timeout: 1_200 } }),
    );
    expect((await narrow.run(await narrow.save(nodes))).status).toBe("succeeded");
    expect(github.seen.most).toBe(1);
  });

  it("that wait for their turn end with the run", async () => {
    const release = github.hold();
    onTestFinished(release);
    const { body } = await ann.trigger(await ann.save(branches(12)));
    await github.whenRunning(4, 5_000);
    await ann.owner.browser.post(`${ann.path}/runs/${body.id}/cancel`, {});
    await expect.poll(() => github.brokenOff.length, { timeout: 5_000 }).toBe(4);
    release();
    expect((await ann.run(await ann.save([issue("open", "Next")]))).status).toBe("succeeded");
    expect(github.requests).toHaveLength(5);
  });
});
