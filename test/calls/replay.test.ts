import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../src/base/ids.ts";
import type { ToolCall } from "../../src/history/wire.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";

const secret = "ghp_canary-of-the-replay-7713";
let mcp: McpApp;
let provider: FakeProvider;
let reference: string;
let mona: Awaited<ReturnType<typeof signUpMember>>;

beforeAll(async () => {
  provider = await startFakeProvider();
  const environment = {
    SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1",
    SEMAPHORE_MAX_QUEUE: "1",
    OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
  };
  mcp = await startMcpApp({ environment });
  reference = await createCredential(mcp.owner.organizationId, secret);
  mona = await signUpMember(mcp.app, mcp.owner.organizationId, "Mona", "member");
});
afterAll(async () => {
  await mcp.stop();
  await provider.stop();
});
beforeEach(() => provider.script([]));

async function createCredential(organizationId: string, accessToken: string): Promise<string> {
  const data = { kind: "bearer", accessToken, baseUrl: provider.url };
  const { credentials } = mcp.app.parts.vault;
  return (await credentials.create(organizationId, { type: "github", name: "GitHub", data, createdBy: null }))
    .reference;
}

const pathOf = (rest = "", organizationId = mcp.owner.organizationId) =>
  `/api/organizations/${organizationId}/tool-calls${rest}`;
const replay = (id: string, body: object, browser = mona.browser) => browser.post(pathOf(`/${id}/replay`), body);
const newest = async (query = "") => (await mona.browser.get(pathOf(query))).body.data as ToolCall[];
const rowCount = async () => (await newest("?limit=100")).length;

/** A call through the gateway with the key, and the id of its record. */
async function call(serverId: string, name: string, given: object): Promise<string> {
  await mcp.client.modern(serverId, "tools/call", { name, arguments: given });
  return (await newest(`?tool=${name}`))[0]?.id as string;
}
const issue = () => ({ owner: "acme", repo: "site", title: "It is broken", credentials: { github: reference } });

async function createIssue(): Promise<string> {
  provider.script([{ status: 201, json: { number: 7 } }]);
  const id = await call("github", "github_create_issue", issue());
  provider.script([{ status: 201, json: { number: 8 } }]);
  return id;
}

describe("a recorded call", () => {
  it("that only reads runs again as it was, and the new record says of what it is a repetition and by whom", async () => {
    const id = await call("system", "system_wait", { seconds: 0.01 });
    const { status, body } = await replay(id, {});
    expect(status).toBe(200);
    expect(body).toMatchObject({
      source: "mcp",
      serverId: "system",
      tool: "system_wait",
      status: "success",
      replayOf: id,
      parameters: { seconds: 0.01 },
      credentials: {},
      outputs: [{ waitedSeconds: 0.01 }],
      userId: mona.userId,
      userName: "Mona",
      apiKeyId: null,
      apiKeyName: null,
      oauthClientId: null,
    });
    expect(body.id).not.toBe(id);
    expect((await mona.browser.get(pathOf(`/${body.id}`))).body).toEqual(body);
  });

  it("of a tool that changes something waits for a confirmation", async () => {
    const id = await createIssue();
    const before = await rowCount();
    for (const body of [{}, { confirm: false }, { parameters: { owner: "acme", repo: "site", title: "Other" } }])
      expectProblem(await replay(id, body), { status: 409, code: "confirmation_required" });
    expect([provider.requests().length, await rowCount()]).toEqual([0, before]);

    const { status, body } = await replay(id, { confirm: true });
    expect([status, body.status, body.outputs, body.replayOf]).toEqual([200, "success", [{ number: 8 }], id]);
    expect(body.credentials).toEqual({ github: reference });
    expect(provider.requests().map(({ headers }) => headers.authorization)).toEqual([`Bearer ${secret}`]);
  });

  it("runs with other parameters and another credential when they are given", async () => {
    const id = await createIssue();
    const other = await createCredential(mcp.owner.organizationId, "ghp_the-other-one");
    const parameters = { owner: "acme", repo: "shop", title: "Edited" };
    const { body } = await replay(id, { parameters, credentials: { github: other }, confirm: true });
    expect(body).toMatchObject({ status: "success", parameters, credentials: { github: other }, replayOf: id });
    const [request] = provider.requests();
    expect([request?.path, request?.headers.authorization]).toEqual([
      "/repos/acme/shop/issues",
      "Bearer ghp_the-other-one",
    ]);
  });

  it("answers with its record also when the tool fails", async () => {
    const id = await createIssue();
    provider.script([{ status: 422, json: { message: `No: ${secret}` } }]);
    const { status, body, text } = await replay(id, { confirm: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "failed", outputs: null, error: { code: "provider_error" }, replayOf: id });
    expect(text).not.toContain(secret);
  });
});

describe("a replay that cannot run", () => {
  it.each([
    ["wrong parameters", () => ({ parameters: { owner: "acme" } }), 400, "validation_failed"],
    [
      "an unknown credential",
      () => ({ credentials: { github: `credential:organization:${randomUUID()}` } }),
      403,
      "credential_not_accessible",
    ],
    ["a pasted secret", () => ({ credentials: { github: secret } }), 400, "credential_reference_invalid"],
  ])("for %s is refused, recorded as refused, and asks nobody", async (_what, change, status, code) => {
    const id = await createIssue();
    expectProblem(await replay(id, { ...change(), confirm: true }), { status, code });
    const [record] = await newest();
    expect(record).toMatchObject({
      status: "refused",
      error: { code },
      replayOf: id,
      userId: mona.userId,
      startedAt: null,
    });
    expect((await mona.browser.get(pathOf(`/${record?.id}`))).text).not.toContain(secret);
    expect(provider.requests()).toEqual([]);
  });

  it("is refused when what was sent is not there whole, unless it is sent again", async () => {
    const large = await call("system", "system_wait", { seconds: 0, note: "x".repeat(300_000) });
    const problem = expectProblem(await replay(large, {}), { status: 409, code: "conflict" });
    expect(problem.detail).toContain("too large");
    expect((await replay(large, { parameters: { seconds: 0 } })).body).toMatchObject({
      status: "success",
      truncated: false,
      replayOf: large,
    });
  });

  it("is refused for a tool of the platform server and for one that is gone", async () => {
    await mcp
      .connect("platform", ["platform:read"])
      .modern("platform", "tools/call", { name: "platform_get_me", arguments: {} });
    const [{ id: platformId } = { id: "" }] = await newest("?source=platform");
    expectProblem(await replay(platformId, { confirm: true }), { status: 409, code: "conflict" });

    const place = { organizationId: mcp.owner.organizationId, id: newId() };
    const gone = {
      ...place,
      source: "mcp" as const,
      serverId: "slack",
      tool: "slack_gone",
      parameters: {},
      credentials: {},
      queueMs: 0,
    };
    await mcp.app.parts.history.recorder.refused(gone, { code: "conflict", message: "-" });
    expectProblem(await replay(place.id, { confirm: true }), { status: 409, code: "conflict" });
  });

  it.each([
    { parameters: [] },
    { parameters: "x" },
    { credentials: { github: 5 } },
    { confirm: "true" },
    { tool: "system_wait" },
  ])("is refused without a record for the body %j", async (body) => {
    const id = await call("system", "system_wait", { seconds: 0 });
    expectProblem(await replay(id, body), { status: 400, code: "validation_failed" });
    expect((await newest())[0]?.id).toBe(id);
  });
});

describe("who may replay", () => {
  it("is a member, not a viewer and nobody without a session", async () => {
    const id = await call("system", "system_wait", { seconds: 0 });
    const vera = await signUpMember(mcp.app, mcp.owner.organizationId, "Vera", "viewer");
    expectProblem(await replay(id, {}, vera.browser), { status: 403, code: "role_required" });
    expectProblem(await replay(id, {}, mcp.app.browser()), { status: 401, code: "not_signed_in" });
  });

  it("is nobody of another organization, neither here nor through their own", async () => {
    const id = await call("system", "system_wait", { seconds: 0 });
    const eve = await signUpOwner(mcp.app, "Eve");
    expectProblem(await replay(id, {}, eve.browser), { status: 404, code: "not_found" });
    expectProblem(await eve.browser.post(pathOf(`/${id}/replay`, eve.organizationId), {}), {
      status: 404,
      code: "not_found",
    });
    expectProblem(await replay(randomUUID(), {}), { status: 404, code: "not_found" });
    expect((await eve.browser.get(pathOf("", eve.organizationId))).body.data).toEqual([]);
  });
});

describe("a replay and the slots", () => {
  it("waits its turn with the calls of the gateway, and is refused when the queue is full", async () => {
    const id = await call("system", "system_wait", { seconds: 0 });
    const busy = call("system", "system_wait", { seconds: 0.6 });
    await expect.poll(async () => (await newest("?status=running")).length).toBe(1);
    const waiting = replay(id, {});
    await expect.poll(async () => (await fetch(`${mcp.app.gatewayUrl}/metrics`)).text()).toMatch(/waiting\S* 1$/m);
    expectProblem(await replay(id, {}), { status: 429, code: "queue_full" });
    expect((await waiting).body.queueMs).toBeGreaterThan(100);
    await busy;
  });

  it("is cancelled, and recorded so, when the caller leaves", async () => {
    const id = await call("system", "system_wait", { seconds: 0 });
    const leave = new AbortController();
    const cookie = [...mona.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const headers = { cookie, origin: mcp.app.platformUrl, "content-type": "application/json" };
    const body = JSON.stringify({ parameters: { seconds: 30 } });
    const left = fetch(mcp.app.platformUrl + pathOf(`/${id}/replay`), {
      method: "POST",
      headers,
      body,
      signal: leave.signal,
    });
    await expect.poll(async () => (await newest("?status=running")).length).toBe(1);
    leave.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(async () => (await newest())[0]).toMatchObject({ status: "cancelled", replayOf: id });
    expect((await replay(id, {})).body.status).toBe("success");
  });
});
