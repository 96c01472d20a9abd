import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCanvasPage } from "../support/browser/canvas-page.ts";
import { launchBrowser } from "../support/browser/launch-browser.ts";
import { signIn } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  flows = await startWorkflowApp();
});
afterAll(() => flows?.stop());

const { canvas, box } = createCanvasPage({ page: () => page, flows: () => flows });
const panel = () => page.getByRole("region", { name: /^Node / });

it("shows the data of a warm step soon after the click", async () => {
  const id = await flows.save([node("a", "set_fields", { fields: { text: "warm" } }, { name: "A" })]);
  const { browser: person } = await signIn(flows.app, flows.owner.email);
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, reducedMotion: "reduce" }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${id}`);
  await canvas().waitFor();
  await box(/^A,/).click();
  const times: number[] = [];
  for (let round = 0; round < 16; round += 1) {
    const before = page.url();
    const beganMs = performance.now();
    await panel().getByRole("button", { name: "Run step" }).click();
    await page.waitForURL((address) => address.href !== before && address.searchParams.has("run"));
    await panel().getByRole("region", { name: "Output" }).getByText("warm").first().waitFor();
    times.push(performance.now() - beganMs);
  }
  expect(Math.min(...times), `took ${times.map(Math.round).join(", ")} ms`).toBeLessThan(300);
  expect(complaints).toEqual([]);
});
