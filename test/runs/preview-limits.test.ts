import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let model: FakeProvider;
let path: string;

const nodes = [node("last", "set_fields", {}, { instruction: "Greet" })];

beforeAll(async () => {
  model = await startFakeProvider();
  const ai = {
    AI_PROVIDER: "openai-compatible",
    AI_MODEL: "m-1",
    AI_BASE_URL: `${model.url}/v1`,
    OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
  };
  ann = await startWorkflowApp({ environment: ai });
  path = `${ann.path}/workflows/${await ann.save(nodes)}/preview-fill`;
});
beforeEach(() => model.script([{ hang: true }]));
afterAll(async () => {
  await ann?.stop();
  await model?.stop();
});

const body = { canvas: { nodes, edges: [] }, nodeId: "last" };

it("gives up a preview of what a model fills after half a minute, and stops asking the model", async () => {
  const startedAt = performance.now();
  const problem = expectProblem(await ann.owner.browser.post(path, body), { status: 504, code: "tool_timeout" });
  expect(problem.detail).toBe("The language model took longer than 30 s.");
  expect(performance.now() - startedAt).toBeLessThan(40_000);
  await expect.poll(() => model.brokenOff()).toBe(1);
}, 60_000);

it("stops asking the model when whoever asked for the preview leaves", async () => {
  const leaving = new AbortController();
  const cookie = [...ann.owner.browser.cookies].map((pair) => pair.join("=")).join("; ");
  const headers = { origin: ann.app.platformUrl, cookie, "content-type": "application/json" };
  const asked = fetch(ann.app.platformUrl + path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  await expect.poll(() => model.requests().length).toBe(1);
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => model.brokenOff()).toBe(1);
});
