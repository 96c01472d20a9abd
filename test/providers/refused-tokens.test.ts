import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";

let mcp: McpApp;
let provider: FakeOAuth;

beforeAll(async () => {
  provider = await startFakeOAuth();
  mcp = await startMcpApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
});
beforeEach(() => provider.reset());
afterAll(async () => {
  await mcp.stop();
  await provider.stop();
});

const inAnHour = () => new Date(Date.now() + 3_600_000);
const place = (credentialId: string) => ({ organizationId: mcp.owner.organizationId, credentialId });
const read = (credentialId: string) => mcp.app.parts.vault.credentials.get(place(credentialId));

const connect = (type: string, data: Record<string, unknown>) =>
  mcp.app.parts.vault.credentials.create(mcp.owner.organizationId, { type, name: "My account", data, createdBy: null });

async function call(tool: string, given: object, { type, reference }: { type: string; reference: string }) {
  const { json } = await mcp.client.modern(type.split("_")[0] ?? "", "tools/call", {
    name: tool,
    arguments: { ...given, credentials: { [type]: reference } },
  });
  return json.result as {
    isError?: boolean;
    content: { text: string }[];
    structuredContent?: unknown;
    _meta: Record<string, { code: string }>;
  };
}

const token = (headers: Record<string, unknown>) => String(headers.authorization).replace(/^Bearer /, "");
const send = { tool: "slack_send_message", given: { channel: "C1", text: "Hello" } };

describe("Slack refuses a token with status 200", () => {
  const slackCodes = ["token_expired", "invalid_auth", "token_revoked", "account_inactive", "not_authed"];

  it.each(slackCodes)("(%s): it is replaced once, and the message is sent", async (error) => {
    const data = provider.connection(inAnHour());
    provider.answerApi = (headers) => ({
      body: JSON.stringify(
        token(headers) === data.accessToken
          ? { ok: false, error }
          : { ok: true, channel: "C1", ts: "1503435956.000247" },
      ),
    });
    const account = await connect("slack", { kind: "oauth2", ...data });
    expect(await call(send.tool, send.given, account)).toMatchObject({
      structuredContent: { items: [{ channel: "C1" }] },
    });
    expect(provider.tokenRequests).toHaveLength(1);
    expect(provider.apiRequests).toHaveLength(2);
    expect(await read(account.id)).toMatchObject({ health: "ok" });
  });

  it.each(slackCodes)(
    "(%s) also after that: the account must be connected again, and the answer says where",
    async (error) => {
      provider.answerApi = () => ({ body: JSON.stringify({ ok: false, error }) });
      const account = await connect("slack", { kind: "oauth2", ...provider.connection(inAnHour()) });
      const result = await call(send.tool, send.given, account);
      expect(result).toMatchObject({
        isError: true,
        _meta: { "switchyard/error": { code: "credential_needs_reconnect" } },
      });
      expect(result.content[0]?.text).toContain(`(${error})`);
      expect(result.content[0]?.text).toContain(`/credentials/${account.id}`);
      expect(provider.tokenRequests).toHaveLength(1);
      await expect.poll(async () => (await read(account.id)).health).toBe("needs_reconnect");
      expect((await read(account.id)).lastError).toContain(error);
      await call(send.tool, send.given, account);
      expect(provider.apiRequests).toHaveLength(2);
    },
  );

  it("that nothing can replace: the connection must be made again, and the check says so too", async () => {
    provider.answerApi = () => ({ body: JSON.stringify({ ok: false, error: "token_revoked" }) });
    const { refreshToken: _, expiresAt: __, ...data } = provider.connection();
    const account = await connect("slack", { kind: "oauth2", ...data });
    const tested = await mcp.owner.browser.post(
      `/api/organizations/${mcp.owner.organizationId}/credentials/${account.id}/test`,
    );
    expect(tested.body).toMatchObject({
      ok: false,
      health: "needs_reconnect",
      message: expect.stringContaining("token_revoked"),
    });
    expect(provider.tokenRequests).toHaveLength(0);
  });

  it("that somebody typed in: the account is failing", async () => {
    provider.answerApi = () => ({ body: JSON.stringify({ ok: false, error: "invalid_auth" }) });
    const account = await connect("slack", { kind: "bearer", accessToken: "xoxb-typed", baseUrl: provider.url });
    expect(await call(send.tool, send.given, account)).toMatchObject({
      _meta: { "switchyard/error": { code: "provider_error" } },
    });
    await expect.poll(async () => (await read(account.id)).health).toBe("failing");
  });

  it("is no reason to send again when the code speaks of something else", async () => {
    provider.answerApi = () => ({ body: JSON.stringify({ ok: false, error: "channel_not_found" }) });
    const account = await connect("slack", { kind: "oauth2", ...provider.connection(inAnHour()) });
    expect(await call(send.tool, send.given, account)).toMatchObject({
      _meta: { "switchyard/error": { code: "provider_error" } },
    });
    expect([provider.tokenRequests.length, provider.apiRequests.length]).toEqual([0, 1]);
    expect(await read(account.id)).toMatchObject({ health: expect.not.stringMatching("reconnect|failing") });
  });
});

describe("a credential that is refused without the status 401", () => {
  const linearRefusal = {
    errors: [
      {
        message: "Authentication required",
        extensions: { type: "authentication error", code: "AUTHENTICATION_ERROR" },
      },
    ],
  };

  it.each([200, 400])("(Linear, %i) is replaced once", async (status) => {
    const data = provider.connection(inAnHour());
    const found = {
      data: { searchIssues: { nodes: [{ id: "1", identifier: "ENG-1" }], pageInfo: { hasNextPage: false } } },
    };
    provider.answerApi = (headers) =>
      token(headers) === data.accessToken
        ? { status, body: JSON.stringify(linearRefusal) }
        : { body: JSON.stringify(found) };
    const account = await connect("linear", { kind: "oauth2", ...data });
    expect(await call("linear_search_issues", { term: "x" }, account)).toMatchObject({
      structuredContent: { items: [{ id: "1" }] },
    });
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("(Jira, which answers as to a stranger) is replaced once", async () => {
    const data = provider.connection(inAnHour());
    const found = { issues: [{ id: "10", key: "ENG-1", fields: { summary: "It" } }] };
    provider.answerApi = (headers) =>
      token(headers) === data.accessToken
        ? { headers: { "x-seraph-loginreason": "AUTHENTICATED_FAILED" }, body: '{"issues":[]}' }
        : { headers: { "x-seraph-loginreason": "OK" }, body: JSON.stringify(found) };
    const account = await connect("jira", { kind: "oauth2", ...data });
    expect(await call("jira_search_issues", { jql: "project = ENG" }, account)).toMatchObject({
      structuredContent: { items: [{ key: "ENG-1" }] },
    });
    expect(provider.tokenRequests).toHaveLength(1);
  });

  it("(Jira, after a comment that a stranger may have been let to make) is replaced, and nothing is sent again", async () => {
    const data = provider.connection(inAnHour());
    provider.answerApi = (headers) => ({
      status: 201,
      headers: { "x-seraph-loginreason": token(headers) === data.accessToken ? "AUTHENTICATED_FAILED" : "OK" },
      body: '{"id":"10"}',
    });
    const account = await connect("jira", { kind: "oauth2", ...data });
    const comment = { issueKey: "ENG-1", text: "Hello" };
    const result = await call("jira_add_comment", comment, account);
    expect(result).toMatchObject({ isError: true, _meta: { "switchyard/error": { code: "provider_error" } } });
    expect(result.content[0]?.text).toContain("It may have been done: look before you repeat it.");
    expect([provider.apiRequests.length, provider.tokenRequests.length]).toEqual([1, 1]);
    expect(await read(account.id)).toMatchObject({ health: expect.not.stringMatching("reconnect") });
    expect(await call("jira_add_comment", comment, account)).toMatchObject({
      structuredContent: { items: [{ id: "10" }] },
    });
  });

  it("(Jira, and nothing can replace it) says that the comment may have been made", async () => {
    const { refreshToken: _, ...data } = provider.connection(inAnHour());
    provider.answerApi = () => ({
      status: 201,
      headers: { "x-seraph-loginreason": "AUTHENTICATED_FAILED" },
      body: '{"id":"10"}',
    });
    const account = await connect("jira", { kind: "oauth2", ...data });
    const result = await call("jira_add_comment", { issueKey: "ENG-1", text: "Hello" }, account);
    expect(result).toMatchObject({
      isError: true,
      _meta: { "switchyard/error": { code: "credential_needs_reconnect" } },
    });
    expect(result.content[0]?.text).toContain("It may have been done: look before you repeat it.");
  });

  const keyed = [
    [
      "gemini",
      "gemini_generate_content",
      { model: "gemini-2.5-flash", prompt: "Hi" },
      { apiKey: "AIza-typed" },
      {
        status: 400,
        body: JSON.stringify({
          error: {
            code: 400,
            message: "API key not valid. Please pass a valid API key.",
            status: "INVALID_ARGUMENT",
            details: [
              {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                reason: "API_KEY_INVALID",
                domain: "googleapis.com",
              },
            ],
          },
        }),
      },
    ],
    [
      "deepl",
      "deepl_translate_text",
      { texts: ["a"], targetLang: "DE" },
      { apiKey: "k:fx" },
      { status: 403, body: '{"message":"Forbidden"}' },
    ],
    [
      "telegram_bot",
      "telegram_send_message",
      { chatId: "1", text: "a" },
      { botToken: "1:typed" },
      { status: 404, body: '{"ok":false,"error_code":404,"description":"Not Found"}' },
    ],
    [
      "whatsapp",
      "whatsapp_send_text_message",
      { to: "4912345", text: "a" },
      { accessToken: "EAA-typed", phoneNumberId: "1" },
      {
        status: 400,
        body: JSON.stringify({
          error: {
            message: "Error validating access token: Session has expired.",
            type: "OAuthException",
            code: 190,
            error_subcode: 463,
          },
        }),
      },
    ],
    [
      "s3",
      "s3_list_objects",
      { bucket: "b" },
      { accessKeyId: "AKIA", secretAccessKey: "typed", forcePathStyle: true },
      {
        status: 403,
        type: "application/xml",
        body: "<Error><Code>InvalidAccessKeyId</Code><Message>The AWS Access Key Id you provided does not exist in our records.</Message></Error>",
      },
    ],
  ] as const;

  it.each(keyed)("(%s) makes the account a failing one", async (...[type, tool, given, fields, answer]) => {
    provider.answerApi = () => answer;
    const account = await connect(type, {
      ...fields,
      ...(type === "s3" ? { endpoint: provider.url } : { baseUrl: provider.url }),
    });
    expect(await call(tool, given, account)).toMatchObject({
      _meta: { "switchyard/error": { code: "provider_error" } },
    });
    await expect.poll(async () => (await read(account.id)).health).toBe("failing");
  });
});

describe("a plain 401 to an account that has no refresh token", () => {
  const plain = { status: 401, body: '{"message":"Requires authentication"}' };
  const get = { tool: "github_get_file", given: { owner: "a", repo: "b", path: "c" } };
  const connectGitHub = async () => {
    const { refreshToken: _, expiresAt: __, ...data } = provider.connection();
    return await connect("github", { kind: "oauth2", ...data });
  };

  it("is about that call when the account's own check still works: the next one is made", async () => {
    const answers = [plain, { body: '{"login":"ann"}' }];
    provider.answerApi = () => answers.shift() ?? plain;
    const account = await connectGitHub();
    expect(await call(get.tool, get.given, account)).toMatchObject({
      _meta: { "switchyard/error": { code: "provider_error" } },
    });
    expect(await read(account.id)).toMatchObject({ health: "failing" });
    await call(get.tool, get.given, account);
    expect(provider.apiRequests.length).toBeGreaterThan(2);
  });

  it("ends the connection when the check is refused too", async () => {
    provider.answerApi = () => plain;
    const account = await connectGitHub();
    expect(await call(get.tool, get.given, account)).toMatchObject({
      _meta: { "switchyard/error": { code: "credential_needs_reconnect" } },
    });
    expect(provider.apiRequests).toHaveLength(2);
    expect(await read(account.id)).toMatchObject({ health: "needs_reconnect" });
  });
});
