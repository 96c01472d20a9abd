import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { createMcpClient } from "../support/gateway/mcp-client.ts";
import { signUpOwner } from "../support/people.ts";
import { edges, node } from "../support/runs/workflow-app.ts";

let mcp: McpApp;
let path: string;

beforeAll(async () => {
  mcp = await startMcpApp({ environment: { MCP_MAX_EXECUTION_TIME: "2s" } });
  path = `/api/organizations/${mcp.owner.organizationId}`;
});
afterAll(() => mcp.stop());

const greet = {
  name: "Greet somebody",
  description: "Says hello.",
  canvas: {
    nodes: [node("hello", "set_fields", { fields: { text: "Hello {{ $trigger.payload.who }}" } })],
    edges: [],
  },
  tool: { name: "greet", inputs: [{ name: "who", type: "string", description: "Whom to greet.", required: true }] },
};

// Every test knows what it asked for.
type Field = "workflows" | "triggers" | "executions" | "credentials" | "toolInvocations";
type Structured = Record<Field, { id: string; reference?: string }[]> & {
  runId: string;
  workflow: object;
  trigger: object;
  nextCursor: string | null;
  execution: { status: string; nodes: object[] };
};
type Answered = {
  tools: { name: string }[];
  cacheScope: string;
  isError?: boolean;
  content: { text: string }[];
  structuredContent: Structured;
};

async function ask(
  client: Pick<typeof mcp.client, "modern">,
  serverId: string,
  method: string,
  params: Record<string, unknown> = {},
) {
  const { json } = await client.modern(serverId, method, params);
  return { result: json.result as unknown as Answered };
}

async function save(workflow: object): Promise<string> {
  const { status, body } = await mcp.owner.browser.post(`${path}/workflows`, workflow);
  expect([status, body.detail]).toEqual([201, undefined]);
  return body.id as string;
}

describe("the workflows server", () => {
  let id: string;
  beforeAll(async () => {
    id = await save(greet);
  });

  it("lists the organization's own workflows with their inputs, for no cache to share", async () => {
    const { result } = await ask(mcp.client, "workflows", "tools/list");
    expect(result.cacheScope).toBe("private");
    expect(result.tools).toMatchObject([
      { name: "greet", title: "Greet somebody", description: "Says hello.", inputSchema: { required: ["who"] } },
    ]);
  });

  it("is not in the public catalogue", async () => {
    const { meta, data } = (await (await fetch(`${mcp.app.gatewayUrl}/servers`)).json()) as {
      meta: object;
      data: { id: string }[];
    };
    expect(meta).toEqual({ serverCount: onDisk.serverIds.length, toolCount: onDisk.serverTools.length });
    expect(data.map((one) => one.id).sort()).toEqual(onDisk.serverIds);
  });

  it("runs the workflow, waits for its end and records the call", async () => {
    const { result } = await ask(mcp.client, "workflows", "tools/call", { name: "greet", arguments: { who: "Ada" } });
    expect(result).toMatchObject({ structuredContent: { status: "succeeded", items: [{ text: "Hello Ada" }] } });
    const { body } = await mcp.owner.browser.get(`${path}/runs/${result.structuredContent.runId}`);
    expect(body).toMatchObject({ executionType: "tool", workflowId: id, apiKeyName: "test", status: "succeeded" });
    const { body: calls } = await mcp.owner.browser.get(`${path}/tool-calls?server=workflows`);
    expect(calls.data).toMatchObject([{ tool: "greet", status: "success", source: "mcp" }]);
  });

  it("refuses wrong arguments before a run exists", async () => {
    const before = (await mcp.owner.browser.get(`${path}/runs`)).body.data.length;
    const { result } = await ask(mcp.client, "workflows", "tools/call", {
      name: "greet",
      arguments: { who: 1, more: true },
    });
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0]?.text).toContain("who");
    expect((await mcp.owner.browser.get(`${path}/runs`)).body.data).toHaveLength(before);
  });

  it("says which run goes on when the time is up", async () => {
    const waiting = { nodes: [node("wait", "wait", { milliseconds: 600_000 })], edges: [] };
    await save({ name: "Slow", canvas: waiting, tool: { name: "slow", inputs: [] } });
    const { result } = await ask(mcp.client, "workflows", "tools/call", { name: "slow", arguments: {} });
    expect(result).toMatchObject({ structuredContent: { status: "pending", items: [] } });
    const runId = result.structuredContent.runId;
    expect((await mcp.owner.browser.post(`${path}/runs/${runId}/cancel`)).body).toMatchObject({ status: "cancelled" });
  });

  it("tells of a run that failed", async () => {
    await save({
      name: "Bad",
      canvas: { nodes: [node("stop", "stop", { message: "Not today" })], edges: [] },
      tool: { name: "bad", inputs: [] },
    });
    const { result } = await ask(mcp.client, "workflows", "tools/call", { name: "bad", arguments: {} });
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0]?.text).toContain("Not today");
  });

  it("shows nothing of another organization, nor of a workflow that is off", async () => {
    const bob = await signUpOwner(mcp.app, "Bob");
    const { key } = await mcp.createKey(["mcp:invoke"], bob.organizationId);
    const { result } = await ask(createMcpClient(mcp.app.gatewayUrl, { "x-api-key": key }), "workflows", "tools/list");
    expect(result.tools).toEqual([]);
    const { body } = await mcp.owner.browser.get(`${path}/workflows/${id}`);
    expect(
      (await mcp.owner.browser.patch(`${path}/workflows/${id}`, { version: body.version, isActive: false })).status,
    ).toBe(200);
    const mine = await ask(mcp.client, "workflows", "tools/list");
    expect(mine.result.tools.map(({ name }) => name)).not.toContain("greet");
  });
});

describe("a running call of a workflow", () => {
  let patient: McpApp;
  beforeAll(async () => {
    patient = await startMcpApp();
  });
  afterAll(() => patient.stop());

  it("is cancelled by its client, also after the offered workflows have changed", async () => {
    const own = `/api/organizations/${patient.owner.organizationId}`;
    const { browser } = patient.owner;
    const waiting = { nodes: [node("wait", "wait", { milliseconds: 600_000 })], edges: [] };
    const slow = await browser.post(`${own}/workflows`, {
      name: "Slow",
      canvas: waiting,
      tool: { name: "slow", inputs: [] },
    });
    const other = await browser.post(`${own}/workflows`, greet);
    expect([slow.status, other.status]).toEqual([201, 201]);
    const answered = patient.client.legacy("workflows", "tools/call", { name: "slow", arguments: {} });
    const statuses = async (kind: string): Promise<string[]> =>
      (await browser.get(`${own}/${kind}`)).body.data.map(({ status }: { status: string }) => status);
    await expect.poll(() => statuses("runs"), { timeout: 10_000 }).toHaveLength(1);
    const change = { version: other.body.version, description: "Says good morning." };
    expect((await browser.patch(`${own}/workflows/${other.body.id}`, change)).status).toBe(200);
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await patient.client.post("workflows", cancelled)).status).toBe(202);
    await expect.poll(() => statuses("tool-calls"), { timeout: 5_000 }).toEqual(["cancelled"]);
    expect((await answered).json.result).toMatchObject({
      isError: true,
      _meta: { "switchyard/error": { code: "cancelled" } },
    });
  });
});

describe("the platform server", () => {
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const client = mcp.connect("platform", ["platform:read", "platform:write"]);
    const { result } = await ask(client, "platform", "tools/call", { name, arguments: input });
    expect(result.isError).not.toBe(true);
    return result.structuredContent;
  };

  it("says how much of a large run is left out of its answer, and which nodes that are", async () => {
    const large = (id: string) =>
      node(id, "set_fields", { fields: { text: '{{ $pad("", 3000000, "x") }}' }, keepOthers: false });
    const workflowId = await save({
      name: "Large",
      canvas: { nodes: ["a", "b", "c", "d"].map(large), edges: edges("a>b", "b>c", "c>d") },
    });
    const { body } = await mcp.owner.browser.post(`${path}/workflows/${workflowId}/runs`);
    const read = async () => (await call("platform_get_execution", { executionId: body.id })).execution;
    await expect.poll(async () => (await read()).status, { timeout: 15_000 }).toBe("succeeded");
    const nodes = (await read()).nodes as { outputs: unknown; leftOutBytes: number }[];
    const leftOut = nodes.filter(({ outputs }) => outputs === null);
    expect(leftOut.length).toBeGreaterThan(0);
    expect(nodes.length).toBeGreaterThan(leftOut.length);
    for (const { leftOutBytes } of leftOut) expect(leftOutBytes).toBeGreaterThan(3_000_000);
    for (const { outputs, leftOutBytes } of nodes) if (outputs !== null) expect(leftOutBytes).toBe(0);
  });

  it("lists workflows, runs and triggers, shows one of each, and turns a trigger off", async () => {
    /** What is made while somebody turns the pages moves nothing from one page to the next. */
    const expectStablePages = async (
      name: string,
      field: Field,
      make: () => Promise<{ status: number }>,
      wanted: object = {},
    ) => {
      for (const made of [await make(), await make()]) expect(made.status).toBeLessThan(300);
      const read = async (page: object) => {
        const { [field]: entries, nextCursor } = await call(name, { ...wanted, ...page });
        return { ids: entries.map(({ id, reference = id }) => reference), nextCursor };
      };
      const all = (await read({ limit: 100 })).ids;
      const seen: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null && seen.length < 50; await make()) {
        const page = await read({ limit: 1, ...(cursor ? { cursor } : {}) });
        seen.push(...page.ids);
        cursor = page.nextCursor;
      }
      // A search for calls finds the call before it of this very tool too, which comes before the others.
      expect(seen.slice(-all.length)).toEqual(all);
      expect(seen).toHaveLength(all.length + Number(field === "toolInvocations"));
    };
    const workflowId = await save({
      name: "Sorted",
      canvas: {
        nodes: [node("sort", "condition", { condition: "true" }), node("yes", "set_fields", { fields: { a: 1 } })],
        edges: edges("sort.true>yes"),
      },
    });
    expect((await call("platform_list_workflows", { search: "Sorted" })).workflows).toMatchObject([
      { id: workflowId, nodeCount: 2 },
    ]);
    const { workflow } = await call("platform_get_workflow", { workflowId });
    expect(workflow).toMatchObject({
      nodes: [{ id: "sort", nodeId: "condition" }, { id: "yes" }],
      edges: [{ source: "sort", way: "true", target: "yes" }],
    });

    const started = await mcp.owner.browser.post(`${path}/workflows/${workflowId}/runs`);
    expect(started.status).toBe(202);
    const executionId = started.body.id as string;
    await expect
      .poll(async () => (await call("platform_get_execution", { executionId })).execution.status, { timeout: 15_000 })
      .toBe("succeeded");
    const { execution } = await call("platform_get_execution", { executionId });
    expect(execution.nodes).toMatchObject([
      { id: "sort", status: "succeeded" },
      { id: "yes", outputs: [{ a: 1 }] },
    ]);
    expect((await call("platform_list_executions", { search: "Sorted" })).executions).toMatchObject([
      { id: executionId, executionType: "manual" },
    ]);

    const made = await mcp.owner.browser.post(`${path}/triggers`, {
      workflowId,
      kind: "schedule",
      name: "Daily",
      cron: "0 8 * * *",
      timeZone: "UTC",
    });
    expect(made.status).toBe(201);
    expect((await call("platform_list_triggers")).triggers).toMatchObject([{ id: made.body.id, active: true }]);
    await expectStablePages("platform_list_triggers", "triggers", () =>
      mcp.owner.browser.post(`${path}/triggers`, { workflowId, kind: "webhook", name: "Sorted", signature: "none" }),
    );
    await expectStablePages("platform_list_executions", "executions", () =>
      mcp.owner.browser.post(`${path}/workflows/${workflowId}/runs`),
    );
    const saveAnother = () =>
      mcp.owner.browser.post(`${path}/workflows`, { name: "Another", canvas: { nodes: [], edges: [] } });
    await expectStablePages("platform_list_workflows", "workflows", saveAnother);
    await expectStablePages("platform_list_workflows", "workflows", saveAnother, { search: "anoth" });
    const connect = () =>
      mcp.owner.browser.post(`${path}/credentials`, { type: "http_auth", name: "Paged", data: { authKind: "none" } });
    await expectStablePages("platform_list_credentials", "credentials", connect);
    await expectStablePages("platform_list_credentials", "credentials", connect, { search: "page" });
    const wait = () => mcp.client.modern("system", "tools/call", { name: "system_wait", arguments: { seconds: 0 } });
    await expectStablePages("platform_list_tool_invocations", "toolInvocations", wait, { search: "system_wait" });
    const { trigger } = await call("platform_set_trigger_active", { triggerId: made.body.id, active: false });
    expect(trigger).toMatchObject({ id: made.body.id, active: false, nextRunAt: null });
  });
});
