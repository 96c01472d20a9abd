import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";

const secret = "ghp_canary-of-the-gateway-5519";
let mcp: McpApp;
let provider: FakeProvider;
let reference: string;
let path: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  const environment = {
    SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1",
    MCP_MAX_EXECUTION_TIME: "1s",
    OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
  };
  mcp = await startMcpApp({ environment });
  reference = await createCredential(mcp.owner.organizationId);
  path = `/api/organizations/${mcp.owner.organizationId}/tool-calls`;
});
afterAll(async () => {
  await mcp.stop();
  await provider.stop();
});
beforeEach(async () => {
  provider.script([]);
  await mcp.app.database.query("DELETE FROM tool_call");
});

async function createCredential(organizationId: string): Promise<string> {
  const data = { kind: "bearer", accessToken: secret, baseUrl: provider.url };
  return (
    await mcp.app.parts.vault.credentials.create(organizationId, {
      type: "github",
      name: "GitHub",
      data,
      createdBy: null,
    })
  ).reference;
}

const callTool = async (serverId: string, name: string, given: object, client = mcp.client) =>
  (await client.modern(serverId, "tools/call", { name, arguments: given })).json.result;

const issue = () => ({ owner: "acme", repo: "site", title: "It is broken", credentials: { github: reference } });
const wait = (seconds: number) => callTool("system", "system_wait", { seconds });

/** The newest record, as the history's own API shows it. */
async function lastRecord() {
  const { body } = await mcp.owner.browser.get(path);
  expect(body.data).toHaveLength(1);
  return (await mcp.owner.browser.get(`${path}/${body.data[0].id}`)).body;
}

describe("a call through the gateway", () => {
  it("answers with the items and is in the history with everything about it", async () => {
    provider.script([{ status: 201, json: { number: 7 } }]);
    expect(await callTool("github", "github_create_issue", issue())).toMatchObject({
      structuredContent: { items: [{ number: 7 }] },
    });
    expect(await lastRecord()).toMatchObject({
      source: "mcp",
      serverId: "github",
      tool: "github_create_issue",
      status: "success",
      apiKeyId: mcp.keyId,
      apiKeyName: "test",
      parameters: { owner: "acme", repo: "site", title: "It is broken" },
      credentials: { github: reference },
      outputs: [{ number: 7 }],
      error: null,
    });
  });

  it("is recorded with the provider's words when it fails, without the secret", async () => {
    provider.script([{ status: 422, json: { message: `No: ${secret}` } }]);
    const result = await callTool("github", "github_create_issue", issue());
    expect(result).toMatchObject({ isError: true });
    const record = await lastRecord();
    expect(record).toMatchObject({
      status: "failed",
      outputs: null,
      error: { code: "provider_error", message: expect.stringContaining("No: [secret]") },
    });
    expect(JSON.stringify([result, record])).not.toContain(secret);
  });

  it.each([
    ["wrong parameters", () => ({ ...issue(), title: 5 }), "validation_failed"],
    [
      "an unknown credential",
      () => ({ ...issue(), credentials: { github: `credential:organization:${randomUUID()}` } }),
      "credential_not_accessible",
    ],
    ["a pasted secret", () => ({ ...issue(), credentials: { github: secret } }), "credential_reference_invalid"],
    ["no credential", () => ({ ...issue(), credentials: undefined }), "credential_reference_invalid"],
  ])("is recorded as refused for %s, takes no slot and asks nobody", async (_what, given, code) => {
    const [result] = await Promise.all([
      callTool("github", "github_create_issue", given()),
      wait(0.2).then(() => undefined),
    ]);
    expect(result?._meta["switchyard/error"].code).toBe(code);
    const { body, text } = await mcp.owner.browser.get(`${path}?serverId=github`);
    expect(body.data).toMatchObject([{ status: "refused", error: { code }, queueMs: 0 }]);
    const record = await mcp.owner.browser.get(`${path}/${body.data[0].id}`);
    expect(text + record.text).not.toContain(secret);
    expect(provider.requests()).toEqual([]);
  });

  it("refuses the credential of another organization like one that does not exist", async () => {
    const stranger = await signUpOwner(mcp.app, "Eve");
    const foreign = await createCredential(stranger.organizationId);
    const unknown = `credential:organization:${randomUUID()}`;
    const answers = [foreign, unknown].map((github) =>
      callTool("github", "github_create_issue", { ...issue(), credentials: { github } }),
    );
    const [first, second] = (await Promise.all(answers)).map((result) => result?.content);
    expect(first).toEqual(second);
    expect(provider.requests()).toEqual([]);
  });

  it.each([
    ["null", null, null],
    ["a text", '{"seconds":0}', '{"seconds":0}'],
    ["a list", [1, { a: "b" }], [1, { a: "b" }]],
    [
      "a text in which credentials may be",
      '{"credentials":{"github":"ghp_x"}}',
      "[not kept, because it speaks of credentials]",
    ],
  ])("with %s for its arguments is answered as a wrong message and recorded as refused", async (_, given, kept) => {
    for (const [server, client] of [
      ["system", mcp.client],
      ["platform", mcp.connect("platform", ["platform:read"])],
    ] as const) {
      await mcp.app.database.query("DELETE FROM tool_call");
      const tool = server === "system" ? "system_wait" : "platform_get_me";
      const { status, json } = await client.modern(server, "tools/call", { name: tool, arguments: given });
      expect([status, json.error?.code, json.error?.message]).toEqual([
        200,
        -32602,
        "Invalid params: arguments must be an object.",
      ]);
      const error = { code: "validation_failed", message: "arguments must be an object." };
      expect(await lastRecord()).toMatchObject({
        serverId: server,
        tool,
        status: "refused",
        error,
        parameters: kept,
        credentials: {},
      });
    }
  });

  it("waits for a free slot, and its time limit begins when it has one", async () => {
    const [first, second] = await Promise.all([wait(0.7), wait(0.7)]);
    expect([first?.isError, second?.isError]).not.toContain(true);
    const { body } = await mcp.owner.browser.get(path);
    const waited = body.data.map(({ queueMs }: { queueMs: number }) => queueMs).sort((a: number, b: number) => a - b);
    expect(waited[0]).toBeLessThan(300);
    expect(waited[1]).toBeGreaterThan(500);
  });

  it("fails alone when it takes too long, and its slot is free again", async () => {
    const [slow, next] = await Promise.all([wait(30), wait(0)]);
    expect(slow?._meta["switchyard/error"].code).toBe("tool_timeout");
    expect(next?.isError).not.toBe(true);
    expect((await mcp.owner.browser.get(`${path}?status=timed_out`)).body.data).toHaveLength(1);
  });

  it("is cancelled, and recorded so, when a modern client leaves", async () => {
    const leave = new AbortController();
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "system_wait", arguments: { seconds: 1 }, _meta: meta },
    });
    const call = fetch(`${mcp.app.gatewayUrl}/system/mcp`, {
      method: "POST",
      body,
      headers: headers(mcp.key),
      signal: leave.signal,
    });
    await expect.poll(async () => (await mcp.owner.browser.get(`${path}?status=running`)).body.data.length).toBe(1);
    leave.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(async () => (await lastRecord()).status).toBe("cancelled");
  });

  it("is told, and not run, when its record cannot be written", async () => {
    await mcp.app.database.query("ALTER TABLE tool_call ADD CONSTRAINT closed CHECK (false) NOT VALID");
    try {
      const { json, status } = await mcp.client.modern("github", "tools/call", {
        name: "github_create_issue",
        arguments: issue(),
      });
      expect([status, json.error?.data]).toMatchObject([503, { code: "record_unavailable" }]);
      expect(provider.requests()).toEqual([]);
    } finally {
      await mcp.app.database.query("ALTER TABLE tool_call DROP CONSTRAINT closed");
    }
  });

  it("of the platform server is recorded with the user and takes no slot", async () => {
    const platform = mcp.connect("platform", ["platform:read"]);
    const busy = wait(0.5);
    const me = await callTool("platform", "platform_get_me", {}, platform);
    expect(me?.isError).not.toBe(true);
    const { body } = await mcp.owner.browser.get(`${path}?source=platform`);
    expect(body.data).toMatchObject([
      { tool: "platform_get_me", status: "success", apiKeyId: null, userId: mcp.owner.userId, queueMs: 0 },
    ]);
    await busy;
  });
});

describe("platform_list_tool_invocations", () => {
  it("lists calls newest first with their number, by page and by text", async () => {
    for (const seconds of [0, 0.01, 0.02]) await wait(seconds);
    await callTool("github", "github_create_issue", { ...issue(), title: 5 });
    const platform = mcp.connect("platform", ["platform:read"]);
    const list = async (given: object) =>
      (await callTool("platform", "platform_list_tool_invocations", given, platform))?.structuredContent;
    expect(await list({ limit: 2, offset: 1 })).toMatchObject({
      total: 5,
      toolInvocations: [
        { tool: "github_create_issue", status: "refused", error: { code: "validation_failed" } },
        { tool: "system_wait", status: "success" },
      ],
    });
    // The question itself is a call whose parameters hold the text.
    const found = {
      total: 2,
      toolInvocations: [{ tool: "platform_list_tool_invocations" }, { tool: "github_create_issue" }],
    };
    expect(await list({ search: "GITHUB" })).toMatchObject(found);
    for (const wrong of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { limit: "20" }, { page: 1 }])
      expect(await callTool("platform", "platform_list_tool_invocations", wrong, platform)).toMatchObject({
        isError: true,
      });
  });

  it("finds a text in all calls, however many are newer, and counts them all", async () => {
    await mcp.app.database.query(
      `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, parameters, credentials, queued_at, completed_at, queue_ms, duration_ms, truncated, sanitized, owner)
       SELECT $1, uuidv7(-(number * interval '1 second') - interval '1 minute'), 'mcp', 'slack', 'old_' || number, 'success',
         CASE WHEN number % 1000 = 1 THEN '{"text":"a needle"}' ELSE '{}' END, '{}', now(), now(), 0, 1, false, false, $1
       FROM generate_series(1, 4500) AS number`,
      [mcp.owner.organizationId],
    );
    const platform = mcp.connect("platform", ["platform:read"]);
    const list = async (given: object) =>
      (await callTool("platform", "platform_list_tool_invocations", { search: "NEEDLE", ...given }, platform))
        ?.structuredContent;
    const page = (total: number, tools: string[]) => ({ total, toolInvocations: tools.map((tool) => ({ tool })) });
    // The questions themselves are found as well.
    const own = "platform_list_tool_invocations";
    expect(await list({})).toMatchObject(page(6, [own, "old_1", "old_1001", "old_2001", "old_3001", "old_4001"]));
    expect(await list({ offset: 3, limit: 3 })).toMatchObject(page(7, ["old_1001", "old_2001", "old_3001"]));
    expect(await list({ offset: 7, limit: 3 })).toMatchObject(page(8, ["old_4001"]));
    expect(await list({ offset: 9, limit: 3 })).toMatchObject(page(9, []));
  });
});

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const headers = (key: string) => ({
  "x-api-key": key,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "system_wait",
});
