import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { signStandard } from "../support/triggers/sign-delivery.ts";

const html = `<img src=x onerror="document.title='owned'">`;
const browser = launchBrowser();
let flows: WorkflowApp;
let workflowId: string;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
  await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
  workflowId = await flows.save([node("now", "system_date_time")], [], html);
  await flows.save(
    [node("say", "transform", { expression: "1" }, { name: "Say", instruction: "Be short." })],
    [],
    "Other work",
  );
});
afterAll(() => flows?.stop());
beforeEach(async () => {
  await flows.app.database.query("DELETE FROM trigger");
  await openAs(flows.owner.email);
});

async function openAs(email: string, options: BrowserContextOptions = {}): Promise<void> {
  const { browser: person } = await signIn(flows.app, email);
  const place = { timezoneId: "America/New_York", locale: "en-GB" };
  ({ page, complaints } = await browser.open({
    baseUrl: flows.app.platformUrl,
    person,
    isExpected,
    ...place,
    ...options,
  }));
}

// The browser itself reports what the server refuses on purpose.
const isExpected = (message: ConsoleMessage) => /schedule-preview$|triggers\/[0-9a-f-]+$/.test(message.location().url);

const open = (rest = "") => page.goto(`/o/${flows.owner.organizationId}/triggers${rest}`);
const heading = (name: string) => page.getByRole("heading", { name, exact: true });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = () => page.getByRole("dialog");
const row = (name: string) =>
  page
    .getByRole("region", { name: "Triggers" })
    .getByRole("listitem")
    .filter({ has: heading(name) });
const preview = () => dialog().getByRole("region", { name: "Next five times" }).getByRole("listitem");
const counted = (words: string) => page.getByRole("status").filter({ hasText: words }).waitFor();
const triggers = async () =>
  (await flows.owner.browser.get(`${flows.path}/triggers`)).body.data as Record<string, unknown>[];
const menuItem = async (trigger: string, item: string) => {
  await button(`More for “${trigger}”`).click();
  await page.getByRole("menuitem", { name: item }).click();
};

async function create(request: object): Promise<{ id: string; webhookUrl: string }> {
  const { status, body } = await flows.owner.browser.post(`${flows.path}/triggers`, { workflowId, ...request });
  expect([status, body.code]).toEqual([201, undefined]);
  return body as { id: string; webhookUrl: string };
}
const createSchedule = (name: string, others: object = {}) =>
  create({ kind: "schedule", name, cron: "0 9 * * *", timeZone: "Europe/Berlin", ...others });

const deliver = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });

/** Creates a webhook on the page, and gives what is shown once. */
async function createWebhook(sender: string) {
  await open(`?create=webhook&workflow=${workflowId}`);
  await dialog().getByLabel("Who delivers").selectOption({ label: sender });
  await dialog().getByLabel("Name", { exact: true }).fill("Orders");
  await dialog().getByRole("button", { name: "Create" }).click();
  await dialog().getByText("shown only this once").waitFor();
  const address = await dialog().getByLabel("Address", { exact: true }).inputValue();
  const secret = dialog().getByLabel("Signing secret");
  return { address, secret: (await secret.count()) > 0 ? await secret.inputValue() : "" };
}

describe("a schedule", () => {
  it("is made by keyboard, with the next five times before and after", async () => {
    await open();
    await heading("No triggers yet").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button("New trigger").focus();
    await page.keyboard.press("Enter");
    const workflow = dialog().getByLabel("Workflow", { exact: true });
    await workflow.getByRole("option", { name: "Other work" }).waitFor({ state: "attached" });
    await workflow.focus();
    await page.keyboard.type("Other");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Monday");
    await eventually(() => preview().count()).toBe(5);
    expect(await dialog().getByLabel("Time zone").inputValue()).toBe("America/New_York");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog().getByLabel("Name", { exact: true }).focus();
    await page.keyboard.press("Enter");
    await row("Monday to Friday at 09:00")
      .getByText(/^Next /)
      .focus();
    await page.keyboard.press("Enter");
    await eventually(() => row("Monday to Friday at 09:00").getByRole("list").getByRole("listitem").count()).toBe(5);
    expect(await triggers()).toMatchObject([
      { workflowName: "Other work", cron: "0 9 * * 1-5", timeZone: "America/New_York", active: true },
    ]);
    expect(complaints).toEqual([]);
  });

  it("can be any cron in any zone, with a word about what is wrong, and the times of both clocks", async () => {
    await open("?create=schedule");
    await dialog().getByLabel("Workflow", { exact: true }).selectOption("Other work");
    await dialog().getByLabel("Repeat").selectOption("Custom (cron)");
    await dialog().getByLabel("Cron").fill("0 9 * *");
    await dialog().getByText("must have five fields").waitFor();
    await dialog().getByLabel("Cron").fill("30 8 1 1,7 *");
    await dialog().getByLabel("Time zone").selectOption("Asia/Tokyo");
    await preview().first().getByText("08:30 in Asia/Tokyo").waitFor();
    await dialog().getByRole("button", { name: "Create" }).click();
    await row("Schedule").getByText("30 8 1 1,7 *").waitFor();
    await menuItem("Schedule", "Edit");
    await page.waitForURL(/trigger=/);
    await dialog().getByLabel("Name", { exact: true }).fill("Twice a year");
    await dialog().getByLabel("Prompt").fill("For the board");
    await dialog().getByText("Instructions and accounts of its runs").click();
    await dialog().getByRole("checkbox", { name: "Say" }).check();
    await dialog().getByLabel("Instruction of these runs").fill("Be long.");
    await dialog().getByRole("button", { name: "Save" }).click();
    await row("Twice a year").waitFor();
    expect(await triggers()).toMatchObject([
      { prompt: "For the board", overrides: [{ id: "say", runtimeInstruction: "Be long." }] },
    ]);
    expect(complaints).toEqual([]);
  });

  it("is turned off and on as the server says, tested while off, and deleted after a question", async () => {
    const { id } = await createSchedule(html);
    await open();
    const toggle = row(html).getByRole("switch");
    await toggle.click();
    await row(html).getByText("Off: does not fire").waitFor();
    await eventually(triggers).toMatchObject([{ active: false }]);
    await button(`Test “${html}”`).click();
    const run = await row(html).getByRole("link", { name: "Open the run" }).getAttribute("href");
    expect(await flows.ended(run?.split("/").at(-1) ?? "")).toMatchObject({ status: "succeeded", triggerId: id });
    await toggle.click();
    await row(html)
      .getByText(/^Next /)
      .waitFor();
    await eventually(triggers).toMatchObject([{ active: true }]);

    await menuItem(html, "Delete");
    await dialog().getByRole("button", { name: "Delete" }).click();
    await heading("No triggers yet").waitFor();
    expect(await triggers()).toEqual([]);
    expect(await page.title()).not.toBe("owned");
    expect(complaints).toEqual([]);
  });

  it("shows the old state and why when the server refuses", async () => {
    await createSchedule("Gone");
    // The page reads the list anew when it begins to follow events; then the row would be gone before it is pressed.
    await page.route("**/events", (route) => route.abort());
    await open();
    await row("Gone").waitFor();
    await flows.app.database.query("DELETE FROM trigger");
    await row("Gone").getByRole("switch").click();
    await row("Gone").getByText("Not changed. There is no such trigger.").waitFor();
    await eventually(() => row("Gone").getByRole("switch").getAttribute("aria-checked")).toBe("true");
  });
});

describe("a webhook", () => {
  it("shows its address once, and a delivery to it starts a run that the page tells of", async () => {
    const { address } = await createWebhook("Any sender, not signed");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog().getByText("gone once this is closed").waitFor();
    await button("I have copied it").click();
    await row("Orders").getByText("Has started no run yet").waitFor();
    const answer = await deliver(address, { order: 7 });
    expect(answer.status).toBe(202);
    await row("Orders").getByText("Last started a run").waitFor();
    const { id } = (await answer.json()) as { id: string };
    expect(await flows.ended(id)).toMatchObject({ status: "succeeded", trigger: { payload: { order: 7 } } });
    await page.reload();
    await row("Orders").waitFor();
    expect(await page.content()).not.toContain(address.split("/").at(-1));
    expect(complaints).toEqual([]);
  });

  it("is signed with the secret that is shown, and gets a new address", async () => {
    const { address, secret } = await createWebhook("Any sender, signed (Standard Webhooks)");
    expect((await deliver(address, {})).status).toBe(401);
    expect((await deliver(address, {}, signStandard(secret, "{}", { id: "one" }))).status).toBe(202);
    await button("I have copied it").click();
    await menuItem("Orders", "Make a new address");
    await dialog().getByRole("button", { name: "Make a new address" }).click();
    const renewed = await dialog().getByLabel("Address", { exact: true }).inputValue();
    expect(renewed).not.toBe(address);
    expect((await deliver(address, {}, signStandard(secret, "{}", { id: "two" }))).status).toBe(404);
    expect(complaints).toEqual([]);
  });

  it("takes the methods and waits for the answer that are chosen, and they can be changed", async () => {
    await open(`?create=webhook&workflow=${workflowId}`);
    await dialog().getByLabel("Who delivers").selectOption({ label: "Any sender, not signed" });
    await dialog().getByLabel("Name", { exact: true }).fill("Orders");
    await dialog().getByLabel("PUT", { exact: true }).check();
    await dialog().getByLabel("POST", { exact: true }).uncheck();
    expect(await dialog().getByLabel("PUT", { exact: true }).isDisabled()).toBe(true);
    await dialog().getByLabel("Wait for an answer of the run, in seconds").fill("5");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Create" }).click();
    await button("I have copied it").click();
    expect(await triggers()).toMatchObject([{ methods: ["PUT"], answerWithinSeconds: 5 }]);
    await menuItem("Orders", "Edit");
    await dialog().getByLabel("GET", { exact: true }).check();
    await dialog().getByLabel("Wait for an answer of the run, in seconds").fill("");
    await dialog().getByRole("button", { name: "Save" }).click();
    await eventually(triggers).toMatchObject([{ methods: ["GET", "PUT"], answerWithinSeconds: null }]);
    expect(complaints).toEqual([]);
  });

  it("of a provider asks for the account that holds the signing secret", async () => {
    await open(`?create=webhook&workflow=${workflowId}`);
    await dialog().getByLabel("Who delivers").selectOption("GitHub");
    await dialog().getByLabel("Set the webhook for me").uncheck();
    await dialog().getByText("A GitHub account with a webhook secret is needed first").waitFor();
    const { id } = await flows.app.parts.vault.credentials.create(flows.owner.organizationId, {
      type: "github",
      name: html,
      createdBy: null,
      data: { kind: "bearer", accessToken: "token", webhookSecret: "hook-secret" },
    });
    await page.reload();
    await dialog().getByLabel("Who delivers").selectOption("GitHub");
    await dialog().getByLabel("Set the webhook for me").uncheck();
    await dialog().getByText("open Settings, Webhooks, Add webhook").waitFor();
    await dialog().getByLabel("GitHub account").selectOption({ label: html });
    await dialog().getByRole("button", { name: "Create" }).click();
    await button("I have copied it").click();
    await row("GitHub webhook").waitFor();
    expect(await triggers()).toMatchObject([{ provider: "github", credentialId: id, signature: "provider" }]);
    expect(complaints).toEqual([]);
  });
});

describe("the page of triggers", () => {
  it("shows a page after the other, and the one that an address names wherever it is", async () => {
    const { id } = await createSchedule("The oldest");
    await flows.app.database.query(
      `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, cron, time_zone)
       SELECT organization_id, ('ffffffff-ffff-7fff-bfff-' || lpad(n::text, 12, '0'))::uuid, workflow_id, kind, 'No. ' || n, false, overrides, cron, time_zone
       FROM trigger, generate_series(1, 100) AS n`,
    );
    await open(`?trigger=${id}`);
    await dialog().getByRole("heading", { name: "Edit “The oldest”" }).waitFor();
    await page.keyboard.press("Escape");
    await counted("The newest 100 triggers, 0 on");
    expect(await row("The oldest").count()).toBe(0);
    await button("Show more").click();
    await counted("101 triggers, 1 on");
    await row("The oldest").waitFor();
    expect(await button("Show more").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("shows those of one workflow by its address, and counts what it shows", async () => {
    const { body } = await flows.owner.browser.get(`${flows.path}/workflows?search=Other`);
    await createSchedule("Mine", { active: false });
    await createSchedule("Another", { workflowId: body.data[0].id });
    await open();
    await counted("2 triggers, 1 on");
    await page.getByLabel("Workflow", { exact: true }).selectOption(html);
    await page.waitForURL(/workflow=/);
    await counted("1 trigger, 0 on");
    await page.reload();
    await row("Mine").waitFor();
    expect(await row("Another").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)(
    "shows a viewer no way to change anything, on a telephone in %s",
    async (colorScheme) => {
      await createSchedule("Seen");
      await openAs("vera@example.com", { colorScheme, viewport: { width: 390, height: 844 } });
      await open("?create=schedule");
      await row("Seen").getByText("Every day at 09:00, Europe/Berlin").waitFor();
      expect(await findAccessibilityFaults(page)).toEqual([]);
      expect(await sidewaysScrolling(page)).toBe(0);
      expect(await dialog().count()).toBe(0);
      expect(await row("Seen").getByRole("button").count()).toBe(0);
      expect(await row("Seen").getByRole("switch").count()).toBe(0);
      expect(await button("New trigger").count()).toBe(0);
      expect(complaints).toEqual([]);
    },
  );
});
