import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ServerEntry } from "../../src/catalog/wire.ts";
import type { ToolCall } from "../../src/history/wire.ts";
import { nameTools, onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";

const secret = "ghp_canary-of-the-trial-5521";
let mcp: McpApp;
let provider: FakeProvider;
let reference: string;
let mona: Awaited<ReturnType<typeof signUpMember>>;
let vera: Awaited<ReturnType<typeof signUpMember>>;

beforeAll(async () => {
  provider = await startFakeProvider();
  const environment = {
    SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "1",
    SEMAPHORE_MAX_QUEUE: "1",
    OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
  };
  mcp = await startMcpApp({ environment });
  const data = { kind: "bearer", accessToken: secret, baseUrl: provider.url };
  const { credentials } = mcp.app.parts.vault;
  ({ reference } = await credentials.create(mcp.owner.organizationId, {
    type: "github",
    name: "GitHub",
    data,
    createdBy: null,
  }));
  mona = await signUpMember(mcp.app, mcp.owner.organizationId, "Mona", "member");
  vera = await signUpMember(mcp.app, mcp.owner.organizationId, "Vera", "viewer");
});
afterAll(async () => {
  await mcp.stop();
  await provider.stop();
});
beforeEach(() => provider.script([]));

const inOrganization = (rest: string, organizationId = mcp.owner.organizationId) =>
  `/api/organizations/${organizationId}${rest}`;
const call = (tool: string, body: unknown, browser = mona.browser) =>
  browser.post(inOrganization(`/tools/${tool}/call`), body);
const records = async () => (await mona.browser.get(inOrganization("/tool-calls?limit=100"))).body.data as ToolCall[];
const issue = { owner: "acme", repo: "site", title: "It is broken" };

describe("a tool that is tried", () => {
  it("answers with the record of the call, which says who called", async () => {
    const { status, body } = await call("system_wait", { parameters: { seconds: 0.01 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      source: "mcp",
      serverId: "system",
      tool: "system_wait",
      status: "success",
      replayOf: null,
      parameters: { seconds: 0.01 },
      credentials: {},
      outputs: [{ waitedSeconds: 0.01 }],
      userId: mona.userId,
      userName: "Mona",
      apiKeyId: null,
      oauthClientId: null,
    });
    expect((await mona.browser.get(inOrganization(`/tool-calls/${body.id}`))).body).toEqual(body);
  });

  it("waits for a confirmation when it changes something", async () => {
    provider.script([{ status: 201, json: { number: 7 } }]);
    const asked = { parameters: issue, credentials: { github: reference } };
    const before = (await records()).length;
    for (const body of [asked, { ...asked, confirm: false }])
      expectProblem(await call("github_create_issue", body), { status: 409, code: "confirmation_required" });
    expect([provider.requests().length, (await records()).length]).toEqual([0, before]);

    const { body } = await call("github_create_issue", { ...asked, confirm: true });
    expect(body).toMatchObject({
      serverId: "github",
      status: "success",
      outputs: [{ number: 7 }],
      credentials: { github: reference },
    });
    expect(provider.requests().map(({ headers }) => headers.authorization)).toEqual([`Bearer ${secret}`]);
  });

  it("answers with its record also when it fails", async () => {
    provider.script([{ status: 422, json: { message: `No: ${secret}` } }]);
    const { status, body, text } = await call("github_create_issue", {
      parameters: issue,
      credentials: { github: reference },
      confirm: true,
    });
    expect([status, body.status, body.error.code]).toEqual([200, "failed", "provider_error"]);
    expect(text).not.toContain(secret);
  });

  it("takes a slot, and is refused when the queue is full", async () => {
    const busy = call("system_wait", { parameters: { seconds: 0.6 } });
    await expect.poll(async () => (await records())[0]?.status).toBe("running");
    const waiting = call("system_wait", { parameters: { seconds: 0 } });
    await expect.poll(async () => (await fetch(`${mcp.app.gatewayUrl}/metrics`)).text()).toMatch(/waiting\S* 1$/m);
    expectProblem(await call("system_wait", { parameters: { seconds: 0 } }), { status: 429, code: "queue_full" });
    expect((await waiting).body.queueMs).toBeGreaterThan(100);
    await busy;
  });
});

describe("a trial that cannot run", () => {
  it("names the parameter that is wrong, is recorded as refused, and asks nobody", async () => {
    const answer = await call("github_create_issue", { parameters: { owner: "acme", repo: "site" }, confirm: true });
    const problem = expectProblem(answer, { status: 400, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(["/title"]);
    expect((await records())[0]).toMatchObject({
      status: "refused",
      tool: "github_create_issue",
      userId: mona.userId,
      startedAt: null,
    });
    expect(provider.requests()).toEqual([]);
  });

  it.each([
    [
      "an unknown credential",
      () => ({ github: `credential:organization:${randomUUID()}` }),
      403,
      "credential_not_accessible",
    ],
    ["a pasted secret", () => ({ github: secret }), 400, "credential_reference_invalid"],
    ["no credential", () => undefined, 400, "credential_reference_invalid"],
  ])("is refused for %s, which no record keeps", async (_what, credentials, status, code) => {
    const answer = await call("github_create_issue", { parameters: issue, credentials: credentials(), confirm: true });
    expectProblem(answer, { status, code });
    expect((await mona.browser.get(inOrganization(`/tool-calls/${(await records())[0]?.id}`))).text).not.toContain(
      secret,
    );
  });

  it.each(["nothing", "platform_get_me", "__proto__", "toString"])(
    "is refused without a record for the tool %s",
    async (tool) => {
      const before = (await records()).length;
      const { detail } = expectProblem(await call(tool, { parameters: {}, confirm: true }), {
        status: 404,
        code: "not_found",
      });
      expect(detail).toMatch(/^No provider has a tool "[^"]*"(?:\.|; did you mean .*\?)$/);
      expect(detail).toContain(`"${tool}"`);
      expect((await records()).length).toBe(before);
    },
  );

  it("names the tool that was meant when there is none of that name", async () => {
    const { detail } = expectProblem(await call("github_create_isue", { parameters: {} }), {
      status: 404,
      code: "not_found",
    });
    expect(detail).toMatch(/^No provider has a tool "github_create_isue"; did you mean github_create_issue.*\?$/);
  });

  it.each([
    {},
    { parameters: [] },
    { parameters: {}, credentials: { github: 5 } },
    { parameters: {}, confirm: "true" },
    { parameters: {}, x: 1 },
  ])("is refused without a record for the body %j", async (body) => {
    const before = (await records()).length;
    expectProblem(await call("system_wait", body), { status: 400, code: "validation_failed" });
    expect((await records()).length).toBe(before);
  });

  it("is refused to viewers, to strangers, and to those of other organizations", async () => {
    const body = { parameters: { seconds: 0 } };
    expectProblem(await call("system_wait", body, vera.browser), { status: 403, code: "role_required" });
    expectProblem(await call("system_wait", body, mcp.app.browser()), { status: 401, code: "not_signed_in" });
    const eve = await signUpOwner(mcp.app, "Eve");
    expectProblem(await call("system_wait", body, eve.browser), { status: 404, code: "not_found" });
    const stolen = { parameters: issue, credentials: { github: reference }, confirm: true };
    expectProblem(
      await eve.browser.post(inOrganization("/tools/github_create_issue/call", eve.organizationId), stolen),
      {
        status: 403,
        code: "credential_not_accessible",
      },
    );
    expect(provider.requests()).toEqual([]);
  });
});

describe("the list of servers", () => {
  it("shows everybody who is signed in every server with its tools, at the addresses that clients use", async () => {
    const { status, body } = await vera.browser.get("/api/servers");
    expect(status).toBe(200);
    const servers = body.data as ServerEntry[];
    expect(nameTools(servers)).toEqual(onDisk.toolsByServer);
    expect(servers).toHaveLength(onDisk.serverIds.length);
    for (const { id, url, toolCount, tools, usesOAuthOnly } of servers) {
      expect([url, toolCount, usesOAuthOnly]).toEqual([
        `${mcp.app.gatewayUrl}/${id}/mcp`,
        tools.length,
        id === "platform",
      ]);
      for (const tool of tools) expect(tool.inputSchema.properties ?? {}, tool.name).not.toHaveProperty("credentials");
    }
    expectProblem(await mcp.app.browser().get("/api/servers"), { status: 401, code: "not_signed_in" });
  });

  it("says of a tool what the gateway says of it", async () => {
    const shown = ((await vera.browser.get("/api/servers")).body.data as ServerEntry[]).find(
      ({ id }) => id === "github",
    );
    const open = (await (await fetch(`${mcp.app.gatewayUrl}/servers/github`)).json()) as Record<string, unknown> & {
      tools: object[];
    };
    expect(shown).toMatchObject({
      title: open.name,
      description: open.description,
      url: open.url,
      credentialTypes: ["github"],
    });
    expect(shown?.tools.map(({ inputSchema: _, annotations: __, ...tool }) => tool)).toEqual(
      open.tools.map((tool) => ({
        ...pick(tool, ["name", "title", "description", "credentials", "outputSchema"]),
        alsoTakes: [],
        worksWithoutAccount: false,
      })),
    );
    const create = shown?.tools.find(({ name }) => name === "github_create_issue");
    expect(create?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    });
    expect(create?.inputSchema.required).toEqual(["owner", "repo", "title"]);
  });
});

const pick = (from: object, names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
