import type { ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import type { PageOptions } from "../support/browser/open-page.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let provider: FakeProvider;
let workflowId: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  flows = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  const connect = async (type: string) => {
    const data = { kind: "bearer", accessToken: "canary", baseUrl: provider.url };
    const account = { type, name: `Our ${type}`, data, createdBy: null };
    const { reference } = await flows.app.parts.vault.credentials.create(flows.owner.organizationId, account);
    return { credentials: { [type]: reference } };
  };
  const slack = await connect("slack");
  const github = await connect("github");
  workflowId = await flows.save(
    [
      node("tell", "slack_send_message", { channel: "#old", text: "Hello" }, slack),
      node("read", "github_get_file", { owner: "octo", repo: "rail", path: "" }, github),
      node("write", "github_create_issue", { owner: "{{ $trigger.prompt }}", repo: "rail", title: "x" }, github),
    ],
    edges("tell>read", "read>write"),
    "Report",
  );
});
afterAll(async () => {
  await flows?.stop();
  await provider?.stop();
});

const isRefused = (message: ConsoleMessage) => /status of 502|status of 400/.test(message.text());

async function open(search: string, options: Partial<PageOptions> = {}) {
  const one = await browser.open({ baseUrl: flows.app.platformUrl, person: flows.owner.browser, ...options });
  await one.page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}?${search}`);
  return { ...one, panel: one.page.getByRole("region", { name: /^Node / }) };
}

const channels = {
  json: {
    ok: true,
    channels: [
      { id: "C0GENERAL", name: "general" },
      { id: "C0SALES", name: "sales" },
    ],
  },
};
const people = { json: { ok: true, members: [{ id: "U0ANN", name: "ann", real_name: "Ann Lee" }] } };
const branches = (...names: string[]) => ({ json: names.map((name) => ({ name })) });

const draftOf = async (id: string) => {
  const { body } = await flows.owner.browser.get(`${flows.path}/workflows/${workflowId}/draft`);
  const { nodes } = (body.canvas ?? { nodes: [] }) as { nodes: { id: string; parameters: Record<string, unknown> }[] };
  return nodes.find((entry) => entry.id === id)?.parameters;
};

const offered = (page: Page) => page.getByRole("dialog", { name: /^Choose / }).getByRole("option");
const searchField = (page: Page) => page.getByRole("combobox", { name: /^Search / });

it("offers what the account has once it is opened, finds it by name, and takes it with the keyboard", async () => {
  provider.script([channels, people]);
  const { page, panel, complaints } = await open("node=tell");
  const channel = panel.getByRole("combobox", { name: "Channel" });
  await channel.focus();
  expect(provider.requests()).toEqual([]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "#sales C0SALES" }).waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await page.keyboard.type("lee");
  await eventually(() => offered(page).allInnerTexts()).toHaveLength(1);
  await page.keyboard.press("Enter");
  await page.locator(":focus").and(channel).waitFor();
  expect(await channel.inputValue()).toBe("U0ANN");
  await panel.getByText("@Ann Lee").waitFor();
  await eventually(async () => (await draftOf("tell"))?.channel).toBe("U0ANN");
  expect(provider.requests()).toHaveLength(2);
  expect(complaints).toEqual([]);
});

it("fits a narrow screen in the dark", async () => {
  provider.script([channels, people]);
  const { page, panel, complaints } = await open("node=tell", {
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  await panel.getByRole("button", { name: "Choose Channel" }).click();
  await offered(page).first().waitFor();
  const box = await page.getByRole("dialog", { name: "Choose Channel" }).boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
  expect(await findAccessibilityFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it("keeps what was typed when it is closed with Escape, and takes any id or expression", async () => {
  provider.script([channels, people]);
  const { page, panel, complaints } = await open("node=tell");
  const channel = panel.getByRole("combobox", { name: "Channel" });
  await channel.fill("C9TYPED");
  await panel.getByRole("button", { name: "Choose Channel" }).click();
  await searchField(page).waitFor();
  await page.keyboard.press("Escape");
  await searchField(page).waitFor({ state: "detached" });
  // The panel itself stays.
  expect(await channel.inputValue()).toBe("C9TYPED");
  await channel.fill("{{ $trigger.prompt }}");
  await eventually(async () => (await draftOf("tell"))?.channel).toBe("{{ $trigger.prompt }}");
  expect(complaints).toEqual([]);
});

it("asks with what other fields say, and anew when it is refreshed", async () => {
  provider.script([branches("main"), branches("main", "next")]);
  const { page, panel, complaints } = await open("node=read");
  await panel.getByRole("button", { name: "Choose Ref" }).click();
  await page.getByRole("option", { name: "main" }).waitFor();
  expect(provider.requests()[0]?.path).toContain("/repos/octo/rail/branches");
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByRole("option", { name: "next" }).click();
  await eventually(() => panel.getByRole("combobox", { name: "Ref" }).inputValue()).toBe("next");
  expect(complaints).toEqual([]);
});

it("looks for a name at the service when there are more than it shows", async () => {
  const many = Array.from({ length: 100 }, (_, index) => `a-${index}`);
  provider.script([branches(...many), branches("zeta")]);
  const { page, panel } = await open("node=read");
  await panel.getByRole("combobox", { name: "Repo" }).fill("large");
  await panel.getByRole("button", { name: "Choose Ref" }).click();
  await page.getByText("There are more: type to search.").waitFor();
  await searchField(page).fill("zet");
  await page.getByRole("option", { name: "zeta" }).waitFor();
});

it("says what has to be filled in first, and what is known only in a run", async () => {
  provider.script([]);
  const { page, panel } = await open("node=write");
  await panel.getByRole("button", { name: "Choose Repo" }).click();
  await page.getByText(/Owner is known only when the workflow runs/).waitFor();
  await page.keyboard.press("Escape");
  await panel.getByRole("combobox", { name: "Owner" }).fill("");
  await panel.getByRole("button", { name: "Choose Repo" }).click();
  await page.getByText("Fill in Owner first: the list depends on it.").waitFor();
  expect(provider.requests()).toEqual([]);
});

it("says why there is no list in the words of the service, or that it is slow, and lets people type", async () => {
  provider.script([{ status: 403, json: { message: "Repository access blocked" } }, { hang: true }]);
  const { page, panel, complaints } = await open("node=read", { isExpected: isRefused });
  await panel.getByRole("combobox", { name: "Repo" }).fill("blocked");
  await panel.getByRole("button", { name: "Choose Ref" }).click();
  await page.getByText(/Repository access blocked.*You can type the value into the field/).waitFor();
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText(/The service takes its time/).waitFor();
  await page.keyboard.press("Escape");
  const ref = panel.getByRole("combobox", { name: "Ref" });
  await ref.fill("v2");
  expect(await ref.inputValue()).toBe("v2");
  expect(complaints).toEqual([]);
});
