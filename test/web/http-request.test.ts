import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let workflowId: string;

beforeAll(async () => {
  flows = await startWorkflowApp();
  workflowId = await flows.save(
    [
      node("call", "http_request", { url: "https://example.com/" }, { settings: { disabled: true } }),
      node("pause", "wait", { milliseconds: 300_000 }, { settings: { disabled: true } }),
    ],
    [],
    "Requests",
  );
});
afterAll(() => flows?.stop());

async function open(id: string) {
  const one = await browser.open({ baseUrl: flows.app.platformUrl, person: flows.owner.browser });
  await one.page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}?node=${id}`);
  return { ...one, panel: one.page.getByRole("region", { name: /^Node / }) };
}

const savedParameters = async (id: string): Promise<unknown> => {
  const { body } = await flows.owner.browser.get(`${flows.path}/workflows/${workflowId}`);
  const draft = await flows.owner.browser.get(`${flows.path}/workflows/${workflowId}/draft`);
  const { nodes } = draft.status === 200 ? draft.body.canvas : body.canvas;
  return nodes.find((entry: { id: string }) => entry.id === id).parameters;
};

const command = `curl https://api.parcel.test/v2/labels -H 'Authorization: Bearer pk_live_9f' -d '{"order":1}' -H 'Content-Type: application/json'`;

describe("the HTTP request node", () => {
  it("fails on a status of 400 and above until that is turned off", async () => {
    const { panel, complaints } = await open("call");
    await panel.getByText(/More fields/).click();
    const toggle = panel.getByRole("switch", { name: "Fail on status 400 and above" });
    expect(await toggle.getAttribute("aria-checked")).toBe("true");
    await toggle.press("Space");
    await eventually(() => savedParameters("call")).toEqual({ url: "https://example.com/", errorStatus: "answer" });
    await toggle.click();
    await eventually(() => savedParameters("call")).toEqual({ url: "https://example.com/", errorStatus: "fail" });
    expect(complaints).toEqual([]);
  });

  it("takes a pasted curl command over, and tells what it leaves out", async () => {
    const { page, panel, complaints } = await open("call");
    const url = panel.getByRole("combobox", { name: /^URL/ });
    await url.focus();
    // As text, because these are things of a browser that this side of the repository has no types of.
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", ${JSON.stringify(command)});
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }`);
    const dialog = page.getByRole("dialog", { name: "Import a curl command" });
    await dialog.getByText("POST https://api.parcel.test/v2/labels").waitFor();
    await dialog.getByText(/Left out: the header Authorization/).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Fill in the form" }).click();
    await dialog.waitFor({ state: "detached" });
    await eventually(() => savedParameters("call")).toEqual({
      method: "POST",
      url: "https://api.parcel.test/v2/labels",
      body: { order: 1 },
      errorStatus: "fail",
    });
    expect(complaints).toEqual([]);
  });

  it("says what it cannot take over, by keyboard", async () => {
    const { page, panel } = await open("call");
    await panel.getByRole("button", { name: "Import curl" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Import a curl command" });
    await page.keyboard.type("curl -F file=@a.png https://example.com");
    await dialog.getByText(/-F sends a form in several parts/).waitFor();
    expect(await dialog.getByRole("button", { name: "Fill in the form" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("asks a new account only for what its kind of authentication needs", async () => {
    const { page, panel, complaints } = await open("call");
    await panel.getByRole("button", { name: "Create or connect" }).click();
    const dialog = page.getByRole("dialog");
    const labels = async () => (await dialog.locator("label").allInnerTexts()).join(" ");
    await dialog.getByLabel(/^Authentication/).selectOption("bearer");
    await eventually(labels).toContain("Secret");
    expect(await labels()).not.toContain("Username");
    await dialog.getByLabel(/^Authentication/).selectOption("basic");
    await eventually(labels).toContain("Username");
    await dialog.getByLabel(/^Authentication/).selectOption("none");
    await eventually(labels).not.toContain("Secret");
    expect(complaints).toEqual([]);
  });
});

describe("the wait node", () => {
  it("shows five minutes as that, and stores milliseconds", async () => {
    const { panel } = await open("pause");
    const count = panel.getByRole("textbox", { name: "How long" });
    expect(await count.inputValue()).toBe("5");
    const unit = panel.getByRole("combobox", { name: "Unit of How long" });
    expect(await unit.inputValue()).toBe("minutes");
    await unit.selectOption("hours");
    await count.fill("1.5");
    await eventually(() => savedParameters("pause")).toEqual({ milliseconds: 5_400_000 });
  });
});
