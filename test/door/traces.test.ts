import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeCollector, type SeenSpan, startFakeCollector } from "../support/fake-collector.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { issue } from "../support/runs/github-nodes.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { createDataDir, startServer } from "../support/spawned-server.ts";
import { testKeys } from "../support/test-settings.ts";

const token = "ghp_canary-token-5521";
const argument = "canary-argument-9917";
const promptCanary = "canary-prompt-3385";
const collectorKey = "canary-collector-key-2204";
const [internal, server, client] = [1, 2, 3];

let collector: FakeCollector;
let github: CountingProvider;
let flows: WorkflowApp;
let reference: string;

beforeAll(async () => {
  [collector, github] = await Promise.all([startFakeCollector(), startCountingProvider()]);
  flows = await startWorkflowApp({
    environment: {
      OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${collectorKey}`,
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    },
  });
  reference = await connectGitHub(flows);
});
afterAll(async () => {
  await flows.stop();
  await Promise.all([collector.stop(), github.stop()]);
});
beforeEach(() => github.forget());

async function connectGitHub({ app, owner: { organizationId } }: WorkflowApp): Promise<string> {
  const data = { kind: "bearer", accessToken: token, baseUrl: github.url };
  const created = await app.parts.vault.credentials.create(organizationId, {
    type: "github",
    name: "GitHub",
    data,
    createdBy: null,
  });
  await app.parts.vault.defaults.set({ organizationId, apiKeyId: null, type: "github" }, created.id);
  return created.reference;
}

/** A caller in a trace of its own. */
function newCaller() {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}

/** The spans of a trace, once there is one with each of these names. */
async function spansOf(traceId: string, names: string[]): Promise<SeenSpan[]> {
  const read = () => collector.spans().filter((span) => span.traceId === traceId);
  await expect.poll(() => read().map(({ name }) => name), { timeout: 20_000 }).toEqual(expect.arrayContaining(names));
  return read();
}

/** Each span with the name of the one above it. */
const treeOf = (spans: SeenSpan[]) =>
  spans
    .map(
      ({ name, parentSpanId }) =>
        `${spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId} > ${name}`,
    )
    .sort();

const named = (spans: SeenSpan[], name: string): SeenSpan => {
  const found = spans.filter((span) => span.name === name);
  expect(found).toHaveLength(1);
  return found[0] as SeenSpan;
};

async function callTool(title: string, traceparent: string) {
  const { key } = await flows.app.parts.identity.apiKeys.create(flows.owner.organizationId, {
    name: "caller",
    scopes: ["mcp:invoke"],
    createdBy: null,
  });
  const params = {
    name: "github_create_issue",
    arguments: { owner: "acme", repo: "site", title, credentials: { github: reference } },
  };
  return await createMcpClient(flows.app.gatewayUrl, { "x-api-key": key }).legacy("github", "tools/call", params, {
    traceparent,
  });
}

const lastCall = async () => {
  const { body } = await flows.owner.browser.get(`${flows.path}/tool-calls?limit=1`);
  return (await flows.owner.browser.get(`${flows.path}/tool-calls/${body.data[0].id}`)).body;
};

describe("a tool call", () => {
  it("is one trace from the client to the provider, which learns nothing of it", async () => {
    const caller = newCaller();
    expect((await callTool(`Hello ${argument}`, caller.traceparent)).json.result?.structuredContent).toBeDefined();
    const spans = await spansOf(caller.traceId, ["POST /github/mcp"]);
    expect(treeOf(spans)).toEqual(
      [
        `${caller.spanId} > POST /github/mcp`,
        "POST /github/mcp > tools/call github_create_issue",
        "tools/call github_create_issue > POST github",
        "tools/call github_create_issue > slot wait",
      ].sort(),
    );
    expect(spans.filter(({ hasFailed }) => hasFailed)).toEqual([]);
    expect(named(spans, "POST /github/mcp")).toMatchObject({
      kind: server,
      facts: { "http.response.status_code": 200 },
    });
    expect(named(spans, "POST github")).toMatchObject({
      kind: client,
      facts: { "switchyard.provider": "github", "http.request.method": "POST", "http.response.status_code": 201 },
    });
    expect(named(spans, "tools/call github_create_issue")).toMatchObject({
      kind: internal,
      facts: {
        "switchyard.organization.id": flows.owner.organizationId,
        "switchyard.server.id": "github",
        "switchyard.tool": "github_create_issue",
      },
    });
    expect(github.requests.map(({ traceparent }) => traceparent)).toEqual([undefined]);
    expect(await lastCall()).toMatchObject({ tool: "github_create_issue", traceId: caller.traceId });
    await expect
      .poll(() => flows.app.logLines.some((line) => line.includes(`"traceId":"${caller.traceId}"`)), {
        timeout: 10_000,
      })
      .toBe(true);
  });

  it("that fails says where and how, and not in whose words", async () => {
    const caller = newCaller();
    expect((await callTool(`fail ${argument}`, caller.traceparent)).json.result?.isError).toBe(true);
    const spans = await spansOf(caller.traceId, ["POST /github/mcp"]);
    expect(named(spans, "POST github")).toMatchObject({ hasFailed: true, facts: { "error.type": "422" } });
    expect(named(spans, "tools/call github_create_issue")).toMatchObject({
      hasFailed: true,
      facts: { "error.type": "provider_error" },
    });
    expect(named(spans, "POST /github/mcp").hasFailed).toBe(false);
  });

  it("from a page is in the trace of its request", async () => {
    const caller = newCaller();
    const body = {
      parameters: { owner: "acme", repo: "site", title: "Hello" },
      credentials: { github: reference },
      confirm: true,
    };
    const { body: record } = await flows.owner.browser.send(
      "POST",
      `${flows.path}/tools/github_create_issue/call`,
      body,
      {
        traceparent: caller.traceparent,
      },
    );
    expect(record).toMatchObject({ status: "success", traceId: caller.traceId });
    const route = "POST /api/organizations/:organizationId/tools/:toolName/call";
    const spans = await spansOf(caller.traceId, [route]);
    expect(treeOf(spans)).toEqual(
      [`${caller.spanId} > ${route}`, `${route} > POST github`, `${route} > slot wait`].sort(),
    );
  });

  it("has a trace id of its own when its caller sends none that is valid", async () => {
    await callTool("Hello", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`);
    expect((await lastCall()).traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
  });

  it("is not recorded when its caller decided so", async () => {
    const quiet = newCaller();
    await callTool("Hello", quiet.traceparent.replace(/01$/, "00"));
    expect((await lastCall()).traceId).toBe(quiet.traceId);
    const loud = newCaller();
    await callTool("Hello", loud.traceparent);
    await spansOf(loud.traceId, ["POST /github/mcp"]);
    expect(collector.spans().filter(({ traceId }) => traceId === quiet.traceId)).toEqual([]);
  });
});

describe("a run", () => {
  it("is in the trace of its trigger, with its nodes and what they ask of providers", async () => {
    const workflowId = await flows.save(
      [node("first", "set_fields", { fields: { note: argument } }), issue("second", "{{ $trigger.prompt }}")],
      edges("first>second"),
    );
    const caller = newCaller();
    const { body: accepted } = await flows.trigger(
      workflowId,
      { runtimePrompt: promptCanary },
      { traceparent: caller.traceparent },
    );
    expect(await flows.ended(accepted.id)).toMatchObject({ status: "succeeded", traceId: caller.traceId });
    const route = "POST /task-runner/trigger/:workflowId";
    const spans = await spansOf(caller.traceId, [route, "run"]);
    expect(treeOf(spans)).toEqual(
      [
        `${caller.spanId} > ${route}`,
        `${route} > run`,
        "run > slot wait",
        "run > node set_fields",
        "run > node github_create_issue",
        "node github_create_issue > POST github",
      ].sort(),
    );
    expect(named(spans, "run").facts).toEqual({
      "switchyard.organization.id": flows.owner.organizationId,
      "switchyard.run.id": accepted.id,
      "switchyard.run.kind": "api",
      "switchyard.run.outcome": "succeeded",
      "switchyard.workflow.id": workflowId,
      "switchyard.workflow.version": 1,
    });
    expect(named(spans, "node github_create_issue").facts).toMatchObject({
      "switchyard.node.id": "second",
      "switchyard.node.attempt": 1,
    });
    const { body: run } = await flows.owner.browser.get(`${flows.path}/runs/${accepted.id}`);
    expect(run.traceId).toBe(caller.traceId);
  });

  it("that a webhook or another run starts is in the same trace", async () => {
    const inner = await flows.save([node("fail", "stop", { message: argument })], [], "Inner");
    const outer = await flows.save([node("call", "call_workflow", { workflowId: inner })], [], "Outer");
    const { body: webhook } = await flows.owner.browser.post(`${flows.path}/triggers`, {
      kind: "webhook",
      signature: "none",
      workflowId: outer,
      name: "Hook",
    });
    const caller = newCaller();
    const headers = { "content-type": "application/json", traceparent: caller.traceparent };
    const delivered = await fetch(webhook.webhookUrl, {
      method: "POST",
      headers,
      body: JSON.stringify({ note: argument }),
    });
    const { id } = (await delivered.json()) as { id: string };
    expect(await flows.ended(id)).toMatchObject({ status: "failed", traceId: caller.traceId });
    const spans = await spansOf(caller.traceId, ["POST /webhooks/:triggerId/:token", "node stop"]);
    await expect
      .poll(
        () =>
          collector
            .spans()
            .filter((one) => one.traceId === caller.traceId && one.facts["switchyard.run.outcome"] === "failed").length,
        { timeout: 20_000 },
      )
      .toBe(2);
    const all = collector.spans().filter(({ traceId }) => traceId === caller.traceId);
    const runs = all.filter(({ name }) => name === "run");
    const called = runs.find(({ facts }) => facts["switchyard.run.kind"] === "workflow");
    expect(called?.parentSpanId).toBe(named(spans, "node call_workflow").spanId);
    // Once until it waited for the other run, and once afterwards.
    expect(
      runs.map(({ facts }) => `${facts["switchyard.run.kind"]} ${facts["switchyard.run.outcome"]}`).sort(),
    ).toEqual(["webhook aside", "webhook failed", "workflow failed"]);
    expect(called?.hasFailed).toBe(true);
  });
});

describe("a run that one process accepts and another one has", () => {
  it("stays in the trace of its trigger, also after a crash", { timeout: 180_000 }, async () => {
    const folder = createDataDir();
    const environment = { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const asked = await startWorkflowApp({ roles: ["platform"], environment });
    const { database } = asked.app;
    await connectGitHub(asked);
    const startWorker = () =>
      startServer({
        dataDir: folder.dataDir,
        roles: "worker",
        environment: { ...environment, ...testKeys, DATABASE_URL: database.url },
      });
    const settings = { repeatAfterInterruption: true };
    const workflowId = await asked.save(
      [issue("first", "One", { settings }), issue("second", "Two", { settings })],
      edges("first>second"),
    );
    let worker = await startWorker();
    try {
      const caller = newCaller();
      const release = github.hold();
      const { body: accepted } = await asked.trigger(workflowId, {}, { traceparent: caller.traceparent });
      await github.whenRunning(1, 60_000);
      await worker.kill();
      release();
      worker = await startWorker();
      expect(await asked.ended(accepted.id, 120_000)).toMatchObject({ status: "succeeded", traceId: caller.traceId });
      // Ended in order, so that it hands over its last spans at once.
      await worker.stop();
      const spans = await spansOf(caller.traceId, ["POST /task-runner/trigger/:workflowId", "run"]);
      const runs = spans.filter(({ name }) => name === "run");
      const { spanId } = named(spans, "POST /task-runner/trigger/:workflowId");
      for (const run of runs)
        expect(run).toMatchObject({ parentSpanId: spanId, facts: { "switchyard.run.id": accepted.id } });
      expect(runs.map(({ facts }) => facts["switchyard.run.outcome"])).toContain("succeeded");
    } finally {
      await worker.kill();
      await asked.stop();
      await folder.remove();
    }
  });
});

describe("the collector", () => {
  it("is told who speaks, with the headers it asks for", () => {
    expect(collector.requests[0]).toMatchObject({ path: "/v1/traces", headers: { "x-collector-key": collectorKey } });
    expect(collector.resource()).toMatchObject({ "service.name": "switchyard", "deployment.environment.name": "test" });
  });

  it("never got a byte of an argument, an output, a prompt, a credential or a key", () => {
    const sent = collector.requests.map(({ text }) => text).join("\n");
    expect(sent).toContain("github_create_issue");
    for (const secret of [token, argument, promptCanary, flows.key, reference, collectorKey, "acme"])
      expect(sent).not.toContain(secret);
    expect(sent).not.toMatch(/\/webhooks\/[0-9a-f]|\?/);
  });
});

describe("a server that stops", () => {
  it("hands over what it has recorded before it ends", { timeout: 90_000 }, async () => {
    const folder = createDataDir();
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      DATABASE_URL: flows.app.database.url,
      ...testKeys,
    };
    const stopping = await startServer({ dataDir: folder.dataDir, roles: "platform", environment });
    try {
      const caller = newCaller();
      await fetch(`${stopping.platformUrl}/api/me`, { headers: { traceparent: caller.traceparent } });
      expect((await stopping.stop("SIGTERM")).code).toBe(0);
      expect(collector.spans().filter(({ traceId }) => traceId === caller.traceId)).toMatchObject([
        { name: "GET /api/me", parentSpanId: caller.spanId, facts: { "http.response.status_code": 401 } },
      ]);
    } finally {
      await stopping.kill();
      await folder.remove();
    }
  });
});

describe("a collector that is not there", () => {
  it("fails no call, and what it misses is counted", async () => {
    const away = await startFakeCollector();
    await away.stop();
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: away.url, OTEL_EXPORTER_OTLP_TIMEOUT: "500" };
    const alone = await startWorkflowApp({ environment });
    try {
      const workflowId = await alone.save([node("only", "set_fields", { fields: { a: 1 } })]);
      expect((await alone.run(workflowId)).status).toBe("succeeded");
      const readMetrics = async () => await (await fetch(`${alone.app.platformUrl}/metrics`)).text();
      await expect.poll(readMetrics, { timeout: 20_000 }).toMatch(/switchyard_spans_total\{outcome="failed"\} [1-9]/);
      expect((await alone.run(workflowId)).status).toBe("succeeded");
    } finally {
      await alone.stop();
    }
  });
});

describe("providers", () => {
  it("are told the trace when the operator wants it, also without a collector", async () => {
    const open = await startWorkflowApp({
      environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", OUTBOUND_TRACEPARENT: "true" },
    });
    try {
      await connectGitHub(open);
      const workflowId = await open.save([issue("only", "Hello")]);
      const caller = newCaller();
      await open.trigger(workflowId, {}, { traceparent: caller.traceparent, prefer: "wait=30" });
      expect(github.requests.map(({ traceparent }) => traceparent)).toEqual([caller.traceparent]);
    } finally {
      await open.stop();
    }
  });
});
