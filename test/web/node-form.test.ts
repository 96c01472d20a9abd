import type { ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { type LoginPage, pressAndOpenTab, startLoginPage } from "../support/browser/login-page.ts";
import type { PageOptions } from "../support/browser/open-page.ts";
import { type FakeOAuth, startFakeOAuth } from "../support/oauth/fake-oauth.ts";
import { signUpMember } from "../support/people.ts";
import { startFakeModel } from "../support/providers/fake-model.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const image = '<img src="x" onerror="alert(1)">';
const browser = launchBrowser();
let flows: WorkflowApp;
let model: Awaited<ReturnType<typeof startFakeModel>>;
let provider: FakeOAuth;
let loginPage: LoginPage;
let workflowId: string;
let openai: { reference: string };

beforeAll(async () => {
  model = await startFakeModel((told) =>
    told.includes("Take your time.") ? new Promise(() => {}) : { text: "A friendly hello" },
  );
  provider = await startFakeOAuth();
  loginPage = await startLoginPage(provider);
  flows = await startWorkflowApp({ environment: model.environment });
  openai = await flows.app.parts.vault.credentials.create(flows.owner.organizationId, {
    type: "openai",
    name: "Our OpenAI",
    data: { apiKey: "sk-1" },
    createdBy: null,
  });
  const made = `[{ "title": "A bug", "count": 3, "author": { "first-name": "${image.replaceAll('"', "'")}" } }]`;
  workflowId = await flows.save(
    [
      node("make", "transform", { expression: made, over: "list" }, { name: "Make items" }),
      node("decide", "condition", { condition: "true" }),
      node("search", "github_search_issues", { query: "is:open" }, { name: "Search", settings: { disabled: true } }),
      node("tell", "slack_send_message", { channel: "C1", text: "Hello" }, { settings: { disabled: true } }),
      node("call", "http_request", { url: "https://api.stripe.com/v1/balance" }, { settings: { disabled: true } }),
    ],
    edges("make>tell", "make>decide"),
    "Report",
  );
  await flows.run(workflowId, { runtimePrompt: "Tell the team" });
});
afterAll(async () => {
  await flows?.stop();
  await model?.stop();
  await provider?.stop();
  loginPage?.stop();
});

// The browser itself reports the status of a canvas that was saved while a reference in it was only half typed.
const isExpected = (message: ConsoleMessage) => message.text().includes("400 (Bad Request)");
// The provider's page has no icon, for which the browser asks by itself.
const isMissingIcon = (message: ConsoleMessage) => message.location().url === `${loginPage.origin}/favicon.ico`;

async function open(search: string, { person = flows.owner.browser, ...options }: Partial<PageOptions> = {}) {
  const one = await browser.open({ baseUrl: flows.app.platformUrl, person, isExpected, ...options });
  await one.page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}?${search}`);
  return { ...one, panel: one.page.getByRole("region", { name: /^Node / }) };
}

const savedNode = async (id: string): Promise<{ parameters: unknown }> => {
  const path = `${flows.path}/workflows/${workflowId}`;
  const { body: workflow } = await flows.owner.browser.get(path);
  // What is edited is the draft; without one it is what is published.
  const { body } = workflow.draft ? await flows.owner.browser.get(`${path}/draft`) : { body: workflow };
  return body.canvas.nodes.find((entry: { id: string }) => entry.id === id);
};
const saved = (page: Page) =>
  page.waitForResponse((response) => response.request().method() === "PATCH" && response.ok());

describe("the panel of a node", () => {
  it("shows the form of the tool, completes a reference by keyboard and previews it with the data of the last run", async () => {
    const { page, panel, complaints } = await open("node=tell");
    const text = panel.getByRole("combobox", { name: "Text" });
    await text.fill("");
    await text.pressSequentially("About $input.ti");
    await panel.getByRole("option", { name: /\$input\.title/ }).waitFor();
    await text.press("Enter");
    await eventually(() => text.inputValue()).toBe("About {{ $input.title }}");
    await panel.getByText("In the last run: About A bug").waitFor();
    await eventually(async () => (await savedNode("tell")).parameters).toEqual({
      channel: "C1",
      text: "About {{ $input.title }}",
    });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("closes the offer with Escape before it closes itself, and says what is wrong with a reference", async () => {
    const { page, panel } = await open("node=tell");
    const text = panel.getByRole("combobox", { name: "Text" });
    await text.fill("{{ $input.tit");
    await panel.getByRole("listbox").waitFor();
    await text.press("Escape");
    await panel.getByRole("listbox").waitFor({ state: "detached" });
    await text.fill("{{ $input.nothing }}");
    await panel.getByText("Text refers to $input.nothing, which cannot be resolved.").waitFor();
    await text.press("Escape");
    await panel.waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("node")).toBeNull();
  });

  it("puts a field of the data where the caret was, and shows data as text", async () => {
    const { panel, complaints } = await open("node=tell");
    const text = panel.getByRole("combobox", { name: "Text" });
    await text.fill("By ");
    const incoming = panel.getByRole("region", { name: "Incoming data" });
    await incoming.getByRole("button", { name: "JSON" }).click();
    await panel.getByText(image.replaceAll('"', "'")).first().waitFor();
    await incoming.getByRole("button", { name: "Schema" }).click();
    await incoming.getByRole("button", { name: "first-name", exact: true }).click();
    await eventually(() => text.inputValue()).toBe("By {{ $input.author.`first-name` }}");
    expect(complaints).toEqual([]);
  });

  it("says the fault of the server at its field, to which the address leads", async () => {
    const { page, panel } = await open("node=tell&field=/parameters/channel");
    const channel = panel.getByRole("combobox", { name: "Channel" });
    await page.locator(":focus").and(channel).waitFor();
    await channel.fill("");
    await panel.getByText("Channel is required.").waitFor();
    await eventually(() => channel.getAttribute("aria-invalid")).toBe("true");
    await channel.fill("C2");
    await panel.getByText("Channel is required.").waitFor({ state: "detached" });
  });

  it("lets its author allow that it is repeated after an interruption", async () => {
    const { page, panel } = await open("node=tell");
    await panel.getByRole("tab", { name: "Settings" }).click();
    const done = saved(page);
    await panel.getByLabel("Repeat after an interruption").check();
    await done;
    expect(await savedNode("tell")).toMatchObject({ settings: { disabled: true, repeatAfterInterruption: true } });
  });

  it("of an HTTP request offers accounts of services, and puts one in the place of the other", async () => {
    const make = async (type: string, name: string, data: Record<string, unknown>) =>
      await flows.app.parts.vault.credentials.create(flows.owner.organizationId, { type, name, data, createdBy: null });
    const stripe = await make("stripe", "Our Stripe", { secretKey: "sk_test_1" });
    const own = await make("http_auth", "Our API", {
      authKind: "bearer",
      secret: "canary",
      baseUrl: "https://api.own.test",
    });
    await make("redis", "Our cache", { host: "cache.own.test" });
    const { page, panel, complaints } = await open("node=call");
    const picker = panel.getByRole("combobox", { name: "HTTP credential" });
    await picker.locator("option", { hasText: "Our Stripe" }).waitFor({ state: "attached" });
    expect(await picker.locator("option", { hasText: "Our cache" }).count()).toBe(0);
    expect(await picker.locator('optgroup[label="Stripe, for its own addresses"]').count()).toBe(1);
    await picker.selectOption(stripe.reference);
    await eventually(() => savedNode("call")).toMatchObject({ credentials: { stripe: stripe.reference } });
    await picker.selectOption(own.reference);
    await eventually(async () => ((await savedNode("call")) as { credentials?: unknown }).credentials).toEqual({
      http_auth: own.reference,
    });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("creates the credential on the spot and takes it", async () => {
    const { page, panel } = await open("node=tell");
    await panel.getByRole("button", { name: "Create or connect" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Team bot");
    await dialog.getByText("Bot token").click();
    await dialog.getByRole("textbox", { name: /^Access token/ }).fill("xoxb-1");
    await dialog.getByText("Other addresses").click();
    await dialog.getByRole("textbox", { name: "Base URL" }).fill("http://127.0.0.1:9");
    await dialog.getByRole("button", { name: "Save" }).click();
    const done = saved(page);
    await dialog.getByRole("button", { name: "Keep it anyway" }).click();
    const picker = panel.getByRole("combobox", { name: "Slack credential" });
    await panel.getByText("Failing").waitFor();
    await eventually(() => picker.locator("option:checked").textContent()).toBe("Team bot");
    await done;
  });

  it("connects the account by OAuth on the spot and takes it", async () => {
    const { page, panel, complaints } = await open("node=search", {
      neighborUrls: [loginPage.origin],
      isExpected: isMissingIcon,
    });
    await panel.getByRole("button", { name: "Create or connect" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("GitHub of the team");
    await loginPage.fillClient(dialog);
    const tab = await pressAndOpenTab(page, "Connect GitHub");
    await tab.getByRole("link", { name: "Agree" }).click();
    await tab.getByText("GitHub is connected.").waitFor();
    await dialog.waitFor({ state: "detached" });
    const picker = panel.getByRole("combobox", { name: "GitHub credential" });
    await eventually(() => picker.locator("option:checked").textContent()).toBe("GitHub of the team");
    await panel.getByText("Works", { exact: true }).waitFor();
    const { body } = await flows.owner.browser.get(`${flows.path}/credentials`);
    const connected = body.data.find(({ name }: { name: string }) => name === "GitHub of the team");
    await eventually(() => savedNode("search")).toMatchObject({ credentials: { github: connected.reference } });
    expect(complaints).toEqual([]);
  });

  it("says that it waits for the model, and stops when somebody cancels", async () => {
    const { panel, complaints } = await open("node=tell");
    await panel.getByRole("combobox", { name: "Text" }).fill("");
    await panel.getByRole("textbox", { name: "Instruction for a model" }).fill("Take your time.");
    await panel.getByRole("button", { name: "Preview what a model would fill" }).click();
    await panel.getByText("Waiting for the language model, for at most 30 s.").waitFor();
    await panel.getByRole("button", { name: "Cancel", exact: true }).click();
    await panel.getByText("Waiting for the language model").waitFor({ state: "detached" });
    expect(await panel.getByRole("alert").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("shows what a model would fill in, before anything runs", async () => {
    const { panel, complaints } = await open("node=tell");
    await panel.getByRole("combobox", { name: "Text" }).fill("");
    await panel.getByRole("textbox", { name: "Instruction for a model" }).fill("Greet them.");
    await panel.getByText("In a run a model fills what is empty: Text, ").waitFor();
    await panel.getByRole("button", { name: "Preview what a model would fill" }).click();
    await panel.getByRole("row", { name: "text A friendly hello" }).waitFor();
    await panel.getByText(/^m-1 would fill in this/).waitFor();
    const account = panel.getByRole("combobox", { name: "Model account" });
    await account.selectOption("Our OpenAI");
    await eventually(() => savedNode("tell")).toMatchObject({
      instruction: "Greet them.",
      credentials: { openai: openai.reference },
    });
    expect(complaints).toEqual([]);
  });

  it("takes fields that are dragged into a text or an expression", async () => {
    const { panel } = await open("node=decide");
    const condition = panel.getByRole("combobox", { name: "Condition" });
    await condition.fill("");
    await panel.getByRole("button", { name: "count", exact: true }).dragTo(condition);
    await eventually(() => condition.inputValue()).toBe("$input.count");
    await condition.press("End");
    await condition.pressSequentially(" > 2");
    await panel.getByText("In the last run: true").waitFor();
  });

  it("takes an expression where a choice belongs", async () => {
    const { panel } = await open("node=make");
    const over = panel.getByRole("group", { name: "How Over is entered" });
    await over.getByRole("button", { name: "Expression" }).click();
    await panel.getByRole("combobox", { name: "Over" }).fill('{{ "list" }}');
    await panel.getByText("In the last run: list").waitFor();
  });

  it("shows what came in and out in a run, on a narrow screen too", async () => {
    const { id } = await flows.run(workflowId, {});
    const { page, panel, complaints } = await open(`node=tell&run=${id}`, { viewport: { width: 390, height: 800 } });
    await panel.getByRole("tab", { name: "Incoming" }).click();
    await panel.getByRole("button", { name: "Table" }).click();
    await panel.getByRole("heading", { name: "From Make items 1 item" }).waitFor();
    await panel.getByRole("cell", { name: "A bug" }).waitFor();
    await panel.getByRole("tab", { name: "Output" }).click();
    await panel.getByText("This node is disabled: items passed through it untouched.").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("lets viewers read and change nothing", async () => {
    const vera = await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
    const { panel, complaints } = await open("node=tell", { person: vera.browser });
    const text = panel.getByRole("combobox", { name: "Text" });
    await text.waitFor();
    expect(await text.getAttribute("readonly")).not.toBeNull();
    expect(await panel.getByRole("button", { name: "Create or connect" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
