import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { password, signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
/** Everything organization B has an id for. */
let foreign: { organization: string; member: string; invitation: string; key: string };
let secrets: string[];

beforeAll(async () => {
  app = await startTestApp();
  [ann, bob] = await Promise.all([signUpOwner(app, "Ann"), signUpOwner(app, "Bob")]);
  const base = `/api/organizations/${bob.organizationId}`;
  const member = await signUpMember(app, bob.organizationId, "Mona", "member");
  const invitation = await bob.browser.post(`${base}/invitations`, { email: ann.email, role: "admin" });
  const key = await bob.browser.post(`${base}/api-keys`, { name: "CI", scopes: ["workflows:trigger"] });
  foreign = {
    organization: bob.organizationId,
    member: member.memberId,
    invitation: invitation.body.id,
    key: key.body.id,
  };
  const tokens = await app.database.query<{ token: string }>("SELECT token FROM session");
  secrets = [
    password,
    key.body.key,
    new URL(invitation.body.link).searchParams.get("token") as string,
    ...tokens.map(({ token }) => token),
  ];
});
afterAll(() => app.stop());

type Ids = { organization: string; member: string; invitation: string; key: string };
type Call = [method: string, path: (ids: Ids) => string, body?: unknown];

const inside = ({ organization }: Ids) => `/api/organizations/${organization}`;
const onOrganization: Call[] = [
  ["GET", inside],
  ["PATCH", inside, { name: "Taken over" }],
  ["DELETE", inside],
  ["GET", (ids) => `${inside(ids)}/members`],
  ["DELETE", (ids) => `${inside(ids)}/members/me`],
  ["GET", (ids) => `${inside(ids)}/invitations`],
  ["POST", (ids) => `${inside(ids)}/invitations`, { email: "eve@example.com", role: "owner" }],
  ["GET", (ids) => `${inside(ids)}/api-keys`],
  ["POST", (ids) => `${inside(ids)}/api-keys`, { name: "x", scopes: ["mcp:invoke"] }],
  ["GET", (ids) => `${inside(ids)}/connections`],
  ["DELETE", (ids) => `${inside(ids)}/connections/${randomUUID()}`],
  ["GET", (ids) => `${inside(ids)}/default-credentials`],
  ["GET", (ids) => `${inside(ids)}/event-endpoints`],
  ["POST", (ids) => `${inside(ids)}/event-endpoints`, { url: "https://example.com", types: ["run.failed"] }],
  ["GET", (ids) => `${inside(ids)}/workflows`],
  ["POST", (ids) => `${inside(ids)}/workflows`, { name: "x", canvas: { nodes: [], edges: [] } }],
  ["POST", (ids) => `${inside(ids)}/workflows/import/n8n`, { file: { nodes: [] } }],
  ["POST", (ids) => `${inside(ids)}/workflows/check`, { canvas: { nodes: [], edges: [] } }],
  [
    "POST",
    (ids) => `${inside(ids)}/workflows/import`,
    { format: "switchyard.workflow", formatVersion: 1, name: "x", canvas: { nodes: [], edges: [] } },
  ],
  ["GET", (ids) => `${inside(ids)}/workflow-labels`],
  ["GET", (ids) => `${inside(ids)}/workflow-names?search=a`],
  ["GET", (ids) => `${inside(ids)}/workflow-defaults`],
  ["PUT", (ids) => `${inside(ids)}/workflow-defaults`, { errorWorkflowId: null }],
  ["GET", (ids) => `${inside(ids)}/variables`],
  ["PUT", (ids) => `${inside(ids)}/variables/region`, { value: "eu" }],
  ["DELETE", (ids) => `${inside(ids)}/variables/region`],
  ["POST", (ids) => `${inside(ids)}/workflows/bulk`, { ids: [randomUUID()], delete: true }],
  ["GET", (ids) => `${inside(ids)}/workflows/${randomUUID()}/preview-scope`],
  [
    "POST",
    (ids) => `${inside(ids)}/workflows/${randomUUID()}/preview-value`,
    { canvas: { nodes: [{ id: "a", nodeId: "merge" }], edges: [] }, nodeId: "a", value: "$node.id" },
  ],
  [
    "POST",
    (ids) => `${inside(ids)}/workflows/${randomUUID()}/preview-fill`,
    { canvas: { nodes: [{ id: "a", nodeId: "merge" }], edges: [] }, nodeId: "a", instruction: "Fill" },
  ],
  ["GET", (ids) => `${inside(ids)}/credentials/${randomUUID()}/uses`],
  ["POST", (ids) => `${inside(ids)}/credentials/${randomUUID()}/choices/models`, {}],
  ["GET", (ids) => `${inside(ids)}/slots`],
  ["GET", (ids) => `${inside(ids)}/usage`],
  ["POST", (ids) => `${inside(ids)}/tools/system_wait/call`, { parameters: { seconds: 0 } }],
  ["GET", (ids) => `${inside(ids)}/triggers`],
  [
    "POST",
    (ids) => `${inside(ids)}/triggers`,
    { workflowId: randomUUID(), kind: "schedule", name: "x", cron: "* * * * *", timeZone: "UTC" },
  ],
  ["POST", (ids) => `${inside(ids)}/schedule-preview`, { cron: "* * * * *", timeZone: "UTC" }],
  ["PUT", (ids) => `${inside(ids)}/default-credentials/github`, { credentialId: randomUUID() }],
  ["DELETE", (ids) => `${inside(ids)}/default-credentials/github`],
];
const onThings: Call[] = [
  ["PATCH", (ids) => `${inside(ids)}/members/${ids.member}`, { role: "viewer" }],
  ["DELETE", (ids) => `${inside(ids)}/members/${ids.member}`],
  ["DELETE", (ids) => `${inside(ids)}/invitations/${ids.invitation}`],
  ["POST", (ids) => `${inside(ids)}/api-keys/${ids.key}/regenerate`],
  ["DELETE", (ids) => `${inside(ids)}/api-keys/${ids.key}`],
  ["PATCH", (ids) => `${inside(ids)}/api-keys/${ids.key}`, { name: "Taken over", toolRules: null }],
  ["DELETE", (ids) => `${inside(ids)}/default-credentials/github?apiKeyId=${ids.key}`],
];

const contents = () =>
  Promise.all(
    [
      "organization WHERE id = $1",
      "member WHERE organization_id = $1 ORDER BY id",
      "invitation WHERE organization_id = $1",
      "api_key WHERE organization_id = $1 ORDER BY id",
    ].map((rest) => app.database.query(`SELECT * FROM ${rest}`, [bob.organizationId])),
  );
const send = async ([method, path, body]: Call, ids: Ids) => {
  const { status, body: answer, headers } = await ann.browser.send(method, path(ids), body);
  return { status, answer: { ...answer, requestId: "", instance: "" }, type: headers.get("content-type") };
};
const nobodys = (): Ids => ({
  organization: randomUUID(),
  member: randomUUID(),
  invitation: randomUUID(),
  key: randomUUID(),
});
const nameOf = ([method, path]: Call) =>
  `${method} ${path({ organization: ":organization", member: ":member", invitation: ":invitation", key: ":key" })}`;
const named = (calls: Call[]) => calls.map((call) => ({ name: nameOf(call), call }));

describe("the owner of another organization", () => {
  it.each(named([...onOrganization, ...onThings]))("is answered as if it did not exist: $name", async ({ call }) => {
    const before = await contents();
    const answer = await send(call, foreign);
    expect(answer.status).toBe(404);
    expect(answer).toEqual(await send(call, nobodys()));
    expect(await contents()).toEqual(before);
  });

  it.each(named(onThings))("does not reach a foreign thing through the own organization: $name", async ({ call }) => {
    const before = await contents();
    const answer = await send(call, { ...foreign, organization: ann.organizationId });
    expect(answer.status).toBe(404);
    expect(answer).toEqual(await send(call, { ...nobodys(), organization: ann.organizationId }));
    expect(await contents()).toEqual(before);
  });

  it("sees nothing of it in what belongs to nobody in particular", async () => {
    const { text } = await ann.browser.get("/api/me");
    for (const id of [...Object.values(foreign), bob.userId]) expect(text).not.toContain(id);
  });
});

describe("ids that are none", () => {
  const malformed = [
    "x",
    "0",
    "null",
    "..%2f..",
    "%00",
    "%27%3B--",
    "a".repeat(200),
    "00000000-0000-0000-0000-00000000000g",
    "%F0%9F%98%80",
    "[object Object]",
  ];

  it.each(malformed)("are refused without harm: %j", async (id) => {
    for (const call of [...onOrganization, ...onThings]) {
      const { status } = await send(call, { organization: id, member: id, invitation: id, key: id });
      expect([400, 404]).toContain(status);
    }
    for (const call of onThings) {
      const { status } = await send(call, { organization: ann.organizationId, member: id, invitation: id, key: id });
      expect([400, 404]).toContain(status);
    }
  });
});

it("asks for a session on every route of an organization", async () => {
  for (const [method, path, body] of [...onOrganization, ...onThings]) {
    const answer = await app.browser().send(method, path(foreign), body);
    expect([answer.status, answer.body.code]).toEqual([401, "not_signed_in"]);
  }
});

it("keeps passwords, session tokens, link tokens and keys out of the log", () => {
  const log = app.logLines.join("");
  expect(log).toContain("answered");
  for (const secret of secrets) expect(log).not.toContain(secret);
  expect(log).not.toContain("unexpected failure");
});
