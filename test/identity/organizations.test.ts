import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Role, roles } from "../../src/identity/wire.ts";
import type { Browser } from "../support/browser-client.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let owner: Awaited<ReturnType<typeof signUpOwner>>;
let people: Record<Role, { browser: Browser; userId: string; memberId: string; email: string }>;
let path: string;

beforeAll(async () => {
  app = await startTestApp();
  owner = await signUpOwner(app, "Olga");
  path = `/api/organizations/${owner.organizationId}`;
  const { data } = (await owner.browser.get(`${path}/members`)).body;
  people = {
    owner: { ...owner, memberId: data[0].id },
    admin: await signUpMember(app, owner.organizationId, "Adam", "admin"),
    member: await signUpMember(app, owner.organizationId, "Mona", "member"),
    viewer: await signUpMember(app, owner.organizationId, "Vera", "viewer"),
  };
});
afterAll(() => app.stop());

/** Puts the person into a new organization behind the product's back; returns the member id. */
async function join(organizationId: string, userId: string, role: Role): Promise<string> {
  const [row] = await app.database.query<{ id: string }>(
    `INSERT INTO member (id, organization_id, user_id, role) VALUES (gen_random_uuid(), $1, $2, $3)
     ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role RETURNING id`,
    [organizationId, userId, role],
  );
  return row?.id as string;
}

async function createOrganization(name = "Another team") {
  const { status, body } = await owner.browser.post("/api/organizations", { name });
  expect(status).toBe(201);
  return body as { id: string; name: string; role: Role };
}

const rolesIn = async (organizationId: string) =>
  (
    await app.database.query<{ role: Role }>("SELECT role FROM member WHERE organization_id = $1 ORDER BY role", [
      organizationId,
    ])
  ).map(({ role }) => role);

describe("who creates organizations", () => {
  const create = ({ browser }: { browser: Browser }) => browser.post("/api/organizations", { name: "Mine" });
  const may = async ({ browser }: { browser: Browser }) => (await browser.get("/api/me")).body.mayCreateOrganizations;

  it("is who manages one already, or belongs to none; members and viewers are refused", async () => {
    for (const person of [people.member, people.viewer]) {
      expect(await may(person)).toBe(false);
      const { status, body } = await create(person);
      expect([status, body.code]).toEqual([403, "role_required"]);
      expect(body.detail).toContain("owners and admins");
    }
    expect(await may(people.admin)).toBe(true);
    expect((await create(people.admin)).status).toBe(201);
    const nora = await signUpMember(app, owner.organizationId, "Nora", "viewer");
    await owner.browser.delete(`${path}/members/${nora.memberId}`);
    expect(await may(nora)).toBe(true);
    expect((await create(nora)).status).toBe(201);
  });

  it("is everybody where the installation says so", async () => {
    const open = await startTestApp({ environment: { ORGANIZATION_CREATION: "everyone" } });
    try {
      const { organizationId } = await signUpOwner(open, "Otto");
      const vera = await signUpMember(open, organizationId, "Vera", "viewer");
      expect(await may(vera)).toBe(true);
      expect((await create(vera)).status).toBe(201);
    } finally {
      await open.stop();
    }
  });
});

describe("an organization", () => {
  it("is created with the caller as its owner, renamed and deleted", async () => {
    const { id, role } = await createOrganization("  Zażółć 👩‍🚀  ");
    expect(role).toBe("owner");
    const { body } = await owner.browser.get(`/api/organizations/${id}`);
    expect(body).toMatchObject({ id, name: "Zażółć 👩‍🚀", role: "owner" });
    expect((await owner.browser.patch(`/api/organizations/${id}`, { name: "New" })).body).toEqual({
      ...body,
      name: "New",
    });
    expect((await owner.browser.get("/api/me")).body.organizations).toContainEqual({ id, name: "New", role: "owner" });
    expect((await owner.browser.delete(`/api/organizations/${id}`)).status).toBe(204);
    expect((await owner.browser.get(`/api/organizations/${id}`)).status).toBe(404);
    expect(await rolesIn(id)).toEqual([]);
  });

  it.each(["", "   ", "x".repeat(101), null, ["a"]])("is not named %j", async (name) => {
    const { status, body } = await owner.browser.post("/api/organizations", { name });
    expect([status, body.errors[0].pointer]).toEqual([400, "/name"]);
  });
});

describe("what each role may do", () => {
  type Call = [
    name: string,
    least: Role,
    call: (browser: Browser, base: string, target: string) => Promise<{ status: number }>,
  ];
  const invite = { email: "guest@example.com", role: "viewer" };
  const calls: Call[] = [
    ["read the organization", "viewer", (browser, base) => browser.get(base)],
    ["list members", "viewer", (browser, base) => browser.get(`${base}/members`)],
    ["rename the organization", "admin", (browser, base) => browser.patch(base, { name: "Renamed" })],
    [
      "change a role",
      "admin",
      (browser, base, target) => browser.patch(`${base}/members/${target}`, { role: "viewer" }),
    ],
    ["remove a member", "admin", (browser, base, target) => browser.delete(`${base}/members/${target}`)],
    ["list invitations", "admin", (browser, base) => browser.get(`${base}/invitations`)],
    ["invite", "admin", (browser, base) => browser.post(`${base}/invitations`, invite)],
    ["withdraw an invitation", "admin", (browser, base) => browser.delete(`${base}/invitations/${randomUUID()}`)],
    ["list API keys", "admin", (browser, base) => browser.get(`${base}/api-keys`)],
    [
      "create an API key",
      "admin",
      (browser, base) => browser.post(`${base}/api-keys`, { name: "x", scopes: ["mcp:invoke"] }),
    ],
    ["regenerate an API key", "admin", (browser, base) => browser.post(`${base}/api-keys/${randomUUID()}/regenerate`)],
    ["delete an API key", "admin", (browser, base) => browser.delete(`${base}/api-keys/${randomUUID()}`)],
    ["leave", "viewer", (browser, base) => browser.delete(`${base}/members/me`)],
    ["delete the organization", "owner", (browser, base) => browser.delete(base)],
  ];
  const matrix = calls.flatMap(([name, least, call]) =>
    roles.map((role) => ({ name, role, allowed: roles.indexOf(role) <= roles.indexOf(least), call })),
  );

  it.each(matrix)("$name as $role: $allowed", async ({ role, allowed, call }) => {
    const { id } = await createOrganization();
    const target = await join(id, people.viewer.userId, "viewer");
    if (role !== "viewer") await join(id, people.member.userId, "member");
    await join(id, people[role].userId, role);
    if (role === "owner") await join(id, people.admin.userId, "owner");
    const before = await rolesIn(id);
    const { status, body } = (await call(people[role].browser, `/api/organizations/${id}`, target)) as Awaited<
      ReturnType<Browser["get"]>
    >;
    // An unknown invitation or key is a 404 of its own; what counts is that the role let the call through.
    if (allowed) expect([200, 201, 204, 404]).toContain(status);
    else {
      expect([status, body.code]).toEqual([403, "role_required"]);
      expect(await rolesIn(id)).toEqual(before);
    }
  });
});

describe("members", () => {
  const change = (who: Role, memberId: string, role: Role, base = path) =>
    people[who].browser.patch(`${base}/members/${memberId}`, { role });

  it("get another role, which counts on their next request", async () => {
    expect((await people.viewer.browser.get(`${path}/invitations`)).status).toBe(403);
    expect((await change("admin", people.viewer.memberId, "admin")).status).toBe(204);
    expect((await people.viewer.browser.get(`${path}/invitations`)).status).toBe(200);
    expect((await change("owner", people.viewer.memberId, "viewer")).status).toBe(204);
    expect((await people.viewer.browser.get(`${path}/invitations`)).status).toBe(403);
  });

  it("are not raised to, or touched as, an owner by an admin", async () => {
    for (const answer of [
      await change("admin", people.member.memberId, "owner"),
      await change("admin", people.admin.memberId, "owner"),
      await change("admin", people.owner.memberId, "viewer"),
      await people.admin.browser.delete(`${path}/members/${people.owner.memberId}`),
    ])
      expect([answer.status, answer.body?.code]).toEqual([403, "role_required"]);
    expect(await rolesIn(owner.organizationId)).toEqual(["admin", "member", "owner", "viewer"]);
  });

  it.each(["root", "", "Owner", null, 3, ["owner"]])("do not get the role %j", async (role) => {
    const { status, body } = await owner.browser.patch(`${path}/members/${people.member.memberId}`, { role });
    expect([status, body.errors[0].pointer]).toEqual([400, "/role"]);
  });

  it("keep their last owner", async () => {
    for (const answer of [
      await change("owner", people.owner.memberId, "admin"),
      await owner.browser.delete(`${path}/members/${people.owner.memberId}`),
      await owner.browser.delete(`${path}/members/me`),
    ])
      expect([answer.status, answer.body?.code]).toEqual([409, "last_owner"]);
    expect((await change("owner", people.owner.memberId, "owner")).status).toBe(204);
  });

  it("lose access on the next request when removed or gone", async () => {
    const { id } = await createOrganization();
    const base = `/api/organizations/${id}`;
    const memberId = await join(id, people.member.userId, "member");
    await join(id, people.viewer.userId, "viewer");
    expect((await people.member.browser.get(base)).status).toBe(200);
    expect((await owner.browser.delete(`${base}/members/${memberId}`)).status).toBe(204);
    expect((await people.member.browser.get(base)).status).toBe(404);
    expect((await people.member.browser.get("/api/me")).body.organizations).not.toContainEqual(
      expect.objectContaining({ id }),
    );
    expect((await owner.browser.delete(`${base}/members/${memberId}`)).status).toBe(404);
    expect((await people.viewer.browser.delete(`${base}/members/me`)).status).toBe(204);
    expect((await people.viewer.browser.get(base)).status).toBe(404);
    expect(await rolesIn(id)).toEqual(["owner"]);
  });

  it("never end up without an owner when two owners demote each other, leave, or both, at the same moment", async () => {
    for (let round = 0; round < 20; round += 1) {
      const { id } = await createOrganization();
      const base = `/api/organizations/${id}`;
      const [mine, others] = [await join(id, owner.userId, "owner"), await join(id, people.admin.userId, "owner")];
      const answers = await Promise.all([
        round % 3 === 1 ? owner.browser.delete(`${base}/members/me`) : change("owner", others, "viewer", base),
        round % 3 === 0 ? change("admin", mine, "viewer", base) : people.admin.browser.delete(`${base}/members/me`),
      ]);
      expect((await rolesIn(id)).filter((role) => role === "owner")).toHaveLength(1);
      for (const { status } of answers) expect([204, 403, 404, 409]).toContain(status);
    }
  });

  it.each([
    ["demoted", "UPDATE member SET role = 'viewer'", 403],
    ["removed", "DELETE FROM member", 404],
  ])(
    "act only with the role they still have when their turn comes: an admin %s meanwhile",
    async (_what, statement, expected) => {
      const { id } = await createOrganization();
      const target = await join(id, people.viewer.userId, "viewer");
      const admin = await join(id, people.admin.userId, "admin");
      const holding = app.database.query(
        `BEGIN; SELECT FROM member WHERE organization_id = '${id}' FOR UPDATE; SELECT pg_sleep(0.5); ${statement} WHERE id = '${admin}'; COMMIT`,
      );
      const isHeld = async () =>
        (
          await app.database.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
          )
        ).length;
      await expect.poll(isHeld).toBe(1);
      const { status } = await people.admin.browser.delete(`/api/organizations/${id}/members/${target}`);
      await holding;
      expect(status).toBe(expected);
      expect(await rolesIn(id)).toContain("viewer");
    },
  );
});
