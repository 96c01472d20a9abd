import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const tricky = `It's "quoted" \\ $HOME \`id\` !\nsecond line · Grüße 世界 👩‍🚀 \u2028 end'`;
const runners: [language: string, program: string, ...words: string[]][] = [
  ["curl", "sh", "-c"],
  ["JavaScript", process.execPath, "--input-type=module", "-e"],
  ["Python", "python3", "-c"],
];
const isThere = (program: string) => spawnSync(program, ["-c", ""]).error === undefined;
const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
  await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
});
afterAll(() => flows?.stop());
beforeEach(async () => {
  await flows.app.database.query("DELETE FROM workflow");
  await openAs(flows.owner.email);
});

async function openAs(email: string, options: BrowserContextOptions = {}): Promise<void> {
  const { browser: person } = await signIn(flows.app, email);
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, isExpected, ...options }));
}

// The browser itself reports the refusal of a faulty file.
const isExpected = (message: ConsoleMessage) =>
  message.location().url.endsWith("/workflows/import") && message.text().includes("400");

const open = (rest = "") => page.goto(`/o/${flows.owner.organizationId}/workflows${rest}`);
const heading = (name: string) => page.getByRole("heading", { name, exact: true });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = () => page.getByRole("dialog");
const list = () => page.getByRole("region", { name: "Workflows" });
const count = (words: string) => page.getByRole("status").filter({ hasText: words }).waitFor();
const workflows = async () =>
  (await flows.owner.browser.get(`${flows.path}/workflows`)).body.data as {
    name: string;
    isActive: boolean;
    version: number;
  }[];
const menuItem = async (workflow: string, item: string) => {
  await button(`More for “${workflow}”`).click();
  await page.getByRole("menuitem", { name: item }).click();
};

describe("the page of workflows", () => {
  it("leads a newcomer to a template that runs, and opens it in the editor", async () => {
    await open();
    await heading("No workflows yet").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Start with “First run”" }).click();
    await heading("First run").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await button("Use this template").click();
    await page.waitForURL(/\/workflows\/[0-9a-f-]{36}$/);
    await page.getByRole("application", { name: "Canvas" }).waitFor();
    await open();
    await list().getByRole("link", { name: "First run", exact: true }).waitFor();
    await list().getByText("Never published").waitFor();
    expect(await list().getByRole("switch").count()).toBe(0);
    await count("1 workflow");
    expect(complaints).toEqual([]);
  });

  it("creates from blank by keyboard, and leads to the templates", async () => {
    await open();
    await button("New workflow").focus();
    await page.keyboard.press("Enter");
    await dialog().getByLabel("Name", { exact: true }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/workflows\/[0-9a-f-]{36}$/);
    await page.getByRole("application", { name: "Canvas" }).waitFor();
    expect((await workflows()).map(({ name, isActive, version }) => [name, isActive, version])).toEqual([
      ["By keyboard", false, 0],
    ]);
    await open("?create=new");
    await dialog().getByRole("link", { name: "Choose a template" }).click();
    await heading("Templates").waitFor();
    expect(complaints).toEqual([]);
  });

  it("imports a file as a draft, tells the faults of others in words, and exports the same again", async () => {
    const file = {
      format: "switchyard.workflow",
      formatVersion: 1,
      name: "Carried over",
      canvas: { nodes: [], edges: [] },
    };
    const take = (value: unknown) => {
      const buffer = Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
      return dialog()
        .getByLabel("Workflow file")
        .setInputFiles({ name: "flow.json", mimeType: "application/json", buffer });
    };
    await open("?create=file");
    await take("no json");
    await dialog().getByText("flow.json is not a workflow file").waitFor();
    await take({ ...file, formatVersion: 2 });
    await dialog().getByText("Nothing was imported.").waitFor();
    await take({
      ...file,
      name: "Unfinished",
      canvas: { nodes: [node("say", "slack_send_message", { text: "hi" }, { name: "Say <b>it</b>" })], edges: [] },
    });
    await dialog().getByText("“Unfinished” is created, as a draft. It is off until you publish it.").waitFor();
    await dialog().getByText("Say <b>it</b>: channel is required.").waitFor();
    await open("?create=file");
    const text = JSON.stringify({ ...file, canvas: { nodes: [node("now", "system_date_time")], edges: [] } });
    const dropped = await page.evaluateHandle(`(() => {
      const carried = new DataTransfer();
      carried.items.add(new File([${JSON.stringify(text)}], "flow.json"));
      return carried;
    })()`);
    await dialog().getByText("or drop it here").dispatchEvent("drop", { dataTransfer: dropped });
    await dialog().getByText("“Carried over” is created, as a draft.").waitFor();
    await page.keyboard.press("Escape");
    const download = page.waitForEvent("download");
    await menuItem("Carried over", "Export as a file");
    const exported = await (await download).path();
    expect(JSON.parse(readFileSync(exported, "utf8"))).toMatchObject({
      name: "Carried over",
      canvas: { nodes: [{ id: "now" }] },
    });
    expect(complaints).toEqual([]);
  });

  it("finds by text in the address, shows names as text, and turns off, duplicates and deletes", async () => {
    const html = `<img src=x onerror="document.title='owned'">`;
    await flows.save([node("now", "system_date_time")], [], html);
    await flows.save([], [], "Other");
    await open();
    await count("2 workflows");
    await page.getByRole("searchbox").fill("nowhere");
    await heading("Nothing found").waitFor();
    await button("Show all").click();
    await count("2 workflows");
    await page.getByRole("searchbox").fill("<img");
    await page.waitForURL(/search=/);
    await count("1 workflow found");
    await page.reload();
    await list().getByRole("link", { name: html, exact: true }).waitFor();
    expect(await list().getByRole("listitem").count()).toBe(1);
    expect(await page.title()).not.toBe("owned");

    const toggle = page.getByRole("switch", { name: `“${html}” is on` });
    await toggle.click();
    await eventually(async () => (await workflows()).find(({ name }) => name === html)?.isActive).toBe(false);
    await eventually(() => toggle.getAttribute("aria-checked")).toBe("false");
    await menuItem(html, "Duplicate");
    await dialog().getByRole("button", { name: "Duplicate" }).click();
    await page.getByRole("application", { name: "Canvas" }).waitFor();
    expect((await workflows()).find(({ name }) => name === `${html} (copy)`)).toMatchObject({
      version: 0,
      isActive: false,
    });
    await page.goBack();
    await count("2 workflows found");
    await menuItem(html, "Delete");
    await dialog().getByRole("button", { name: "Delete" }).click();
    await count("1 workflow found");
    expect(await workflows()).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  it("shows how the last run went as soon as it has ended", async () => {
    const id = await flows.save([node("now", "system_date_time")], [], "Watched");
    await open();
    await list().getByText("Not run yet").waitFor();
    await flows.run(id);
    await list().getByRole("link", { name: "Last run: Succeeded just now" }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("says how many triggers start a workflow, which leads to them", async () => {
    const id = await flows.save([node("now", "system_date_time")], [], "Triggered");
    await open();
    await list().getByRole("link", { name: "No triggers", exact: true }).waitFor();
    for (const [name, active] of Object.entries({ First: true, Second: true, Third: false })) {
      const trigger = { workflowId: id, kind: "webhook", name, signature: "none", active };
      expect((await flows.owner.browser.post(`${flows.path}/triggers`, trigger)).status).toBe(201);
    }
    await page.reload();
    await list().getByRole("link", { name: "2 active triggers of 3", exact: true }).click();
    await page.waitForURL(new RegExp(`/triggers\\?workflow=${id}$`));
    for (const name of ["First", "Second", "Third"]) await page.getByText(name, { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows what a workflow is made of, one icon for each service, and five at most", async () => {
    const off = { settings: { disabled: true } };
    const search = node("search", "github_search_issues", { query: "is:open" }, off);
    const create = node("create", "github_create_issue", { owner: "acme", repo: "site", title: "a" }, off);
    const tell = node("tell", "slack_send_message", { channel: "C", text: "a" }, off);
    const nodes = [node("start", "start"), search, create, tell];
    await flows.save(nodes, [], "Small");
    const more = [
      node("now", "system_date_time"),
      node("set", "set_fields", { fields: { a: 1 } }),
      node("sum", "transform", { expression: "1" }),
    ];
    await flows.save([...nodes, ...more], [], "Large");
    await open();
    const row = (name: string) =>
      list()
        .getByRole("listitem")
        .filter({ has: page.getByRole("link", { name, exact: true }) });
    await row("Small").getByRole("img", { name: "Made of GitHub, Slack, Start", exact: true }).waitFor();
    const large = row("Large").getByRole("img", { name: /^Made of GitHub, Slack, .*Start, / });
    await large.getByText("+1", { exact: true }).waitFor();
    expect(await large.locator("img, svg").count()).toBe(5);
    const loaded = `[...document.querySelectorAll("[role=img] img")].filter((icon) => icon.complete && icon.naturalWidth > 0).length`;
    await eventually(() => page.evaluate(loaded)).toBe(5);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)(
    "shows a viewer no way to change anything, on a telephone in %s",
    async (colorScheme) => {
      await flows.save([node("now", "system_date_time")], [], "Seen");
      await openAs("vera@example.com", { colorScheme, viewport: { width: 390, height: 844 } });
      await open("?create=new");
      await list().getByRole("link", { name: "Seen", exact: true }).waitFor();
      expect(await findAccessibilityFaults(page)).toEqual([]);
      expect(await sidewaysScrolling(page)).toBe(0);
      for (const name of ["New workflow", "Import"]) expect(await button(name).count()).toBe(0);
      expect(await dialog().count()).toBe(0);
      expect(await page.getByRole("switch").count()).toBe(0);
      await button("More for “Seen”").click();
      expect(await page.getByRole("menuitem").allTextContents()).toEqual([
        "Open",
        "Call this workflow",
        "Export as a file",
      ]);
      expect(complaints).toEqual([]);
    },
  );
});

describe("the panel to call a workflow", () => {
  async function openPanel(): Promise<string> {
    const nodes = [
      node("now", "system_date_time"),
      node("say", "transform", { expression: "$trigger.prompt" }, { instruction: tricky }),
    ];
    const id = await flows.save(nodes, edges("now>say"), `Name 'with' "quotes"`);
    await open();
    await menuItem(`Name 'with' "quotes"`, "Call this workflow");
    await dialog().getByLabel("Prompt", { exact: true }).fill(tricky);
    await dialog().getByText("Instructions and accounts of this call").click();
    await dialog().getByRole("checkbox", { name: "Transform" }).check();
    return id;
  }

  const block = async (label: string) =>
    (await dialog().getByRole("figure").filter({ hasText: label }).locator("pre").textContent()) ?? "";
  const snippet = async (language: string) => {
    await dialog().getByRole("tab", { name: language }).click();
    return await block(language);
  };

  it("gives programs that start a run as they stand, whatever is in the texts", async () => {
    const id = await openPanel();
    const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", SWITCHYARD_API_KEY: flows.key };
    for (const [language, program, ...words] of runners.filter(([, name]) => isThere(name))) {
      const { stdout } = await promisify(execFile)(program, [...words, await snippet(language)], {
        env,
        timeout: 10_000,
      });
      const [runId = ""] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stdout) ?? [];
      expect(await flows.ended(runId), language).toMatchObject({
        workflowId: id,
        status: "succeeded",
        executionType: "api",
        trigger: { prompt: tricky },
        overrides: [{ id: "say", runtimeInstruction: tricky }],
        result: [{ value: tricky }],
      });
    }
    expect(complaints).toEqual([]);
  });

  it("sends a call from the page with a pasted key, and follows the run to its end", async () => {
    await openPanel();
    await dialog().getByText("Headers").click();
    await dialog().getByLabel("Idempotency-Key").fill("order-1");
    await eventually(() => snippet("curl")).toContain(`-H 'Idempotency-Key: order-1'`);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog().getByLabel("API key").fill(flows.key);
    await dialog().getByRole("button", { name: "Send" }).click();
    await dialog().getByText("Answer: status 202").waitFor();
    await dialog().getByText("Succeeded").waitFor();
    expect(JSON.parse(await block("Result of the run"))).toEqual([{ value: tricky }]);
    await dialog().getByLabel("API key").fill("swy_wrong");
    const complained = complaints.length;
    await dialog().getByRole("button", { name: "Send" }).click();
    await dialog().getByText("Answer: status 401").waitFor();
    // The browser itself reports the refusal.
    expect(complaints.slice(0, complained)).toEqual([]);
    expect(
      await page.evaluate("JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])"),
    ).not.toContain(flows.key);
  });
});
