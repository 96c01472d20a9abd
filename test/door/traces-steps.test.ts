import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type FakeCollector, startFakeCollector } from "../support/fake-collector.ts";
import { startFakeModel } from "../support/providers/fake-model.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { startDatabaseProxy } from "../support/storage/database-proxy.ts";

const promptCanary = "canary-prompt-7741";
let collector: FakeCollector;
let model: Awaited<ReturnType<typeof startFakeModel>>;
let database: Awaited<ReturnType<typeof startDatabaseProxy>>;
let flows: WorkflowApp;

beforeAll(async () => {
  collector = await startFakeCollector();
  model = await startFakeModel(() => ({ sql: "SELECT 2 AS two" }));
  database = await startDatabaseProxy(inject("postgres"));
  flows = await startWorkflowApp({ environment: { ...model.environment, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
});
afterAll(async () => {
  await flows.stop();
  database.close();
  await Promise.all([collector.stop(), model.stop()]);
});

async function connectPostgres(): Promise<string> {
  const { host, port, user } = database.target;
  const data = { host, port, user, database: "postgres", ssl: "disable" };
  const { organizationId } = flows.owner;
  const created = await flows.app.parts.vault.credentials.create(organizationId, {
    type: "postgres",
    name: "Own",
    data,
    createdBy: null,
  });
  return created.reference;
}

/** Runs one node and gives the steps below it in the trace. */
async function stepsOf(nodeOf: (reference: string) => ReturnType<typeof node>) {
  const workflowId = await flows.save([nodeOf(await connectPostgres())]);
  const traceId = randomBytes(16).toString("hex");
  const { body } = await flows.trigger(
    workflowId,
    { runtimePrompt: promptCanary },
    { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  );
  const { status } = await flows.ended(body.id);
  const read = () => collector.spans().filter((span) => span.traceId === traceId);
  await expect.poll(() => read().some(({ name }) => name === "run"), { timeout: 20_000 }).toBe(true);
  const above = read().find(({ name }) => name.startsWith("node "))?.spanId;
  return { status, steps: read().filter(({ parentSpanId }) => parentSpanId === above) };
}

const query = (sql: object) => (reference: string) =>
  node("ask", "postgres_query", sql, {
    credentials: { postgres: reference },
    instruction: "sql" in sql ? "" : "Ask for two.",
  });

it("a provider without HTTP is a span as long as it is connected", async () => {
  const { status, steps } = await stepsOf(query({ sql: "SELECT 1 AS one" }));
  expect(status).toBe("succeeded");
  expect(steps).toMatchObject([
    { name: "connection postgres", kind: 3, hasFailed: false, facts: { "switchyard.provider": "postgres" } },
  ]);
});

it("one that fails says how, and not in whose words", async () => {
  database.weather.isCut = true;
  const { status, steps } = await stepsOf(query({ sql: "SELECT 1 AS one" }));
  database.weather.isCut = false;
  expect(status).toBe("failed");
  expect(steps).toMatchObject([
    { name: "connection postgres", hasFailed: true, facts: { "error.type": "provider_unreachable" } },
  ]);
});

it("a language model that fills parameters is a span that tells nothing of what was asked", async () => {
  const { status, steps } = await stepsOf(query({}));
  expect(status).toBe("succeeded");
  expect(steps.map(({ name }) => name).sort()).toEqual(["connection postgres", "model"]);
  expect(model.told.join()).toContain(promptCanary);
  expect(collector.requests.map(({ text }) => text).join()).not.toMatch(new RegExp(`${promptCanary}|SELECT`));
});
