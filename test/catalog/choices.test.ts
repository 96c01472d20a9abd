import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const apiKey = "canary-key-of-openai";
let app: TestApp;
let provider: FakeProvider;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let now = new Date();
let path: string;
let github: string;
const minuteMs = 60_000;

beforeAll(async () => {
  provider = await startFakeProvider();
  const clock = { now: () => now };
  app = await startTestApp({ clock, environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  [ann, bob] = await Promise.all([signUpOwner(app, "Ann"), signUpOwner(app, "Bob")]);
  path = await connect(ann, "openai", { apiKey });
  github = await connect(ann, "github", { kind: "bearer", accessToken: "canary-token-of-github" });
});
// Nothing of a test before is remembered any more.
beforeEach(() => {
  now = new Date(now.getTime() + 2 * minuteMs);
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

async function connect(owner: typeof ann, type: string, data: object): Promise<string> {
  const credentials = `/api/organizations/${owner.organizationId}/credentials`;
  const account = { type, name: `Ours at ${type}`, data: { ...data, baseUrl: provider.url } };
  const { body } = await owner.browser.post(credentials, account);
  return `${credentials}/${body.id}/choices`;
}

const models = (...ids: string[]) => ({ json: { object: "list", data: ids.map((id) => ({ id, object: "model" })) } });
const branches = (...names: string[]) => ({ json: names.map((name) => ({ name })) });
const rail = { owner: "octo", repo: "rail" };

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
  const { status, body } = await member.browser.post(`${path}/models`, {});
  expect([status, body]).toEqual([
    200,
    { data: [{ value: "gpt-b" }, { value: "gpt-a", title: "gpt-a (ends 2027-01-14)" }], hasMore: false },
  ]);
  expect(provider.requests()).toMatchObject([
    { method: "GET", path: "/models", headers: { authorization: `Bearer ${apiKey}` } },
  ]);
});

it("is a call like any other: in the history, with who asked and what for, and without a secret", async () => {
  provider.script([branches("main")]);
  await ann.browser.post(`${github}/branches`, { parameters: { ...rail, other: "is not needed" } });
  const calls = `/api/organizations/${ann.organizationId}/tool-calls`;
  const { body } = await ann.browser.get(`${calls}?tool=github_look_up_branches`);
  expect(body.data).toMatchObject([{ serverId: "github", status: "success", userName: "Ann" }]);
  const record = await ann.browser.get(`${calls}/${body.data[0].id}`);
  expect(record.body).toMatchObject({ parameters: rail, outputs: [{ value: "main" }] });
  expect(record.text).not.toContain("canary");
});

it("asks the provider once a minute for the same, and at once when told to", async () => {
  const ask = async (request: object) => (await ann.browser.post(`${github}/branches`, request)).body.data;
  provider.script([branches("main"), branches("of another repository"), branches("newer"), branches("next minute")]);
  expect(await ask({ parameters: rail })).toEqual([{ value: "main" }]);
  expect(await ask({ parameters: rail })).toEqual([{ value: "main" }]);
  expect(await ask({ parameters: { ...rail, repo: "r2" } })).toEqual([{ value: "of another repository" }]);
  expect(await ask({ parameters: rail, refresh: true })).toEqual([{ value: "newer" }]);
  now = new Date(now.getTime() + minuteMs - 1);
  expect(await ask({ parameters: rail })).toEqual([{ value: "newer" }]);
  now = new Date(now.getTime() + 1);
  expect(await ask({ parameters: rail })).toEqual([{ value: "next minute" }]);
  expect(provider.requests()).toHaveLength(4);
});

it("remembers nothing for another account or organization, nor for an account that was changed", async () => {
  const data = { apiKey };
  const [other, foreign] = [await connect(ann, "openai", data), await connect(bob, "openai", data)];
  provider.script([models("gpt-first"), models("gpt-other"), models("gpt-foreign"), models("gpt-changed")]);
  const first = async (owner: typeof ann, at: string) => (await owner.browser.post(`${at}/models`, {})).body.data[0];
  expect(await first(ann, path)).toEqual({ value: "gpt-first" });
  expect(await first(ann, other)).toEqual({ value: "gpt-other" });
  expect(await first(bob, foreign)).toEqual({ value: "gpt-foreign" });
  await ann.browser.patch(other.replace("/choices", ""), { data: { apiKey: "canary-new", baseUrl: provider.url } });
  expect(await first(ann, other)).toEqual({ value: "gpt-changed" });
  expect(await first(ann, path)).toEqual({ value: "gpt-first" });
});

it("shows a hundred, says that there are more, and finds the others by a part of their name", async () => {
  const page = (from: number) => branches(...Array.from({ length: 100 }, (_, index) => `feature-${from + index}`));
  provider.script([page(1000), page(1100), branches("Main-1")]);
  const ask = async (search: string) =>
    (await ann.browser.post(`${github}/branches`, { search, parameters: rail })).body;
  const all = await ask("");
  expect([all.data.length, all.data[0], all.hasMore]).toEqual([100, { value: "feature-1000" }, true]);
  expect(await ask(" main ")).toEqual({ data: [{ value: "Main-1" }], hasMore: false });
  expect(await ask("1199")).toEqual({ data: [{ value: "feature-1199" }], hasMore: false });
  expect(provider.requests()).toHaveLength(3);
});

it("says why there is no list, without the secret, and tries again at the next question", async () => {
  provider.script([
    { status: 403, json: { error: { message: `No permission for ${apiKey}.`, code: "insufficient_permissions" } } },
    models("gpt-a"),
  ]);
  const { text } = await ann.browser.post(`${path}/models`, {});
  expect(text).toContain("insufficient_permissions");
  expect(text).not.toContain("canary");
  expect((await ann.browser.post(`${path}/models`, {})).body.data).toEqual([{ value: "gpt-a" }]);
});

it("gives up after ten seconds, in words and in the history", async () => {
  provider.script([{ hang: true }]);
  const answer = await ann.browser.post(`${github}/labels`, { parameters: rail });
  expectProblem(answer, { status: 504, code: "tool_timeout" });
  expect(answer.body.detail).toBe("There was no answer within 10 s.");
  await expect.poll(provider.brokenOff).toBe(1);
  const calls = `/api/organizations/${ann.organizationId}/tool-calls?tool=github_look_up_labels`;
  await expect.poll(async () => (await ann.browser.get(calls)).body.data).toMatchObject([{ status: "timed_out" }]);
}, 30_000);

it("names what the list needs to know first", async () => {
  provider.script([]);
  const answer = await ann.browser.post(`${github}/branches`, { parameters: { owner: "octo", repo: "" } });
  expectProblem(answer, { status: 400, code: "validation_failed" });
  expect(answer.body.errors).toEqual([{ pointer: "/parameters/repo", detail: "is missing" }]);
  expect(provider.requests()).toEqual([]);
});

it("is for members, of lists that there are, and of the organization's own accounts", async () => {
  provider.script([]);
  const viewer = await signUpMember(app, ann.organizationId, "Vic", "viewer");
  expectProblem(await viewer.browser.post(`${path}/models`, {}), { status: 403, code: "role_required" });
  expectProblem(await ann.browser.post(`${path}/constructor`, {}), { status: 404, code: "not_found" });
  const foreign = path.replace(ann.organizationId, bob.organizationId);
  const unknown = `/api/organizations/${bob.organizationId}/credentials/${randomUUID()}/choices`;
  const [one, other] = [
    await bob.browser.post(`${foreign}/models`, {}),
    await bob.browser.post(`${unknown}/models`, {}),
  ];
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
