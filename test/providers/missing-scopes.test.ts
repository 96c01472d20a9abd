import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toReference } from "../../src/vault/reference.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { signUpOwner } from "../support/people.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let service: FakeProvider;
let oauth: FakeOAuth;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  [service, oauth] = await Promise.all([startFakeProvider(), startFakeOAuth()]);
  app = await startTestApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  ann = await signUpOwner(app, "Ann");
  path = `/api/organizations/${ann.organizationId}`;
});
beforeEach(() => {
  service.script([]);
  oauth.reset();
});
afterAll(async () => {
  await app.stop();
  await Promise.all([service.stop(), oauth.stop()]);
});

async function connect(type: string, data: Record<string, unknown>): Promise<string> {
  const made = { type, name: "Mine", data: { baseUrl: service.url, ...data }, createdBy: null };
  return (await app.parts.vault.credentials.create(ann.organizationId, made)).id;
}

async function call(tool: string, type: string, id: string, parameters: object): Promise<string> {
  const request = { parameters, credentials: { [type]: toReference(id) }, confirm: true };
  const { body } = await ann.browser.post(`${path}/tools/${tool}/call`, request);
  return (body.error as { message: string }).message;
}

const token = { accessToken: "canary-token", expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
const several = { kind: "oauth2", ...token };
const googleScope = "https://www.googleapis.com/auth/calendar.events";

/** As the vendors document their answers. */
type Told = { tool: string; type: string; data: object; parameters: object; answer: Answer; words: string };

const refusals: [string, Told][] = [
  [
    "Slack",
    {
      tool: "slack_list_channels",
      type: "slack",
      data: several,
      parameters: {},
      answer: {
        json: { ok: false, error: "missing_scope", needed: "channels:read,groups:read", provided: "chat:write" },
      },
      words: "Slack refused the call (missing_scope): the scope channels:read or groups:read is needed.",
    },
  ],
  [
    "Google, without naming it",
    {
      tool: "google_calendar_list_events",
      type: "google_calendar",
      data: token,
      parameters: {},
      answer: {
        status: 403,
        json: {
          error: {
            code: 403,
            message: "Request had insufficient authentication scopes.",
            status: "PERMISSION_DENIED",
            errors: [{ message: "Insufficient Permission", domain: "global", reason: "insufficientPermissions" }],
            details: [
              {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
                domain: "googleapis.com",
                metadata: { service: "calendar-json.googleapis.com", method: "calendar.v3.Events.List" },
              },
            ],
          },
        },
      },
      words: "Request had insufficient authentication scopes. A scope that the credential does not have is needed.",
    },
  ],
  [
    "Google, naming it in a header",
    {
      tool: "google_calendar_list_events",
      type: "google_calendar",
      data: token,
      parameters: {},
      answer: {
        status: 403,
        headers: {
          "www-authenticate": `Bearer realm="https://accounts.google.com/", error="insufficient_scope", scope="${googleScope}"`,
        },
        json: {
          error: {
            code: 403,
            message: "Insufficient Permission",
            errors: [{ message: "Insufficient Permission", domain: "global", reason: "insufficientPermissions" }],
          },
        },
      },
      words: `Insufficient Permission. The scope ${googleScope} is needed.`,
    },
  ],
  [
    "GitHub",
    {
      tool: "github_create_issue",
      type: "github",
      data: several,
      parameters: { owner: "acme", repo: "site", title: "Hi" },
      answer: {
        status: 404,
        headers: { "x-oauth-scopes": "read:user", "x-accepted-oauth-scopes": "public_repo, repo" },
        json: { message: "Not Found", documentation_url: "https://docs.github.com/rest", status: "404" },
      },
      words: "Not Found. The scope public_repo or repo is needed.",
    },
  ],
  [
    "HubSpot",
    {
      tool: "hubspot_search_contacts",
      type: "hubspot",
      data: several,
      parameters: {},
      answer: {
        status: 403,
        json: {
          status: "error",
          message: "This app hasn't been granted all required scopes to make this call.",
          correlationId: "4f2071b3-bf52-4e77-8dbe-6f80ad4f3a5f",
          errors: [
            {
              message: "One or more of the following scopes are required.",
              context: { requiredGranularScopes: ["crm.objects.contacts.read"] },
            },
          ],
          links: { scopes: "https://developers.hubspot.com/scopes" },
          category: "MISSING_SCOPES",
        },
      },
      words: "to make this call. The scope crm.objects.contacts.read is needed.",
    },
  ],
  [
    "Microsoft",
    {
      tool: "microsoft_outlook_search_emails",
      type: "microsoft_outlook",
      data: token,
      parameters: { query: "x" },
      answer: {
        status: 403,
        json: { error: { code: "ErrorAccessDenied", message: "Access is denied. Check credentials and try again." } },
      },
      words: "Check credentials and try again. A scope that the credential does not have is needed.",
    },
  ],
  [
    "Jira",
    {
      tool: "jira_search_issues",
      type: "jira",
      data: { ...several, cloudId: "c1" },
      parameters: { jql: "project = A" },
      answer: { status: 401, json: { code: 401, message: "Unauthorized; scope does not match" } },
      words: "Unauthorized; scope does not match. A scope that the credential does not have is needed.",
    },
  ],
];

describe("a scope that is missing", () => {
  it.each(refusals)(
    "is told by %s with the way to add it",
    async (_name, { tool, type, data, parameters, answer, words }) => {
      const id = await connect(type, { ...data, grantedScopes: "one two" });
      service.script([answer]);
      const message = await call(tool, type, id, parameters);
      const way = `It was given: one, two. Add the scope to the credential "Mine" and connect it again: ${app.platformUrl}/o/${ann.organizationId}/credentials/${id}`;
      expect(message).toContain(`${words} ${way}`);
      const { body } = await ann.browser.get(`${path}/credentials/${id}`);
      expect(body.health).not.toMatch(/failing|needs_reconnect/);
    },
  );

  it("of a token that was typed in is added at the provider", async () => {
    const id = await connect("slack", { kind: "bearer", accessToken: "xoxb-canary" });
    service.script([{ json: { ok: false, error: "missing_scope", needed: "channels:read", provided: "chat:write" } }]);
    expect(await call("slack_list_channels", "slack", id, {})).toContain(
      'Give the token of the credential "Mine" that scope at Slack, and enter the new one if it changes: ',
    );
  });

  it.each([
    {
      tool: "openai_create_response",
      data: { apiKey: "sk-canary" },
      parameters: { model: "m", prompt: "p" },
      answer: {
        status: 401,
        json: {
          error: {
            message:
              "You have insufficient permissions for this operation. Missing scopes: api.responses.write. Check that you have the correct role in your organization.",
            type: "invalid_request_error",
            param: null,
            code: null,
          },
        },
      },
      words:
        "Missing scopes: api.responses.write. Check that you have the correct role in your organization. Give the token",
    },
    {
      tool: "stripe_list_payments",
      data: { secretKey: "rk_test_canary" },
      parameters: {},
      answer: {
        status: 403,
        json: {
          error: {
            message:
              "The provided key 'rk_test_***' does not have the required permissions for this endpoint on account 'acct_1'. Having the 'rak_payment_intent_read' permission would allow this request to continue.",
            type: "invalid_request_error",
          },
        },
      },
      words: "Having the 'rak_payment_intent_read' permission would allow this request to continue. Give the token",
    },
    {
      tool: "elevenlabs_text_to_speech",
      data: { apiKey: "xi-canary" },
      parameters: { voiceId: "v", text: "t" },
      answer: {
        status: 401,
        json: {
          detail: {
            status: "missing_permissions",
            message: "The API key you used is missing the permission text_to_speech to execute this operation.",
          },
        },
      },
      words: "is missing the permission text_to_speech to execute this operation. Give the token",
    },
    {
      tool: "linear_search_issues",
      data: { kind: "apiKey", apiKey: "lin_canary" },
      parameters: { term: "x" },
      answer: {
        json: {
          errors: [
            {
              message: "Invalid scope: `read` required",
              extensions: { type: "forbidden", code: "FORBIDDEN", statusCode: 403, userError: true },
            },
          ],
          data: null,
        },
      },
      words: "Linear refused the call (FORBIDDEN): Invalid scope: `read` required. Give the token",
    },
    {
      tool: "github_create_issue",
      data: { kind: "bearer", accessToken: "github_pat_canary" },
      parameters: { owner: "acme", repo: "site", title: "Hi" },
      answer: {
        status: 403,
        headers: { "x-accepted-github-permissions": "issues=write; pull_requests=write" },
        json: { message: "Resource not accessible by personal access token", status: "403" },
      },
      words: "by personal access token. The scope issues=write or pull_requests=write is needed. Give the token",
    },
  ])("of a key with permissions is told by $tool, and the key is not called broken", async (told) => {
    const type = told.tool.split("_", 1)[0] ?? "";
    const id = await connect(type, told.data);
    service.script([told.answer]);
    expect(await call(told.tool, type, id, told.parameters)).toContain(
      `${told.words} of the credential "Mine" that scope at`,
    );
    service.script([told.answer]);
    const { body } = await ann.browser.post(`${path}/credentials/${id}/test`);
    expect(body).toMatchObject({ isChecked: false, health: "unknown" });
  });

  it("is not claimed of a token that has it, nor of one without scopes", async () => {
    const id = await connect("github", { kind: "bearer", accessToken: "ghp_canary" });
    for (const headers of [
      { "x-oauth-scopes": "repo", "x-accepted-oauth-scopes": "repo" },
      { "x-accepted-oauth-scopes": "repo" },
      // A fine-grained token is told of what it needs also where the repository is not there.
      { "x-accepted-github-permissions": "issues=write" },
    ]) {
      service.script([{ status: 404, headers, json: { message: "Not Found" } }]);
      const message = await call("github_create_issue", "github", id, { owner: "a", repo: "b", title: "c" });
      expect(message).not.toContain("scope");
    }
    const headers = { "x-accepted-github-permissions": "issues=write" };
    service.script([{ status: 403, headers, json: { message: "Repository was archived so is read-only." } }]);
    const message = await call("github_create_issue", "github", id, { owner: "a", repo: "b", title: "c" });
    expect(message).not.toContain("scope");
  });
});

describe("the scopes of an account", () => {
  it("are those that the provider says it grants, and asked for with what was added", async () => {
    const client = {
      clientId: "c",
      clientSecret: "canary-client",
      tokenUrl: `${oauth.url}/token`,
      authorizeUrl: `${oauth.url}/authorize`,
    };
    const { body: begun } = await ann.browser.post(`${path}/credentials/connect`, {
      type: "slack",
      name: "Slack",
      data: { ...client, baseUrl: oauth.url, furtherScopes: "files:read" },
    });
    const url = new URL(begun.authorizeUrl);
    expect(url.searchParams.get("scope")?.split(",")).toEqual(
      expect.arrayContaining(["chat:write", "channels:read", "im:history", "users:read", "files:read"]),
    );
    oauth.answerToken = () => ({
      body: JSON.stringify({
        ok: true,
        access_token: "xoxb-canary",
        token_type: "bot",
        scope: "chat:write,files:read",
        bot_user_id: "U1",
      }),
    });
    await ann.browser.get(
      `/api/oauth/callback?${new URLSearchParams({ state: url.searchParams.get("state") ?? "", code: "any" })}`,
    );
    const { body } = await ann.browser.get(`${path}/credentials/${begun.credentialId}`);
    expect(body.data).toMatchObject({ furtherScopes: "files:read", grantedScopes: "chat:write files:read" });
  });

  it("have the provider's own words, every one that is asked for", async () => {
    const { body } = await ann.browser.get("/api/credential-types");
    type Entry = {
      type: string;
      variants: { scopes: string[]; knownScopes: { name: string; description: string }[] }[];
    };
    for (const { type, variants } of body.data as Entry[])
      for (const { scopes, knownScopes } of variants) {
        expect(
          knownScopes.map(({ name }) => name),
          type,
        ).toEqual(expect.arrayContaining(scopes));
        for (const { description } of knownScopes) expect(description, type).toMatch(/^[A-Z].*\.$/);
      }
  });
});
