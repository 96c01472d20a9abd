import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lookFirst } from "../../src/base/effect.ts";
import { freePort } from "../support/free-port.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";

let mcp: McpApp;
let provider: FakeProvider;
let account: string;
let open: string;
let slack: string;
let telegram: string;
let stripe: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  mcp = await startMcpApp({ environment: { MCP_MAX_EXECUTION_TIME: "1s", OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  account = await connect("github", { kind: "bearer", accessToken: "ghp_token-of-the-test", baseUrl: provider.url });
  open = await connect("http_auth", { kind: "custom", authKind: "none" });
  slack = await connect("slack", { kind: "bearer", accessToken: "xoxb-token-of-the-test", baseUrl: provider.url });
  telegram = await connect("telegram_bot", {
    kind: "apiKey",
    botToken: "123456:token-of-the-test",
    baseUrl: provider.url,
  });
  stripe = await connect("stripe", { kind: "bearer", secretKey: "sk_test_key-of-the-test", baseUrl: provider.url });
});
afterAll(async () => {
  await mcp.stop();
  await provider.stop();
});
beforeEach(() => provider.script([]));

async function connect(type: string, data: Record<string, string>): Promise<string> {
  const { credentials } = mcp.app.parts.vault;
  return (await credentials.create(mcp.owner.organizationId, { type, name: type, data, createdBy: null })).reference;
}

/** The words and the code that a client gets. */
async function call(serverId: string, name: string, given: object) {
  const { result } = (await mcp.client.modern(serverId, "tools/call", { name, arguments: given })).json;
  expect(result?.isError).toBe(true);
  return { text: result?.content[0]?.text ?? "", code: result?._meta["switchyard/error"].code };
}

const create = (reference = account) =>
  call("github", "github_create_issue", {
    owner: "acme",
    repo: "site",
    title: "Once",
    credentials: { github: reference },
  });
const search = () => call("github", "github_search_issues", { query: "is:open", credentials: { github: account } });
const post = () => call("slack", "slack_send_message", { channel: "C1", text: "Once", credentials: { slack } });
const tell = () =>
  call("telegram", "telegram_send_message", { chatId: 1, text: "Once", credentials: { telegram_bot: telegram } });
const refund = (given: object = {}) =>
  call("stripe", "stripe_create_refund", { paymentIntentId: "pi_1", ...given, credentials: { stripe } });
const request = (method: string, headers?: object) =>
  call("http", "http_request", {
    method,
    url: provider.url,
    credentials: { http_auth: open },
    ...(headers ? { headers } : {}),
  });

const unclear: [string, Answer, string][] = [
  ["a connection that breaks off", { drop: true }, "provider_unreachable"],
  ["a fault of a proxy in between", { status: 502, json: { message: "Bad gateway" } }, "provider_error"],
  ["a fault of the server", { status: 500, json: { message: "Oops" } }, "provider_error"],
  ["an answer that nobody can read", { status: 201, body: "<html>" }, "provider_error"],
  ["an answer that is empty", { status: 201 }, "provider_error"],
  ["an answer without what was made", { status: 201, json: {} }, "provider_error"],
  [
    "a redirect to a place where it may be shown",
    { status: 303, headers: { location: "/issues/7" } },
    "provider_error",
  ],
  [
    "a redirect that is not followed",
    { status: 307, headers: { location: "https://elsewhere.test/" } },
    "provider_error",
  ],
  ["the time limit", { hang: true }, "tool_timeout"],
];

describe("a tool that changes something", () => {
  it.each(unclear)("says after %s that it may have been done, and is sent once", async (_, answer, code) => {
    provider.script([answer]);
    const told = await create();
    expect(told.code).toBe(code);
    expect(told.text.endsWith(`. ${lookFirst}`)).toBe(true);
    expect(told.text.match(/\blook before\b/gi)).toHaveLength(1);
    expect(provider.requests()).toHaveLength(1);
  });

  it("does not call an answer without proof a refusal", async () => {
    provider.script([{ status: 201 }]);
    expect((await create()).text).toBe(
      `The answer of GitHub has no issue number, so nothing shows that it was done. ${lookFirst}`,
    );
  });

  it.each([
    ["Slack", post],
    ["Telegram", tell],
  ])("says so where %s, which also refuses with 200, sends what is no answer of its own", async (_, send) => {
    for (const answer of [{ body: "<html>" }, { body: "" }, { json: {} }]) {
      provider.script([answer]);
      const told = await send();
      expect(told.text.endsWith(`. ${lookFirst}`)).toBe(true);
      expect(told.text).not.toContain("refused");
    }
    provider.script([{ json: { ok: false, error: "channel_not_found" } }]);
    expect((await send()).text).not.toContain(lookFirst);
  });

  it("says so in its record too", async () => {
    provider.script([{ drop: true }]);
    await create();
    const path = `/api/organizations/${mcp.owner.organizationId}/tool-calls`;
    const { body } = await mcp.owner.browser.get(path);
    expect((await mcp.owner.browser.get(`${path}/${body.data[0].id}`)).body.error.message).toContain(lookFirst);
  });

  it("says nothing of the kind where it was refused or never sent", async () => {
    for (const status of [401, 403, 404, 422, 429]) {
      provider.script([{ status, json: { message: "No" } }]);
      expect((await create()).text).not.toContain(lookFirst);
    }
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const nowhere = await connect("github", { kind: "bearer", accessToken: "ghp_token-of-the-test", baseUrl });
    const told = await create(nowhere);
    expect(told.code).toBe("provider_unreachable");
    expect(told.text).not.toContain(lookFirst);
  });
});

describe("a tool that may be repeated", () => {
  it("says nothing of the kind, and a request that only reads is sent again", async () => {
    provider.script([{ drop: true }, { drop: true }, { drop: true }]);
    expect((await search()).text).not.toContain(lookFirst);
    provider.script([{ hang: true }]);
    expect((await search()).text).not.toContain(lookFirst);
  });

  it("is not one that gets a key for each call: it is sent again, but the caller's next call has another key", async () => {
    provider.script(Array(3).fill({ drop: true }));
    expect((await refund()).text.endsWith(`. ${lookFirst}`)).toBe(true);
    const keys = provider.requests().map(({ headers }) => headers["idempotency-key"]);
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
    provider.script(Array(3).fill({ drop: true }));
    expect((await refund({ idempotencyKey: "order-1" })).text).not.toContain(lookFirst);
  });

  it("is for http_request a matter of the method, or of a key that it is sent with", async () => {
    for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
      provider.script(Array(3).fill({ drop: true }));
      expect((await request(method)).text).not.toContain(lookFirst);
    }
    for (const method of ["POST", "PATCH"]) {
      provider.script([{ drop: true }]);
      expect((await request(method)).text).toContain(lookFirst);
      expect(provider.requests()).toHaveLength(1);
    }
    provider.script(Array(3).fill({ drop: true }));
    expect((await request("POST", { "Idempotency-Key": "order-1" })).text).not.toContain(lookFirst);
  });
});
