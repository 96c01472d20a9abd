import type { ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { password, signIn, signUpMember, signUpOwner } from "../support/people.ts";
import { startMailbox } from "../support/providers/mailbox.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const browser = launchBrowser();
let app: TestApp;
let mailbox: Awaited<ReturnType<typeof startMailbox>>;
let ann: Awaited<ReturnType<typeof signUpOwner>>;

beforeAll(async () => {
  mailbox = await startMailbox();
  app = await startTestApp({ environment: { SMTP_URL: mailbox.url } });
  ann = await signUpOwner(app, "Ann");
});
afterAll(async () => {
  await app?.stop();
  await mailbox?.stop();
});

// The browser itself reports the statuses by which the page learns that nobody is signed in, and what a form has wrong.
const isExpected = (message: ConsoleMessage) =>
  /40[01]/.test(message.text()) && message.location().url.includes("/api/");

/** A page of a person, or of somebody who is not signed in. */
const openAs = async (email?: string) =>
  await browser.open({
    baseUrl: app.platformUrl,
    isExpected,
    ...(email ? { person: (await signIn(app, email)).browser } : {}),
  });

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const members = async () => (await ann.browser.get(`/api/organizations/${ann.organizationId}/members`)).body.data;

async function inviteTo(owner: typeof ann, email: string): Promise<string> {
  const { status, body } = await owner.browser.post(`/api/organizations/${owner.organizationId}/invitations`, {
    email,
    role: "member",
  });
  expect(status).toBe(201);
  return body.link;
}

async function linkMailedTo(address: string): Promise<string> {
  await eventually(() => mailbox.to(address).length).toBeGreaterThan(0);
  return /https?:\/\/\S+/.exec(mailbox.to(address).at(-1)?.text.split("\r\n\r\n").slice(1).join("\n") ?? "")?.[0] ?? "";
}

describe("members", () => {
  it("are invited by a link, join with a new account, get another role, and are removed after a question", async () => {
    const { page, complaints } = await openAs(ann.email);
    await page.goto(`/o/${ann.organizationId}/members`);
    await button(page, "Invite").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email").fill("nora@example.com");
    await dialog.getByLabel("Role").selectOption("Viewer");
    await dialog.getByRole("button", { name: "Invite" }).click();
    const link = await dialog.getByLabel("Invitation link").inputValue();
    expect(await linkMailedTo("nora@example.com")).toBe(link);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button(page, "Done").click();
    await page.getByText("nora@example.com").waitFor();

    const nora = await openAs();
    await nora.page.goto(link);
    await heading(nora.page, "Join Ann's team").waitFor();
    await nora.page.getByText("nora@example.com is invited as viewer.").waitFor();
    expect(await findAccessibilityFaults(nora.page)).toEqual([]);
    await nora.page.getByLabel("Your name").fill("<i>Nora</i>");
    await nora.page.getByLabel("Password", { exact: true }).fill(password);
    await button(nora.page, "Create account and join").click();
    await button(nora.page, "Organization: Ann's team Viewer").waitFor();

    await page.reload();
    const role = page.getByLabel("Role of <i>Nora</i>");
    await role.selectOption("Member");
    await eventually(members).toMatchObject([{ name: "Ann" }, { name: "<i>Nora</i>", role: "member" }]);
    await button(page, "Remove <i>Nora</i>").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await role.waitFor({ state: "detached" });
    expect(await members()).toHaveLength(1);
    await nora.page.reload();
    await heading(nora.page, "Nothing here").waitFor();
    expect([...complaints, ...nora.complaints]).toEqual([]);
  });

  it("join by signing in when they have an account, and with one press when they are signed in", async () => {
    const rosa = await signUpOwner(app, "Rosa");
    const { page, complaints } = await openAs();
    await page.goto(await inviteTo(ann, rosa.email));
    await heading(page, "Join Ann's team").waitFor();
    expect(await page.getByLabel("Email").inputValue()).toBe(rosa.email);
    expect(await page.getByLabel("Your name").count()).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByLabel("Password", { exact: true }).fill("not the password");
    await button(page, "Sign in and join").click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(password);
    await button(page, "Sign in and join").click();
    await button(page, "Organization: Ann's team Member").waitFor();

    const sven = await signUpOwner(app, "Sven");
    await page.goto(await inviteTo(sven, rosa.email));
    await button(page, "Join Sven's team").click();
    await button(page, "Organization: Sven's team Member").waitFor();
    const { body } = await rosa.browser.get("/api/me");
    expect(body.organizations.map(({ name }: { name: string }) => name).sort()).toEqual([
      "Ann's team",
      "Rosa's team",
      "Sven's team",
    ]);
    expect(complaints).toEqual([]);
  });

  it("are told who is signed in when the invitation is somebody else's, and join after signing out", async () => {
    const [tara, uwe] = [await signUpOwner(app, "Tara"), await signUpOwner(app, "Uwe")];
    const link = await inviteTo(ann, tara.email);
    const { page, complaints } = await openAs(uwe.email);
    await page.goto(link);
    await page.getByText(`You are signed in as ${uwe.email}. Sign out to use this invitation.`).waitFor();
    expect(await button(page, "Join Ann's team").count()).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button(page, "Sign out").click();
    await page.getByLabel("Password", { exact: true }).fill(password);
    await button(page, "Sign in and join").click();
    await button(page, "Organization: Ann's team Member").waitFor();
    expect(await members()).toContainEqual(expect.objectContaining({ email: tara.email, role: "member" }));
    expect((await uwe.browser.get("/api/me")).body.organizations).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it("are invited no more once the invitation is withdrawn", async () => {
    const { page, complaints } = await openAs(ann.email);
    const { body } = await ann.browser.post(`/api/organizations/${ann.organizationId}/invitations`, {
      email: "omar@example.com",
      role: "member",
    });
    await page.goto(`/o/${ann.organizationId}/members`);
    await button(page, "Withdraw the invitation of omar@example.com").click();
    await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
    await button(page, "Withdraw the invitation of omar@example.com").waitFor({ state: "detached" });
    const omar = await openAs();
    await omar.page.goto(body.link);
    await heading(omar.page, "This invitation is no longer open").waitFor();
    expect(complaints).toEqual([]);
  });

  it("are only looked at by a viewer", async () => {
    const vera = await signUpMember(app, ann.organizationId, "Vera", "viewer");
    const { page, complaints } = await openAs(vera.email);
    await page.goto(`/o/${ann.organizationId}/members`);
    await page.getByText("Vera (you)").waitFor();
    for (const name of ["Invite", "Remove Ann"]) expect(await button(page, name).count()).toBe(0);
    expect(await page.getByRole("combobox").count()).toBe(0);
    const api = `/api/organizations/${ann.organizationId}`;
    expect((await vera.browser.post(`${api}/invitations`, { email: "x@example.com", role: "viewer" })).status).toBe(
      403,
    );
    expect((await vera.browser.delete(`${api}/members/${(await members())[0].id}`)).status).toBe(403);
    expect(complaints).toEqual([]);
  });
});

describe("a person", () => {
  it("changes between organizations, makes another, and finds each under its own address", async () => {
    await ann.browser.post("/api/organizations", { name: "Second team" });
    const { page, complaints } = await openAs(ann.email);
    await page.goto(`/o/${ann.organizationId}`);
    await button(page, "Organization: Ann's team Owner").click();
    await page.getByRole("menuitemradio", { name: /^Second team/ }).click();
    await page.waitForURL((url) => !url.pathname.includes(ann.organizationId));
    await button(page, "Organization: Second team Owner").click();
    await page.getByRole("menuitem", { name: "New organization…" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("<b>Third</b>");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Create/ })
      .click();
    await button(page, "Organization: <b>Third</b> Owner").waitFor();
    await page.goto(`/o/${ann.organizationId}`);
    await button(page, "Organization: Ann's team Owner").waitFor();
    expect(complaints).toEqual([]);
  });

  it("who only looks is offered no new organization, and is told who creates them", async () => {
    await signUpMember(app, ann.organizationId, "Wanda", "viewer");
    const { page, complaints } = await openAs("wanda@example.com");
    await page.goto(`/o/${ann.organizationId}`);
    await button(page, "Organization: Ann's team Viewer").click();
    await page.getByRole("menuitemradio", { name: /^Ann's team/ }).waitFor();
    expect(await page.getByRole("menuitem", { name: "New organization…" }).count()).toBe(0);
    await page.goto("/new-organization");
    await page.getByRole("heading", { name: "Owners and admins create organizations here" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("changes name and password, and ends the sessions elsewhere", async () => {
    const pia = await signUpOwner(app, "Pia");
    const elsewhere = (await signIn(app, pia.email)).browser;
    const { page, complaints } = await openAs(pia.email);
    await page.goto("/account");
    await page.getByLabel("Name", { exact: true }).fill("Pia <b>Bold</b>");
    await button(page, "Save").click();
    await button(page, `Account: Pia <b>Bold</b> ${pia.email}`).waitFor();
    await button(page, "Sign out everywhere else").click();
    await button(page, "Sign out everywhere else").waitFor({ state: "detached" });
    expect((await elsewhere.get("/api/me")).status).toBe(401);

    await page.getByLabel("Current password").fill("not the password");
    await page.getByLabel("New password", { exact: true }).fill("another horse battery");
    await button(page, "Change password").click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Current password").fill(password);
    await button(page, "Change password").click();
    await page.getByText("Your password is changed.").waitFor();
    const signInWith = async (text: string) =>
      (await app.browser().post("/api/sign-in", { email: pia.email, password: text })).status;
    expect([await signInWith(password), await signInWith("another horse battery")]).toEqual([401, 200]);
    expect(complaints).toEqual([]);
  });

  it("who forgot the password chooses another by the mailed link, on a telephone", async () => {
    const quinn = await signUpOwner(app, "Quinn");
    const { page, complaints } = await openAs();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/sign-in");
    await page.getByRole("link", { name: /Forgot/ }).click();
    await page.getByLabel("Email").fill(quinn.email);
    await button(page, "Send the link").click();
    await page.getByText("the link is on its way").waitFor();
    await page.goto(await linkMailedTo(quinn.email));
    await page.getByLabel("New password", { exact: true }).fill("a new horse battery");
    expect(await sidewaysScrolling(page)).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button(page, "Change password").click();
    await page.getByText("Your password is changed.").waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Email").fill(quinn.email);
    await page.getByLabel("Password", { exact: true }).fill("a new horse battery");
    await button(page, "Sign in").click();
    await heading(page, "Welcome to Quinn's team").waitFor();
    expect(complaints).toEqual([]);
  });
});
