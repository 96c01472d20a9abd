import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let workflowId: string;

beforeAll(async () => {
  flows = await startWorkflowApp();
  const made = '[{ "total": 480, "status": "delivered", "photos": ["a", "b"] }]';
  workflowId = await flows.save(
    [
      node("make", "transform", { expression: made, over: "list" }, { name: "Make items" }),
      node("decide", "condition", { condition: "$input.total > 100" }),
      node("hard", "condition", { condition: "$count($input.photos) > 1" }),
      node("sift", "filter", { condition: { rows: [{ field: "$input.total", operator: "exists" }] } }),
    ],
    edges("make>decide", "make>hard", "make>sift"),
    "Orders",
  );
  await flows.run(workflowId, {});
});
afterAll(() => flows?.stop());

async function open(id: string) {
  const one = await browser.open({ baseUrl: flows.app.platformUrl, person: flows.owner.browser });
  await one.page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}?node=${id}`);
  return { ...one, panel: one.page.getByRole("region", { name: /^Node / }) };
}

const savedCondition = async (id: string): Promise<unknown> => {
  const { body } = await flows.owner.browser.get(`${flows.path}/workflows/${workflowId}`);
  const draft = await flows.owner.browser.get(`${flows.path}/workflows/${workflowId}/draft`);
  const { nodes } = draft.status === 200 ? draft.body.canvas : body.canvas;
  return nodes.find((entry: { id: string }) => entry.id === id).parameters.condition;
};

describe("a condition", () => {
  it("that is an expression becomes rows, is changed with the mouse, says what it gives, and goes back", async () => {
    const { page, panel, complaints } = await open("decide");
    await panel.getByRole("button", { name: "Rows" }).click();
    await panel.getByText("480 is more than 100").waitFor();
    await panel.getByRole("combobox", { name: "Operator of row 1" }).selectOption("is less than");
    await panel.getByText("480 is less than 100").waitFor();
    await panel.getByRole("button", { name: "Add a group" }).click();
    await panel.getByRole("combobox", { name: "Field of row of group 1 1" }).fill("$input.status");
    await panel.getByRole("combobox", { name: "Operator of row of group 1 1" }).selectOption("is one of");
    await panel.getByRole("combobox", { name: "Value of row of group 1 1" }).pressSequentially("delivered, returned");
    await panel.getByText("“delivered” is one of “delivered”, “returned”").waitFor();
    await eventually(() => savedCondition("decide")).toEqual({
      match: "all",
      rows: [{ field: "$input.total", operator: "is_less_than", value: 100 }],
      groups: [
        { match: "any", rows: [{ field: "$input.status", operator: "is_one_of", value: ["delivered", "returned"] }] },
      ],
    });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    const addGroup = panel.getByRole("button", { name: "Add a group" });
    await addGroup.click();
    await panel.getByRole("button", { name: "Remove group 2" }).click();
    await page.locator(":focus").and(addGroup).waitFor();
    await panel.getByRole("button", { name: "Expression", exact: true }).click();
    await eventually(() => panel.getByRole("combobox", { name: "Condition" }).inputValue()).toBe(
      '($type($input.total) = "number" and $input.total < 100) and $input.status in ["delivered","returned"]',
    );
    expect(complaints).toEqual([]);
  });

  it("that rows cannot show says which part", async () => {
    const { panel } = await open("hard");
    await panel.getByText("Rows cannot show $count($input.photos) > 1").waitFor();
    expect(await panel.getByRole("button", { name: "Rows" }).isDisabled()).toBe(true);
  });

  it("is written with the keyboard alone", async () => {
    const { page, panel, complaints } = await open("sift");
    await panel.getByRole("button", { name: "Add a row" }).focus();
    await page.keyboard.press("Enter");
    await page
      .locator(":focus")
      .and(panel.getByRole("combobox", { name: "Field of row 2" }))
      .waitFor();
    await page.keyboard.type("$input.pho");
    await panel
      .getByRole("option", { name: /\$input\.photos/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await panel.getByRole("listbox").waitFor({ state: "detached" });
    await page.keyboard.press("Tab");
    await page.keyboard.type("has the");
    await page.keyboard.press("Tab");
    await page.keyboard.type("b");
    await panel.getByText("“a”, “b” has the entry “b”").waitFor();
    await eventually(() => savedCondition("sift")).toEqual({
      match: "all",
      rows: [
        { field: "$input.total", operator: "exists" },
        { field: "$input.photos", operator: "has", value: "b" },
      ],
    });
    expect(complaints).toEqual([]);
  });
});
