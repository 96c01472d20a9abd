import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "../../src/identity/wire.ts";
import { password, signUpMember, signUpOwner } from "../support/people.ts";
import { startMailbox } from "../support/providers/mailbox.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let owner: Awaited<ReturnType<typeof signUpOwner>>;
let admin: Awaited<ReturnType<typeof signUpMember>>;
/** A person of another organization, who can be invited. */
let guest: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  app = await startTestApp();
  owner = await signUpOwner(app, "Olga");
  path = `/api/organizations/${owner.organizationId}`;
  [admin, guest] = await Promise.all([
    signUpMember(app, owner.organizationId, "Adam", "admin"),
    signUpOwner(app, "Gus"),
  ]);
});
afterAll(() => app.stop());

async function invite(email: string, role: Role = "member") {
  const { status, body } = await owner.browser.post(`${path}/invitations`, { email, role });
  expect(status).toBe(201);
  const { searchParams, pathname, origin } = new URL(body.link);
  expect([origin, pathname]).toEqual([app.platformUrl, `/invitation/${body.id}`]);
  return { id: body.id as string, token: searchParams.get("token") as string, link: body.link as string };
}

const accept = ({ id, token }: { id: string; token: string }, who = guest) =>
  who.browser.post(`/api/invitations/${id}/accept`, { token });
const view = ({ id, token }: { id: string; token: string }) =>
  app.browser().get(`/api/invitations/${id}?token=${encodeURIComponent(token)}`);
const signUp = ({ id, token }: { id: string; token: string }, browser = app.browser()) =>
  browser.post(`/api/invitations/${id}/sign-up`, { token, name: "New One", password });
const roleOf = async (userId: string) =>
  (
    await app.database.query<{ role: Role }>("SELECT role FROM member WHERE organization_id = $1 AND user_id = $2", [
      owner.organizationId,
      userId,
    ])
  ).map(({ role }) => role);
const removeGuest = () =>
  app.database.query("DELETE FROM member WHERE organization_id = $1 AND user_id = $2", [
    owner.organizationId,
    guest.userId,
  ]);

describe("inviting", () => {
  it("shows the link once and stores only its hash", async () => {
    const { id, token } = await invite("Hash@Example.com");
    const listed = await owner.browser.get(`${path}/invitations`);
    expect(listed.body.data).toContainEqual(expect.objectContaining({ id, email: "hash@example.com", role: "member" }));
    expect(listed.text).not.toContain(token);
    const [row] = await app.database.query("SELECT * FROM invitation WHERE id = $1", [id]);
    expect(row?.token_hash).toEqual(createHash("sha256").update(token).digest());
    expect(JSON.stringify(row)).not.toContain(token);
    expect(app.logLines.join("")).not.toContain(token);
  });

  it("shows the invited person where they would join", async () => {
    expect((await view(await invite("seen@example.com", "viewer"))).body).toMatchObject({
      organizationName: "Olga's team",
      email: "seen@example.com",
      role: "viewer",
      accountExists: false,
    });
    expect((await view(await invite(guest.email))).body.accountExists).toBe(true);
  });

  it("does not hand out more than the inviting person has", async () => {
    const raised = await admin.browser.post(`${path}/invitations`, { email: "boss@example.com", role: "owner" });
    expect([raised.status, raised.body.code]).toEqual([403, "role_required"]);
    expect((await admin.browser.post(`${path}/invitations`, { email: "peer@example.com", role: "admin" })).status).toBe(
      201,
    );
    expect((await owner.browser.get(`${path}/invitations`)).text).not.toContain("boss@example.com");
  });

  it.each(["", "nobody", "a@b", "a@example.com, b@example.com", "a@example.com\nBcc: b@example.com"])(
    "is refused for the address %j",
    async (email) => {
      const { status, body } = await owner.browser.post(`${path}/invitations`, { email, role: "member" });
      expect([status, body.errors[0].pointer]).toEqual([400, "/email"]);
    },
  );

  it("replaces the link of an invitation to the same address", async () => {
    const old = await invite(guest.email, "admin");
    const replacement = await invite(guest.email.toUpperCase(), "viewer");
    expect((await view(old)).status).toBe(404);
    expect((await view({ id: replacement.id, token: old.token })).status).toBe(404);
    expect((await accept(old)).status).toBe(404);
    expect(
      (await owner.browser.get(`${path}/invitations`)).body.data.filter(
        ({ email }: { email: string }) => email === guest.email,
      ),
    ).toHaveLength(1);
    expect((await accept(replacement)).status).toBe(200);
    expect(await roleOf(guest.userId)).toEqual(["viewer"]);
    await removeGuest();
  });

  it("mails the link when a mail server is configured, to that address alone", async () => {
    const mailbox = await startMailbox();
    const mailing = await startTestApp({ database: app.database, environment: { SMTP_URL: mailbox.url } });
    try {
      const mia = await signUpOwner(mailing, "Mia");
      const base = `/api/organizations/${mia.organizationId}`;
      await mia.browser.patch(base, { name: "Team\r\nBcc: eve@example.com\r\n\r\nhello" });
      const { status, body } = await mia.browser.post(`${base}/invitations`, {
        email: "new@example.com",
        role: "member",
      });
      expect(status).toBe(201);
      await expect.poll(() => mailbox.mails.length).toBe(1);
      expect(mailbox.mails[0]?.to).toEqual(["new@example.com"]);
      expect(mailbox.mails[0]?.text).toContain(body.link);
      expect(mailbox.mails[0]?.text.split("\r\n\r\n", 1)[0]).not.toMatch(/^bcc:/im);
      expect(mailing.logLines.join("")).not.toContain(new URL(body.link).searchParams.get("token"));
    } finally {
      await mailing.stop();
      await mailbox.stop();
    }
  });
});

describe("accepting", () => {
  it("makes the invited person a member with that role, effective at once", async () => {
    expect((await guest.browser.get(path)).status).toBe(404);
    const { status, body } = await accept(await invite(guest.email, "viewer"));
    expect(status).toBe(200);
    expect(body.organizations).toContainEqual({ id: owner.organizationId, name: "Olga's team", role: "viewer" });
    expect((await guest.browser.get(path)).body.role).toBe("viewer");
    await removeGuest();
  });

  it("is refused for every other account, and the invitation stays usable", async () => {
    const stranger = await signUpOwner(app, "Eve");
    const invitation = await invite(guest.email);
    const { status, body } = await accept(invitation, stranger);
    expect([status, body.code]).toEqual([403, "invitation_not_yours"]);
    expect(await roleOf(stranger.userId)).toEqual([]);
    expect((await accept(invitation)).status).toBe(200);
    await removeGuest();
  });

  it("needs a session and the right token", async () => {
    const invitation = await invite(guest.email);
    expect(
      (await app.browser().post(`/api/invitations/${invitation.id}/accept`, { token: invitation.token })).status,
    ).toBe(401);
    for (const wrong of [
      { ...invitation, token: "wrong" },
      { ...invitation, token: `${invitation.token}x` },
      { ...invitation, id: randomUUID() },
    ]) {
      expect((await accept(wrong)).status).toBe(404);
      expect((await view(wrong)).status).toBe(404);
      expect((await signUp(wrong)).status).toBe(404);
    }
    expect((await app.browser().get(`/api/invitations/${invitation.id}`)).body.errors[0].pointer).toBe("token");
    expect((await app.browser().get("/api/invitations/not-an-id?token=x")).status).toBe(400);
    expect(await roleOf(guest.userId)).toEqual([]);
  });

  it("works once when tried 20 times at the same moment", async () => {
    const invitation = await invite(guest.email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(invitation)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
    expect(await roleOf(guest.userId)).toEqual(["member"]);
    expect((await view(invitation)).status).toBe(404);
    await removeGuest();
  });

  it("does not change the role of somebody who is a member already", async () => {
    expect((await accept(await invite(admin.email, "viewer"), { ...guest, ...admin })).status).toBe(200);
    expect(await roleOf(admin.userId)).toEqual(["admin"]);
  });

  it("is over after a week", async () => {
    const invitation = await invite(guest.email);
    const [row] = await app.database.query(
      "SELECT expires_at - now() BETWEEN interval '6 days 23 hours' AND interval '7 days' AS ok FROM invitation WHERE id = $1",
      [invitation.id],
    );
    expect(row?.ok).toBe(true);
    await app.database.query("UPDATE invitation SET expires_at = now() - interval '1 second' WHERE id = $1", [
      invitation.id,
    ]);
    expect([
      (await view(invitation)).status,
      (await accept(invitation)).status,
      (await signUp(invitation)).status,
    ]).toEqual([404, 404, 404]);
    expect(await roleOf(guest.userId)).toEqual([]);
  });

  it("is over when the invitation was withdrawn", async () => {
    const invitation = await invite(guest.email);
    expect((await admin.browser.delete(`${path}/invitations/${invitation.id}`)).status).toBe(204);
    expect((await admin.browser.delete(`${path}/invitations/${invitation.id}`)).status).toBe(404);
    expect([
      (await view(invitation)).status,
      (await accept(invitation)).status,
      (await signUp(invitation)).status,
    ]).toEqual([404, 404, 404]);
  });
});

describe("signing up with an invitation", () => {
  it("creates the account for the invited address and signs it in, although sign-up is closed", async () => {
    const browser = app.browser();
    const invitation = await invite("fresh@example.com", "admin");
    const { status, body, headers } = await signUp(invitation, browser);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      user: { name: "New One", email: "fresh@example.com" },
      organizations: [{ id: owner.organizationId, role: "admin" }],
    });
    expect(headers.getSetCookie()).toHaveLength(1);
    expect((await browser.get("/api/me")).body).toEqual(body);
    expect((await view(invitation)).status).toBe(404);
  });

  it("creates one account when tried five times at the same moment", async () => {
    const invitation = await invite("often@example.com");
    const answers = await Promise.all(Array.from({ length: 5 }, () => signUp(invitation)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([201, 404, 409]).toContain(status);
    expect(
      await app.database.query(
        "SELECT 1 FROM member JOIN app_user ON app_user.id = user_id WHERE email = 'often@example.com'",
      ),
    ).toHaveLength(1);
  });

  it("is refused when the address has an account, which can still accept", async () => {
    const invitation = await invite(guest.email);
    const { status, body, headers } = await signUp(invitation);
    expect([status, body.code, headers.getSetCookie()]).toEqual([409, "email_taken", []]);
    expect((await accept(invitation)).status).toBe(200);
    await removeGuest();
  });
});
