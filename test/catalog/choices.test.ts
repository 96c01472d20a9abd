import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const apiKey = "canary-key-of-openai";
let app: TestApp;
let provider: FakeProvider;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  app = await startTestApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  [ann, bob] = await Promise.all([signUpOwner(app, "Ann"), signUpOwner(app, "Bob")]);
  const credentials = `/api/organizations/${ann.organizationId}/credentials`;
  const { body } = await ann.browser.post(credentials, {
    type: "openai",
    name: "Ours",
    data: { apiKey, baseUrl: provider.url },
  });
  path = `${credentials}/${body.id}/choices`;
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

it("lists what an account offers, as the provider says it at that moment", async () => {
  const member = await signUpMember(app, ann.organizationId, "Mia", "member");
  provider.script([
    {
      json: {
        object: "list",
        data: [
          { id: "gpt-a", object: "model", created: 1, owned_by: "openai", shutdown_date: "2027-01-14" },
          { id: "gpt-b", object: "model", created: 2, owned_by: "openai", shutdown_date: null },
          { id: "gpt-image-a", object: "model", created: 3, owned_by: "openai" },
        ],
      },
    },
  ]);
  const { status, body } = await member.browser.get(`${path}/models`);
  expect([status, body]).toEqual([
    200,
    { data: [{ value: "gpt-b" }, { value: "gpt-a", title: "gpt-a (ends 2027-01-14)" }] },
  ]);
  expect(provider.requests()).toMatchObject([
    { method: "GET", path: "/models", headers: { authorization: `Bearer ${apiKey}` } },
  ]);
});

it("says why there is no list, without the secret", async () => {
  provider.script([
    { status: 403, json: { error: { message: `No permission for ${apiKey}.`, code: "insufficient_permissions" } } },
  ]);
  const { text } = await ann.browser.get(`${path}/models`);
  expect(text).toContain("insufficient_permissions");
  expect(text).not.toContain("canary");
});

it("is for members, of lists that there are, and of the organization's own accounts", async () => {
  provider.script([]);
  const viewer = await signUpMember(app, ann.organizationId, "Vic", "viewer");
  expectProblem(await viewer.browser.get(`${path}/models`), { status: 403, code: "role_required" });
  expectProblem(await ann.browser.get(`${path}/constructor`), { status: 404, code: "not_found" });
  const foreign = path.replace(ann.organizationId, bob.organizationId);
  const unknown = `/api/organizations/${bob.organizationId}/credentials/${randomUUID()}/choices`;
  const [one, other] = [await bob.browser.get(`${foreign}/models`), await bob.browser.get(`${unknown}/models`)];
  expect([one.status, one.body.code, one.body.detail]).toEqual([other.status, other.body.code, other.body.detail]);
  expect(provider.requests()).toEqual([]);
});

it("tells whoever connects Google that a consent screen in testing loses its connections", async () => {
  const { body } = await ann.browser.get("/api/credential-types");
  const types = body.data as { type: string; variants: { advice?: string }[] }[];
  const advised = types
    .filter(({ variants }) => variants.some(({ advice }) => /“Testing”.*seven days/.test(advice ?? "")))
    .map(({ type }) => type);
  expect(advised.sort()).toEqual(["email", "gmail", "google_calendar", "google_docs", "google_drive", "google_sheets"]);
});
