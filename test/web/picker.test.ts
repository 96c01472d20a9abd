import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let workflowId: string;
let otherId: string;
let slack: { reference: string };

beforeAll(async () => {
  flows = await startWorkflowApp();
  slack = await flows.app.parts.vault.credentials.create(flows.owner.organizationId, {
    type: "slack",
    name: "Our Slack",
    data: { kind: "bearer", accessToken: "xoxb-1" },
    createdBy: null,
  });
  otherId = await flows.save([node("begin", "start", {})], [], "Ask for missing details");
  workflowId = await flows.save(
    [node("begin", "start", {}), node("decide", "condition", { condition: "$input.a = 1" })],
    edges("begin>decide"),
    "Orders",
  );
});
afterAll(() => flows?.stop());

async function open() {
  const one = await browser.open({ baseUrl: flows.app.platformUrl, person: flows.owner.browser });
  await one.page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}`);
  const canvas = one.page.getByRole("application", { name: "Canvas" });
  await canvas.getByRole("group", { name: /Condition/ }).waitFor();
  return {
    ...one,
    canvas,
    picker: one.page.getByRole("region", { name: "Add a node" }),
    search: one.page.getByRole("combobox", { name: "Search nodes" }),
  };
}

const savedNodes = async (): Promise<
  { nodeId: string; name?: string; parameters?: unknown; credentials?: unknown }[]
> => {
  const { body } = await flows.owner.browser.get(`${flows.path}/workflows/${workflowId}`);
  const draft = await flows.owner.browser.get(`${flows.path}/workflows/${workflowId}/draft`);
  return (draft.status === 200 ? draft.body.canvas : body.canvas).nodes;
};

describe("the list of nodes", () => {
  it("opens with a slash, finds by another word, and adds with Enter", async () => {
    const { page, canvas, picker, search, complaints } = await open();
    await canvas.focus();
    await page.keyboard.press("/");
    await page.locator(":focus").and(search).waitFor();
    await page.keyboard.type("foreach");
    await picker.getByText("Also: foreach").waitFor();
    await picker
      .getByRole("group", { name: "Best fits" })
      .getByRole("option", { name: /Loop over items/ })
      .waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await picker.waitFor({ state: "detached" });
    await eventually(async () => (await savedNodes()).map(({ nodeId }) => nodeId)).toContain("loop");
    await page.keyboard.press("/");
    await picker
      .getByRole("group", { name: "Recently used" })
      .getByRole("option", { name: /Loop over items/ })
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("is in sections, says where the node goes, and tells in sight of the field that nothing fits", async () => {
    const { page, canvas, picker, search } = await open();
    await canvas.getByRole("button", { name: "Add a node after Condition · false" }).click();
    await picker.getByRole("heading", { name: "Add after “Condition” · false" }).waitFor();
    await picker.getByRole("button", { name: "Data" }).click();
    await picker.getByRole("option", { name: /^Aggregate/ }).waitFor();
    expect(await picker.getByRole("option", { name: /^AI answer/ }).count()).toBe(0);
    await search.fill("zzz");
    const note = picker.getByText(/No node is called “zzz”/);
    const [field, told] = [await search.boundingBox(), await note.boundingBox()];
    expect((told?.y ?? 0) - (field?.y ?? 0)).toBeLessThan(120);
    await picker.getByRole("option", { name: /HTTP request/ }).waitFor();
    await page.keyboard.press("Escape");
    await picker.waitFor({ state: "detached" });
  });

  it("takes the only account there is, and calls a workflow of one's own", async () => {
    const { page, canvas, picker, search } = await open();
    await canvas.getByRole("button", { name: "Add a node after Condition · false" }).click();
    await search.fill("missing details");
    await picker.getByRole("option", { name: /Ask for missing details/ }).click();
    await eventually(async () => (await savedNodes()).find(({ nodeId }) => nodeId === "call_workflow")).toMatchObject({
      name: "Ask for missing details",
      parameters: { workflowId: otherId },
    });
    await canvas.focus();
    await page.keyboard.press("/");
    await search.fill("github create issue");
    await picker.getByText("Needs an account").first().waitFor();
    await search.fill("slack send");
    await picker.getByRole("option", { name: /Slack: Send message/ }).click();
    await canvas.getByRole("group", { name: /Send message/ }).click();
    const account = page.getByRole("combobox", { name: "Slack credential" });
    await eventually(() => account.inputValue()).toBe(slack.reference);
  });
});
