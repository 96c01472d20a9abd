import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { startWebhookApp, type WebhookApp } from "../support/triggers/webhook-app.ts";

const browser = launchBrowser();
let hooks: WebhookApp;
let provider: FakeProvider;

beforeAll(async () => {
  provider = await startFakeProvider();
  hooks = await startWebhookApp();
  // Until there is one, the first page is a guide.
  await hooks.flows.run(hooks.workflowId);
});
beforeEach(() => hooks.app.database.query("DELETE FROM trigger"));
afterAll(async () => {
  await hooks?.stop();
  await provider?.stop();
});

async function open(rest: string, options: BrowserContextOptions = {}) {
  const { page, complaints } = await browser.open({
    baseUrl: hooks.app.platformUrl,
    person: hooks.owner.browser,
    ...options,
  });
  await page.goto(`/o/${hooks.owner.organizationId}/triggers${rest}`);
  return { page, complaints, dialog: page.getByRole("dialog") };
}

const sizes: [string, BrowserContextOptions][] = [
  ["light", { colorScheme: "light", viewport: { width: 1280, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1280, height: 900 } }],
  ["narrow", { colorScheme: "light", viewport: { width: 390, height: 844 } }],
];

async function expectSound(page: Page): Promise<void> {
  expect(await findAccessibilityFaults(page)).toEqual([]);
  expect(await sidewaysScrolling(page)).toBe(0);
}

it("sets a webhook up at its provider, with the events that somebody chose, and tells what it could not remove", async () => {
  await hooks.connect("github", { kind: "bearer", accessToken: "token", baseUrl: provider.url });
  const { page, complaints, dialog } = await open(`?create=webhook&workflow=${hooks.workflowId}`);
  await dialog.getByLabel("Who delivers").selectOption("GitHub");
  expect(await dialog.getByLabel("Set the webhook for me").isChecked()).toBe(true);
  await dialog.getByLabel("Events", { exact: true }).fill("issues.opened, push");
  await dialog.getByLabel("Repository").fill("acme/shop");
  await dialog.getByLabel("Only if").fill("$trigger.payload.sender.login != 'ann'");
  provider.script([{ status: 201, json: { type: "Repository", id: 12_345_678, name: "web", active: true } }]);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("GitHub, set up from here, only issues.opened, push, from acme/shop").waitFor();
  expect(JSON.parse(String(provider.requests()[0]?.body))).toMatchObject({ events: ["issues", "push"] });
  const [made] = (await hooks.owner.browser.get(hooks.path)).body.data;
  expect(made).toMatchObject({
    events: ["issues.opened", "push"],
    places: ["acme/shop"],
    takesBots: false,
    isRegistered: true,
  });

  provider.script([{ status: 404, json: { message: "Not Found", status: "404" } }]);
  await page.getByRole("button", { name: "More for “GitHub webhook”" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText(/The trigger is deleted\. GitHub may still have the webhook/).waitFor();
  expect(complaints).toEqual([]);
});

it.each(sizes)("offers to set the webhook up wherever the provider can be told (%s)", async (_, options) => {
  await hooks.connect("discord", { botToken: "token", baseUrl: provider.url });
  const known: { title: string; canRegister: boolean }[] = (await hooks.owner.browser.get("/api/webhook-providers"))
    .body.data;
  const { page, complaints, dialog } = await open(`?create=webhook&workflow=${hooks.workflowId}`, options);
  const offered: Record<string, boolean> = {};
  for (const { title } of known) {
    await dialog.getByLabel("Who delivers").selectOption(title);
    await dialog.getByText(`${title} account`).first().waitFor();
    offered[title] = await dialog.getByLabel("Set the webhook for me").isVisible();
  }
  expect(offered).toEqual(Object.fromEntries(known.map(({ title, canRegister }) => [title, canRegister])));
  await dialog.getByLabel("Who delivers").selectOption("Discord");
  await dialog.getByText("Slash commands that the events name are made there too.").waitFor();
  await expectSound(page);
  expect(complaints).toEqual([]);
});

it.each(sizes)(
  "shows what is left at a service, tries again, and forgets what somebody removed (%s)",
  async (_, options) => {
    await hooks.app.database.query("DELETE FROM webhook_removal");
    provider.script([{ status: 201, json: { type: "Repository", id: 12_345_678, name: "web", active: true } }]);
    const account = { kind: "bearer", accessToken: "token", baseUrl: provider.url };
    const made = await hooks.ofProvider("github", account, { name: "Issues", register: true, places: ["acme/shop"] });
    provider.script([{ status: 401, json: { message: "Bad credentials", status: "401" } }]);
    expect((await hooks.owner.browser.delete(`${hooks.path}/${made.id}`)).status).toBe(200);

    const { page, complaints } = await open("", options);
    const left = page.getByRole("region", { name: "Left at services" });
    await left.getByText("GitHub, acme/shop").waitFor();
    await left.getByText(/Of “Issues” for Test\. .*Bad credentials/).waitFor();
    await left.getByText(/Tried again in \d+ minute/).waitFor();
    await expectSound(page);
    provider.script([{ status: 401, json: { message: "Bad credentials", status: "401" } }]);
    await left.getByRole("button", { name: "Try now" }).click();
    await expect.poll(() => provider.requests().length).toBe(1);
    await left.getByRole("button", { name: "I removed it" }).click();
    await left.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  },
);

it("says, before an account is deleted, which webhooks stay at the service without it", async () => {
  await hooks.app.database.query("DELETE FROM webhook_removal");
  provider.script([{ status: 201, json: { type: "Repository", id: 12_345_678, name: "web", active: true } }]);
  const account = { kind: "bearer", accessToken: "token", baseUrl: provider.url };
  const made = await hooks.ofProvider("github", account, { name: "Issues", register: true, places: ["acme/shop"] });
  provider.script([{ status: 503, json: {} }]);
  expect((await hooks.owner.browser.delete(`${hooks.path}/${made.id}`)).status).toBe(200);
  const { page, complaints, dialog } = await open("");
  await page.goto(`/o/${hooks.owner.organizationId}/credentials?credential=${made.credentialId}`);
  await page.getByRole("button", { name: "Delete this credential" }).click();
  await dialog
    .getByText("Webhooks that were set up with it stay at GitHub (acme/shop): only you can remove them there then.")
    .waitFor();
  await dialog.getByRole("button", { name: "Delete it anyway" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.goto(`/o/${hooks.owner.organizationId}/triggers`);
  const left = page.getByRole("region", { name: "Left at services" });
  await left.getByText("The account that it was set up with is deleted.").waitFor();
  await left.getByText("It is not tried again by itself: remove it at the service.").waitFor();
  expect(complaints).toEqual([]);
});

it.each(sizes)("says why a trigger was turned off by itself, and can be turned on again (%s)", async (_, options) => {
  const made = await hooks.ofProvider(
    "slack",
    { kind: "bearer", accessToken: "x", signingSecret: "s" },
    { name: "Answers", takesBots: true },
  );
  const reason = "Turned off, because what its workflow does at Slack started it again more than 20 times in a minute.";
  await hooks.app.database.query("UPDATE trigger SET is_active = false, stopped_reason = $2 WHERE id = $1", [
    made.id,
    reason,
  ]);
  const { page, complaints, dialog } = await open("", options);
  await page.getByText(reason).waitFor();
  await expectSound(page);
  await page.goto(`/o/${hooks.owner.organizationId}`);
  await page.getByText(`The trigger Answers of Test stopped: ${reason}`).waitFor();

  await page.goto(`/o/${hooks.owner.organizationId}/triggers?trigger=${made.id}`);
  expect(await dialog.getByLabel("Also take events of bots").isChecked()).toBe(true);
  await expectSound(page);
  await page.keyboard.press("Escape");
  await page.getByRole("switch", { name: "“Answers” is on" }).click();
  await page.getByText(reason).waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});
