import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/base/ids.ts";
import type { ArrivedCall } from "../../src/history/record.ts";
import type { ToolCall, ToolCallEntry } from "../../src/history/wire.ts";
import { lowestIdAt } from "../../src/records/time-of-id.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let bob: Awaited<ReturnType<typeof signUpOwner>>;

beforeAll(async () => {
  app = await startTestApp({ environment: { MCP_SERVER_URL_TEMPLATE: "https://mcp.example/{serverId}/mcp" } });
  [ann, bob] = await Promise.all([signUpOwner(app, "Ann"), signUpOwner(app, "Bob")]);
});
afterAll(() => app.stop());

const callOf = (organizationId: string, more: Partial<ArrivedCall> = {}): ArrivedCall => ({
  organizationId,
  id: newId(),
  source: "mcp",
  serverId: "slack",
  tool: "slack_send_message",
  parameters: { text: "hello" },
  credentials: {},
  queueMs: 3,
  ...more,
});

const newOrganization = async () =>
  (await ann.browser.post("/api/organizations", { name: "Another" })).body.id as string;

async function record(call: ArrivedCall, outputs: unknown = { items: [] }) {
  const { recorder } = app.parts.history;
  await recorder.open(call);
  await recorder.close(call, { status: "success", outputs, durationMs: 12 });
  return call;
}

const pathOf = (organizationId: string, rest = "") => `/api/organizations/${organizationId}/tool-calls${rest}`;
const list = async (organizationId: string, query = "") => (await ann.browser.get(pathOf(organizationId, query))).body;
const namesOf = ({ data }: { data: ToolCallEntry[] }) => data.map(({ tool }) => tool);
const detail = async ({ organizationId, id }: ArrivedCall) =>
  (await ann.browser.get(pathOf(organizationId, `/${id}`))).body as ToolCall;

describe("a recorded call", () => {
  it("is running before it ends and then has everything about it", async () => {
    const call = callOf(ann.organizationId, {
      apiKeyId: randomUUID(),
      apiKeyName: "CI",
      oauthClientId: "client",
      oauthClientName: "Desktop",
      userId: ann.userId,
      userName: "Ann",
      parameters: { b: 1, a: [null, "ü"] },
      credentials: { slack: `credential:organization:${randomUUID()}` },
      traceId: "0af7651916cd43dd8448eb211c80319c",
      requestId: newId(),
      replayOf: newId(),
    });
    await app.parts.history.recorder.open(call);
    expect(await detail(call)).toMatchObject({
      status: "running",
      completedAt: null,
      durationMs: null,
      outputs: null,
      error: null,
    });
    await app.parts.history.recorder.close(call, {
      status: "success",
      outputs: { items: [{ ok: true }] },
      durationMs: 41.6,
    });
    const { organizationId: _, ...rest } = call;
    const answer = await detail(call);
    expect(answer).toEqual({
      ...rest,
      status: "success",
      outputs: { items: [{ ok: true }] },
      error: null,
      apiKeyDeleted: true,
      queuedAt: expect.stringMatching(/Z$/),
      startedAt: expect.stringMatching(/Z$/),
      completedAt: expect.stringMatching(/Z$/),
      durationMs: 42,
      truncated: false,
      sanitized: false,
    });
    expect(Object.keys(answer.parameters as object)).toEqual(["b", "a"]);
    expect(Math.abs(Date.parse(answer.queuedAt) - Date.now())).toBeLessThan(10_000);
  });

  it.each(["failed", "timed_out", "cancelled"] as const)("that ended as %s shows its error", async (status) => {
    const call = callOf(ann.organizationId);
    await app.parts.history.recorder.open(call);
    await app.parts.history.recorder.close(call, {
      status,
      error: { code: "tool_timeout", message: "It took too long." },
      durationMs: 1,
    });
    expect(await detail(call)).toMatchObject({
      status,
      error: { code: "tool_timeout", message: "It took too long." },
      outputs: null,
    });
  });

  it.each(["refused", "cancelled"] as const)("that never ran is there as %s", async (status) => {
    const call = callOf(ann.organizationId);
    await app.parts.history.recorder.refused(call, { code: "validation_failed", message: "text is required." }, status);
    const error = { code: "validation_failed", message: "text is required." };
    expect(await detail(call)).toMatchObject({ status, startedAt: null, durationMs: null, error, queueMs: 3 });
    expect((await detail(call)).completedAt).not.toBeNull();
  });

  it("keeps the name of a key that was deleted, and says so", async () => {
    const created = await ann.browser.post(`/api/organizations/${ann.organizationId}/api-keys`, {
      name: "CI",
      scopes: ["mcp:invoke"],
    });
    const { id: apiKeyId, name: apiKeyName } = created.body;
    const call = await record(callOf(ann.organizationId, { apiKeyId, apiKeyName }));
    expect(await detail(call)).toMatchObject({ apiKeyId, apiKeyName: "CI", apiKeyDeleted: false });
    await ann.browser.delete(`/api/organizations/${ann.organizationId}/api-keys/${apiKeyId}`);
    expect(await detail(call)).toMatchObject({ apiKeyId, apiKeyName: "CI", apiKeyDeleted: true });
    const keyless = await record(callOf(ann.organizationId));
    expect(await detail(keyless)).toMatchObject({ apiKeyId: null, apiKeyName: null, apiKeyDeleted: false });
  });
});

describe("what a database cannot hold", () => {
  const nest = (levels: number) => {
    let value: unknown = "deep";
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  };

  it("is replaced visibly: NUL and half of a surrogate pair", async () => {
    const call = callOf(ann.organizationId, {
      parameters: { "k\0": "a\0b" },
      userName: "A\0nn\ud800",
      oauthClientName: "\udc00x",
    });
    await app.parts.history.recorder.open(call);
    const error = { code: "provider_error", message: "bad \0 byte \ud83d" };
    await app.parts.history.recorder.close(call, {
      status: "failed",
      outputs: ["\ud800", "fine 😀"],
      error,
      durationMs: 1,
    });
    expect(await detail(call)).toMatchObject({
      parameters: { "k\ufffd": "a\ufffdb" },
      outputs: ["\ufffd", "fine 😀"],
      userName: "A\ufffdnn\ufffd",
      oauthClientName: "\ufffdx",
      error: { code: "provider_error", message: "bad \ufffd byte \ufffd" },
      sanitized: true,
      truncated: false,
    });
  });

  it.each([100, 5_000, 50_000])("is cut: %d levels", async (levels) => {
    const call = await record(callOf(ann.organizationId), { items: [nest(levels)] });
    const answer = await detail(call);
    expect(answer.status).toBe("success");
    expect(answer.sanitized).toBe(levels > 128);
  });

  it("is what no JSON can hold", async () => {
    const circular: Record<string, unknown> = { big: 10n };
    circular.self = circular;
    const call = await record(callOf(ann.organizationId), circular);
    expect(await detail(call)).toMatchObject({ outputs: { big: "10", self: "[circular]" }, sanitized: true });
  });

  it("is 5 MB: a marker says how much it was and shows its beginning", async () => {
    const call = await record(callOf(ann.organizationId), { items: ["x".repeat(5_000_000)] });
    const { outputs, truncated } = await detail(call);
    expect(outputs).toEqual({
      truncated: true,
      originalBytes: 5_000_014,
      preview: expect.stringMatching(/^\{"items":\["x{1000,}$/),
    });
    expect(truncated).toBe(true);
    const [row] = await app.database.query<{ bytes: number }>(
      "SELECT octet_length(outputs) AS bytes FROM tool_call WHERE id = $1",
      [call.id],
    );
    expect(row?.bytes).toBeLessThan(1024 * 1024);
  });

  it("counts bytes, not characters: parameters of 300 KB in umlauts, and as much as just fits", async () => {
    const large = await record(callOf(ann.organizationId, { parameters: "ü".repeat(150_000) }));
    expect(await detail(large)).toMatchObject({
      parameters: { truncated: true, originalBytes: 300_002 },
      truncated: true,
    });
    const fitting = "ü".repeat(131_071);
    expect((await detail(await record(callOf(ann.organizationId, { parameters: fitting })))).parameters).toBe(fitting);
  });
});

describe("the list", () => {
  it("is newest first and pages without gap or repetition while calls are added", async () => {
    const organizationId = await newOrganization();
    const calls = [];
    for (let index = 0; index < 25; index++) calls.push(await record(callOf(organizationId)));
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await list(organizationId, `?limit=4${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data.map(({ id }: ToolCallEntry) => id));
      cursor = page.nextCursor;
      await record(callOf(organizationId));
    }
    expect(seen).toEqual(calls.map(({ id }) => id).reverse());
  });

  it("gives 50 unless asked for 1 to 100", async () => {
    const organizationId = await newOrganization();
    await Promise.all(Array.from({ length: 101 }, () => record(callOf(organizationId))));
    const lengthOf = async (query: string) => (await list(organizationId, query)).data.length;
    expect([await lengthOf(""), await lengthOf("?limit=1"), await lengthOf("?limit=100")]).toEqual([50, 1, 100]);
    for (const query of [
      "?limit=0",
      "?limit=101",
      "?limit=x",
      "?cursor=x",
      "?cursor=%27",
      "?status=ok",
      "?from=yesterday",
      "?apiKeyId=1",
    ])
      expectProblem(await ann.browser.get(pathOf(organizationId, query)), { status: 400, code: "validation_failed" });
  });

  it("is filtered by source, server, tool, status, key and time, one by one and together", async () => {
    const organizationId = await newOrganization();
    const apiKeyId = randomUUID();
    const hourAgo = new Date(Date.now() - 3_600_000);
    const old = { id: lowestIdAt(hourAgo).replace("-0000-0000-", "-7000-8000-") };
    await record(callOf(organizationId, { tool: "slack_a", apiKeyId, apiKeyName: "CI", ...old }));
    await record(callOf(organizationId, { tool: "github_b", serverId: "github", apiKeyId, apiKeyName: "CI" }));
    await record(callOf(organizationId, { tool: "platform_c", serverId: "platform", source: "platform" }));
    await app.parts.history.recorder.refused(callOf(organizationId, { tool: "slack_d" }), { code: "x", message: "no" });
    const found = async (query: string) => namesOf(await list(organizationId, query));
    expect(await found("")).toEqual(["slack_d", "platform_c", "github_b", "slack_a"]);
    expect(await found("?source=platform")).toEqual(["platform_c"]);
    expect(await found("?source=mcp")).toEqual(["slack_d", "github_b", "slack_a"]);
    expect(await found("?serverId=slack")).toEqual(["slack_d", "slack_a"]);
    expect(await found("?tool=github_b")).toEqual(["github_b"]);
    expect(await found("?status=refused")).toEqual(["slack_d"]);
    expect(await found("?status=success")).toEqual(["platform_c", "github_b", "slack_a"]);
    expect(await found(`?apiKeyId=${apiKeyId}`)).toEqual(["github_b", "slack_a"]);
    expect(await found(`?apiKeyId=${apiKeyId}&serverId=slack&status=success&source=mcp`)).toEqual(["slack_a"]);
    expect(await found(`?from=${hourAgo.toISOString()}`)).toHaveLength(4);
    expect(await found(`?from=${new Date(hourAgo.getTime() + 1).toISOString()}`)).not.toContain("slack_a");
    expect(await found(`?to=${new Date(hourAgo.getTime() + 1).toISOString()}`)).toEqual(["slack_a"]);
    expect(await found(`?to=${hourAgo.toISOString()}`)).toEqual([]);
  });

  it("finds text in tool, error and parameters, whatever its case, and takes % and _ as they are", async () => {
    const organizationId = await newOrganization();
    await record(callOf(organizationId, { tool: "find_me", parameters: {} }));
    await record(callOf(organizationId, { tool: "two", parameters: { note: "Find_Me too, 100% sure" } }));
    await app.parts.history.recorder.refused(callOf(organizationId, { tool: "three" }), {
      code: "x",
      message: "could not FIND_ME",
    });
    await record(callOf(organizationId, { tool: "four", parameters: {} }), { outputs: "find_me" });
    await record(callOf(organizationId, { tool: "five", parameters: { note: "findXme" } }));
    const found = async (text: string) => namesOf(await list(organizationId, `?search=${encodeURIComponent(text)}`));
    expect(await found("find_me")).toEqual(["three", "two", "find_me"]);
    expect(await found("100% SURE")).toEqual(["two"]);
    expect([await found("find%me"), await found("\\")]).toEqual([[], []]);
    expect((await list(organizationId, "?search=find_me&limit=2")).nextCursor).not.toBeNull();
  });

  it("looks through 2,000 calls per page of a search and goes on from there", async () => {
    const organizationId = await newOrganization();
    await record(callOf(organizationId, { tool: "needle" }));
    await app.database.query(
      `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, parameters, credentials, queued_at, queue_ms, truncated, sanitized, owner)
       SELECT $1, uuidv7(), 'mcp', 'slack', 'hay', 'success', '{}', '{}', now(), 0, false, false, $1 FROM generate_series(1, 2500)`,
      [organizationId],
    );
    const first = await list(organizationId, "?search=needle");
    expect([first.data, typeof first.nextCursor, typeof first.searchedBackTo]).toEqual([[], "string", "string"]);
    const second = await list(organizationId, `?search=needle&cursor=${first.nextCursor}`);
    expect([namesOf(second), second.nextCursor]).toEqual([["needle"], null]);
  });
});

describe("the export", () => {
  const lines = (text: string) =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as ToolCall);
  const openExport = (organizationId: string, query = "") => {
    const cookie = [...ann.browser.cookies].map((pair) => pair.join("=")).join("; ");
    return fetch(app.platformUrl + pathOf(organizationId, `/export${query}`), { headers: { cookie } });
  };

  it("holds every filtered record whole, one per line", async () => {
    const organizationId = await newOrganization();
    const calls = await Promise.all(
      Array.from({ length: 60 }, (_, index) => record(callOf(organizationId, { parameters: { index } }))),
    );
    await app.parts.history.recorder.refused(callOf(organizationId), { code: "x", message: "no" });
    const answer = await openExport(organizationId, "?status=success");
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    const exported = lines(await answer.text());
    expect(exported.map(({ id }) => id).sort()).toEqual(calls.map(({ id }) => id).sort());
    expect(exported[0]).toMatchObject({ parameters: { index: expect.any(Number) }, outputs: { items: [] } });
    const found = lines(await (await openExport(organizationId, "?search=%22index%22:7%7D")).text());
    expect(found.map(({ parameters }) => parameters)).toEqual([{ index: 7 }]);
  });

  it("reads on only as fast as it is taken", async () => {
    const organizationId = await newOrganization();
    await Promise.all(Array.from({ length: 120 }, () => record(callOf(organizationId), "x".repeat(500_000))));
    const response = await openExport(organizationId);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await app.database.query("DELETE FROM tool_call WHERE organization_id = $1", [organizationId]);
    expect(lines(await response.text()).length).toBeLessThan(120);
  });
});

describe("a copy", () => {
  const copy = async (call: ArrivedCall, as: string) =>
    ann.browser.get(pathOf(call.organizationId, `/${call.id}/copy?as=${as}`));

  it("as curl and as MCP JSON is the call again, with a placeholder for the key", async () => {
    const credentials = { slack: `credential:organization:${randomUUID()}` };
    const call = await record(
      callOf(ann.organizationId, { parameters: { text: `it's "$HOME" \`id\` \\n` }, credentials }),
    );
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: call.tool, arguments: { ...(call.parameters as object), credentials } },
    };
    const mcp = await copy(call, "mcp");
    expect(mcp.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(JSON.parse(mcp.text)).toEqual(message);
    const { text } = await copy(call, "curl");
    expect(text).toContain("curl 'https://mcp.example/slack/mcp'");
    expect(text).toContain("-H 'X-API-Key: <API_KEY>'");
    const { execFileSync } = await import("node:child_process");
    const words = execFileSync("sh", ["-c", text.replace(/^curl/, "printf '%s\\n'")], { encoding: "utf8" }).split("\n");
    expect(JSON.parse(words.at(words.indexOf("--data-raw") + 1) ?? "")).toEqual(message);
  });

  it("of a platform tool asks for an access token", async () => {
    const call = await record(
      callOf(ann.organizationId, { source: "platform", serverId: "platform", tool: "platform_get_me", parameters: {} }),
    );
    expect((await copy(call, "curl")).text).toContain("Authorization: Bearer <ACCESS_TOKEN>");
  });

  it("is refused when the parameters were not kept whole", async () => {
    const call = await record(callOf(ann.organizationId, { parameters: { text: "x".repeat(300_000) } }));
    expectProblem(await copy(call, "mcp"), { code: "conflict" });
  });
});

describe("who may see it", () => {
  it("viewers read, members export, strangers learn nothing", async () => {
    const call = await record(callOf(bob.organizationId));
    const [viewer, member] = await Promise.all([
      signUpMember(app, bob.organizationId, "Vera", "viewer"),
      signUpMember(app, bob.organizationId, "Mona", "member"),
    ]);
    const paths = ["", `/${call.id}`, `/${call.id}/copy?as=curl`].map((rest) => pathOf(bob.organizationId, rest));
    for (const path of paths) expect((await viewer.browser.get(path)).status).toBe(200);
    expectProblem(await viewer.browser.get(pathOf(bob.organizationId, "/export")), { code: "role_required" });
    expect((await member.browser.get(pathOf(bob.organizationId, "/export"))).status).toBe(200);
    for (const path of [
      ...paths,
      pathOf(bob.organizationId, "/export"),
      `/api/organizations/${bob.organizationId}/events`,
    ]) {
      expectProblem(await app.browser().get(path), { code: "not_signed_in" });
      expectProblem(await ann.browser.get(path), { code: "not_found" });
    }
  });

  it("a foreign record and none are answered alike through the own organization", async () => {
    const call = await record(callOf(bob.organizationId));
    for (const rest of ["", "/copy"]) {
      const answers = await Promise.all(
        [call.id, randomUUID()].map((id) => ann.browser.get(pathOf(ann.organizationId, `/${id}${rest}`))),
      );
      const [foreign, nobodys] = answers.map(({ status, body }) => ({ status, ...body, requestId: "", instance: "" }));
      expect(foreign).toEqual(nobodys);
      expect(foreign).toMatchObject({ status: 404, code: "not_found" });
    }
    expect(JSON.stringify(await list(ann.organizationId, "?limit=100"))).not.toContain(call.id);
  });

  it("the same id in two organizations is two records", async () => {
    const mine = callOf(ann.organizationId, { tool: "mine" });
    await record(mine);
    await record({ ...mine, organizationId: bob.organizationId, tool: "theirs" });
    expect((await detail(mine)).tool).toBe("mine");
    expect((await bob.browser.get(pathOf(bob.organizationId, `/${mine.id}`))).body.tool).toBe("theirs");
  });
});
