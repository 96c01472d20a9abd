import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let provider: FakeProvider;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  app = await startTestApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  ann = await signUpOwner(app, "Ann");
  path = `/api/organizations/${ann.organizationId}/credentials`;
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

type Case = { type: string; data: Record<string, unknown>; answer: Answer; says: string };

async function connect({ type, data }: Pick<Case, "type" | "data">): Promise<string> {
  const { status, body } = await ann.browser.post(path, { type, name: type, data: { ...data, baseUrl: provider.url } });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body.id;
}
const test = async (id: string) => (await ann.browser.post(`${path}/${id}/test`)).body;
const read = async (id: string) => (await ann.browser.get(`${path}/${id}`)).body;

const elevenlabs: Case = {
  type: "elevenlabs",
  data: { apiKey: "sk_only_speech" },
  answer: {
    status: 401,
    json: {
      detail: {
        status: "missing_permissions",
        message: "The API key you used is missing the permission user_read to execute this operation.",
      },
    },
  },
  says: "user_read",
};

const refused: Case[] = [
  elevenlabs,
  {
    type: "openai",
    data: { apiKey: "sk-restricted" },
    answer: {
      status: 403,
      json: {
        error: {
          message: "You have insufficient permissions for this operation. Missing scopes: api.model.read.",
          type: "invalid_request_error",
          param: null,
          code: null,
        },
      },
    },
    says: "api.model.read",
  },
  {
    type: "openai",
    data: { apiKey: "sk-restricted-2" },
    answer: {
      status: 401,
      json: {
        error: {
          message: "You have insufficient permissions for this operation. Missing scopes: api.model.read.",
          type: "x",
          code: null,
        },
      },
    },
    says: "api.model.read",
  },
  {
    type: "jira",
    data: { kind: "oauth2", accessToken: "token-of-jira", cloudId: "c1" },
    answer: { status: 401, json: { code: 401, message: "Unauthorized; scope does not match" } },
    says: "scope does not match",
  },
  {
    type: "stripe",
    data: { secretKey: "rk_test_refunds_only" },
    answer: {
      status: 403,
      json: {
        error: {
          message:
            "The provided key 'rk_test_***nly' does not have the required permissions for this endpoint. Having the 'rak_payment_intent_read' permission would allow this request to continue.",
          type: "invalid_request_error",
        },
      },
    },
    says: "rak_payment_intent_read",
  },
  {
    type: "github",
    data: { kind: "bearer", accessToken: "ghs_installation" },
    answer: {
      status: 403,
      json: {
        message: "Resource not accessible by integration",
        documentation_url: "https://docs.github.com/rest",
        status: "403",
      },
    },
    says: "not accessible by integration",
  },
  {
    type: "s3",
    data: { accessKeyId: "AKIA", secretAccessKey: "one-bucket-only" },
    answer: {
      status: 403,
      body: '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>User is not authorized to perform: s3:ListAllMyBuckets</Message></Error>',
    },
    says: "ListAllMyBuckets",
  },
  {
    type: "whatsapp",
    data: { accessToken: "EAA-messaging-only", phoneNumberId: "1065" },
    answer: {
      status: 400,
      json: {
        error: {
          message:
            "Unsupported get request. Object with ID '1065' does not exist, cannot be loaded due to missing permissions, or does not support this operation",
          type: "GraphMethodException",
          code: 100,
          error_subcode: 33,
        },
      },
    },
    says: "missing permissions",
  },
  {
    type: "whatsapp",
    data: { accessToken: "EAA-messaging-only-2", phoneNumberId: "1066" },
    answer: {
      status: 403,
      json: { error: { message: "(#200) Requires whatsapp_business_management", type: "OAuthException", code: 200 } },
    },
    says: "whatsapp_business_management",
  },
  {
    type: "hubspot",
    data: { kind: "bearer", accessToken: "pat-write-only" },
    answer: {
      status: 403,
      json: {
        status: "error",
        category: "MISSING_SCOPES",
        message: "This app hasn't been granted all required scopes to make this call.",
      },
    },
    says: "MISSING_SCOPES",
  },
  {
    type: "google_calendar",
    data: { accessToken: "ya29.narrow" },
    answer: {
      status: 403,
      json: {
        error: {
          code: 403,
          message: "Request had insufficient authentication scopes.",
          errors: [{ message: "Insufficient Permission", domain: "global", reason: "insufficientPermissions" }],
        },
      },
    },
    says: "insufficient authentication scopes",
  },
];

describe("a test that is refused for its own permission", () => {
  it.each(refused)("leaves $type unchecked, with the reason, and not failing", async (one) => {
    const id = await connect(one);
    provider.script([one.answer]);
    const result = await test(id);
    expect(result).toMatchObject({ ok: false, isChecked: false, health: "unknown" });
    expect(result.message).toContain(one.says);
    expect(result.message).toMatch(/^This could not be checked: .* Tools that need other permissions may work\.$/);
    expect(await read(id)).toMatchObject({ health: "unknown", lastError: result.message });
    expect(provider.requests()).toHaveLength(1);
  });

  it("changes nothing for an account that works, and takes back that one failed", async () => {
    const id = await connect(elevenlabs);
    provider.script([{ json: {} }]);
    expect(await test(id)).toMatchObject({ ok: true, isChecked: true, health: "ok" });
    provider.script([elevenlabs.answer]);
    expect(await test(id)).toMatchObject({ isChecked: false, health: "ok" });
    provider.script([{ status: 401, json: { detail: { status: "invalid_api_key", message: "Invalid API key" } } }]);
    expect(await test(id)).toMatchObject({ ok: false, isChecked: true, health: "failing" });
    provider.script([elevenlabs.answer]);
    expect(await test(id)).toMatchObject({ isChecked: false, health: "unknown" });
  });
});

describe("a test that fails for the account itself", () => {
  it.each<Case>([
    {
      type: "google_calendar",
      data: { accessToken: "ya29.off" },
      answer: {
        status: 403,
        json: {
          error: {
            code: 403,
            message: "The API is off.",
            errors: [{ reason: "accessNotConfigured" }],
            status: "PERMISSION_DENIED",
          },
        },
      },
      says: "accessNotConfigured",
    },
    {
      type: "deepl",
      data: { apiKey: "wrong" },
      answer: { status: 403, json: { message: "Forbidden" } },
      says: "403",
    },
    {
      type: "s3",
      data: { accessKeyId: "AKIB", secretAccessKey: "wrong-secret" },
      answer: {
        status: 403,
        body: "<Error><Code>SignatureDoesNotMatch</Code><Message>Not the signature.</Message></Error>",
      },
      says: "SignatureDoesNotMatch",
    },
  ])("shows $type as failing", async (one) => {
    const id = await connect(one);
    provider.script([one.answer, one.answer]);
    const result = await test(id);
    expect(result).toMatchObject({ ok: false, isChecked: true, health: "failing" });
    expect(result.message).toContain(one.says);
  });
});

it("does not show an account as failing because one call lacks a permission", async () => {
  const id = await connect(elevenlabs);
  provider.script([elevenlabs.answer]);
  const { text } = await ann.browser.post(
    `/api/organizations/${ann.organizationId}/tools/elevenlabs_text_to_speech/call`,
    {
      parameters: { voiceId: "v", text: "t" },
      credentials: { elevenlabs: `credential:organization:${id}` },
      confirm: true,
    },
  );
  expect(text).toContain("missing_permissions");
  expect(await read(id)).toMatchObject({ health: "unknown", lastError: null });
});
