import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCanvasPage } from "../support/browser/canvas-page.ts";
import { launchBrowser } from "../support/browser/launch-browser.ts";
import { startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { signStandard } from "../support/triggers/sign-delivery.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let shop: Server;
let shopUrl: string;
let asked: string[];
let page: Page;
let complaints: string[];
let actions: string[];

beforeAll(async () => {
  shop = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(200, { "content-type": "application/json" }).end('{"id":"NW-20417","total":480}');
  }).listen(0, "127.0.0.1");
  await once(shop, "listening");
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  flows = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
});
afterAll(async () => {
  await flows?.stop();
  shop?.close();
});

const { box, button } = createCanvasPage({ page: () => page, flows: () => flows });
const panel = () => page.getByRole("region", { name: /^Node / });
const pane = (name: "Incoming data" | "Form" | "Output") => panel().getByRole("region", { name, exact: true });

/** One thing that a person does: a press, a text that is typed, a drag. */
async function act(words: string, does: () => Promise<unknown>): Promise<void> {
  actions.push(words);
  await does();
}

/** Opens the list of nodes, and takes the best fit for a word. */
async function add(word: string, opener = "Add node"): Promise<void> {
  await act("open the list of nodes", () => button(opener).click());
  await act(`type ${word} and Enter`, async () => {
    await page.getByRole("combobox", { name: "Search nodes" }).fill(word);
    await page.keyboard.press("Enter");
  });
  await panel().waitFor();
}

it("builds a workflow of five nodes on real data in at most 25 actions, and nothing of it is live before it is published", async () => {
  [actions, asked] = [[], []];
  const { status, body: empty } = await flows.owner.browser.post(`${flows.path}/workflows`, {
    name: "Look at an order",
    canvas: { nodes: [], edges: [] },
    publish: false,
  });
  expect(status).toBe(201);
  const wide = { width: 1440, height: 900 };
  const person = flows.owner.browser;
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, viewport: wide }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${empty.id}`);

  const question = page.getByRole("region", { name: "What starts it?" });
  await act("choose the webhook", () => question.getByRole("button", { name: "Webhook", exact: true }).click());
  await page.getByRole("dialog").waitFor();
  await act("create it", () => page.getByRole("dialog").getByRole("button", { name: "Create" }).click());
  const secret = await page.getByLabel("Signing secret").inputValue();
  const address = await page.getByLabel("Address", { exact: true }).inputValue();
  await act("close the secret", () => button("I have copied it").click());
  await act("open the test", () => page.getByRole("tab", { name: "Test event" }).click());
  await act("listen", () => button("Listen for a test event").click());
  await page.getByText("Listening for one event").waitFor();
  const sent = JSON.stringify({ orderId: "NW-20417", mail: "ann@example.com" });
  const delivered = await fetch(address, {
    method: "POST",
    headers: signStandard(secret, sent, { id: "first" }),
    body: sent,
  });
  expect(delivered.status).toBe(200);
  await act("pin what arrived", () => button("Pin as trigger data").click());
  await page.getByText(/^Pinned\. /).waitFor();
  await add("http");
  await act("type the address", () => pane("Form").getByRole("combobox", { name: /^URL/ }).fill(`${shopUrl}/orders/`));
  await act("press the field", () => pane("Incoming data").getByRole("button", { name: "orderId" }).click());
  await act("run it", () => panel().getByRole("button", { name: "Run step" }).click());
  await pane("Output").getByText("480").first().waitFor();
  expect(asked).toEqual(["/orders/NW-20417"]);
  await act("pin the answer", () => button("Pin this output").click());
  await button("Unpin").waitFor();

  await add("if");
  const total = pane("Incoming data").getByRole("button", { name: "total" });
  await act("drag the field", () => total.dragTo(pane("Form").getByRole("combobox", { name: "Field of row 1" })));
  await act("choose the operator", () =>
    pane("Form").getByRole("combobox", { name: "Operator of row 1" }).selectOption("is more than"),
  );
  await act("type the value", () => pane("Form").getByRole("combobox", { name: "Value of row 1" }).fill("100"));
  await pane("Form").getByText("480 is more than 100").waitFor();

  await add("transform", "Add a node after Condition · true");
  await act("write what to give", () =>
    pane("Form")
      .getByRole("combobox", { name: "Expression" })
      .fill('{ "say": $trigger.payload.mail & " paid " & $input.body.total }'),
  );
  await add("stop", "Add a node after Condition · false");
  await act("say why it stops", () =>
    pane("Form")
      .getByRole("combobox", { name: /^Message/ })
      .fill("Too little"),
  );
  await act("run what was built", () => button("Run").click());
  await act("begin", () => page.getByRole("dialog").getByRole("button", { name: "Run" }).click());
  await box(/^Transform, .*Succeeded/).waitFor();

  process.stdout.write(`${actions.length} actions: ${actions.join(", ")}\n`);
  expect(actions.length).toBeLessThanOrEqual(25);
  // The answer was pinned, so that the shop was asked once, and what is edited started no run of its own.
  expect(asked).toEqual(["/orders/NW-20417"]);
  const runId = new URL(page.url()).searchParams.get("run");
  const { body: run } = await flows.owner.browser.get(`${flows.path}/runs/${runId}`);
  expect(run).toMatchObject({ status: "succeeded", executionType: "editor" });
  const given = run.nodes.find(({ outputs }: { outputs: object[] | null }) => JSON.stringify(outputs).includes("paid"));
  expect(given.outputs).toEqual([{ say: "ann@example.com paid 480" }]);
  const again = () =>
    fetch(address, { method: "POST", headers: signStandard(secret, sent, { id: crypto.randomUUID() }), body: sent });
  expect((await again()).status).toBe(409);

  await button("Publish").click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByText("Published v1").waitFor();
  expect((await again()).status).toBe(202);
  expect(complaints).toEqual([]);
}, 180_000);
