import type { ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CanvasNode } from "../../src/workflows/wire.ts";
import { createCanvasPage, until } from "../support/browser/canvas-page.ts";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { issue, useGithub } from "../support/runs/github-nodes.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const browser = launchBrowser();
let flows: WorkflowApp;
let github: CountingProvider;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  github = await startCountingProvider();
  flows = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  await useGithub(flows, github.url);
  await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
});
afterAll(async () => {
  await flows?.stop();
  await github?.stop();
});

async function open(workflowId: string, { email = flows.owner.email, width = 1280 } = {}): Promise<void> {
  const { browser: person } = await signIn(flows.app, email);
  const baseUrl = flows.app.platformUrl;
  const viewport = { width, height: 800 };
  ({ page, complaints } = await browser.open({ baseUrl, person, viewport, isExpected, reducedMotion: "reduce" }));
  await page.goto(`/o/${flows.owner.organizationId}/workflows/${workflowId}`);
  await canvas().waitFor();
  await isStill();
}

// The browser itself reports the status of a run that is refused.
const isExpected = (message: ConsoleMessage) =>
  /40[09] \((Bad Request|Conflict)\)|net::ERR_FAILED/.test(message.text());

const { canvas, box, button, isStill } = createCanvasPage({ page: () => page, flows: () => flows });
const panel = () => page.getByRole("region", { name: /^Node / });
const output = () => panel().getByRole("region", { name: "Output" });
const kindsOfRuns = async (id: string) =>
  (await flows.owner.browser.get(`${flows.path}/runs?workflowId=${id}`)).body.data.map(
    ({ executionType }: { executionType: string }) => executionType,
  );

async function draft(nodes: CanvasNode[], lines: string[]): Promise<string> {
  const canvas = { nodes, edges: edges(...lines) };
  return (await flows.owner.browser.post(`${flows.path}/workflows`, { name: "Draft", canvas, publish: false })).body.id;
}

const say = (id: string, name: string, text: string) => node(id, "set_fields", { fields: { text } }, { name });
const nodes = () => [
  say("first", "First", "one"),
  issue("write", "Opened", { name: "Open an issue" }),
  say("last", "Last", "{{ $nodes.write.first.title }}!"),
  node("unfinished", "github_create_issue", {}, { name: "Unfinished" }),
];
const lines = ["first>write", "write>last", "last>unfinished"];

it("runs one step by mouse, shows what came out, and asks before it repeats a write", async () => {
  const id = await draft(nodes(), lines);
  await open(id);
  await box(/^Open an issue/).hover();
  await button("Run step Open an issue").click();
  await box(/^Open an issue, .*Succeeded/).waitFor();
  await box(/^First, .*Succeeded/).waitFor();
  expect(await box(/^Last, .*Succeeded/).count()).toBe(0);

  await box(/^Open an issue/).click();
  await output().getByText("Opened").first().waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await panel().getByRole("button", { name: "Run step" }).click();
  const question = page.getByRole("dialog", { name: "Run Open an issue again?" });
  await question.waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await question.getByRole("button", { name: "Cancel" }).click();
  expect(github.requests.length).toBe(1);
  await panel().getByRole("button", { name: "Run step" }).click();
  await question.getByRole("button", { name: "Run again" }).click();
  await until(2, async () => github.requests.length);
  await question.waitFor({ state: "detached" });
  expect([await kindsOfRuns(id), complaints]).toEqual([["step", "step"], []]);
});

it("pins what came out, changes it and takes it away again, all by keyboard", async () => {
  github.forget();
  const id = await draft(nodes(), lines);
  await open(id, { width: 1680 });
  await box(/^First/).click();
  await canvas().focus();
  await page.keyboard.press("Control+Enter");
  await box(/^First, .*Succeeded/).waitFor();
  await page.keyboard.press("Enter");
  await panel().waitFor();
  await button("Pin this output").press("Enter");
  await output()
    .getByText(/^Runs in the editor take this/)
    .waitFor();
  await box(/^First/)
    .getByText("Pinned")
    .waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);

  await button("Edit as JSON").press("Enter");
  await page.getByRole("dialog").getByLabel("Data (JSON)").fill('[{ "text": "pinned" }]');
  await page.getByRole("dialog").getByRole("button", { name: "Pin" }).press("Enter");
  await output().getByRole("cell", { name: "pinned" }).waitFor();
  await page.route("**/draft/pins/first", (route) => route.abort(), { times: 1 });
  await button("Unpin").press("Enter");
  await output().getByRole("alert").waitFor();
  await button("Unpin").press("Enter");
  await button("Pin this output").waitFor();
  expect(
    await box(/^First/)
      .getByText("Pinned")
      .count(),
  ).toBe(0);
  expect(complaints).toEqual([]);
});

it("goes on with pinned data, and says so", async () => {
  github.forget();
  const id = await draft(nodes(), lines);
  await flows.owner.browser.send("PUT", `${flows.path}/workflows/${id}/draft/pins/write`, {
    outputs: { out: [{ title: "Pinned title" }] },
  });
  await open(id, { width: 1680 });
  await box(/^Open an issue/)
    .getByText("Pinned")
    .waitFor();
  await box(/^Last/).click();
  await panel().getByLabel("Name of the node").press("Control+Enter");
  await box(/^Last, .*Succeeded/).waitFor();
  await output().getByText("Pinned title!").first().waitFor();
  expect(github.requests).toEqual([]);
  await box(/^Open an issue/).click();
  await output()
    .getByText(/^Runs in the editor take this/)
    .waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await sidewaysScrolling(page)).toBe(0);
  expect(await findAccessibilityFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it("runs to a node and from it, out of the menu of the panel", async () => {
  const id = await draft([say("a", "A", "a"), say("b", "B", "b"), say("c", "C", "c")], ["a>b", "b>c"]);
  await open(id);
  await box(/^B,/).click();
  await button("More ways to run").click();
  await page.getByRole("menuitem", { name: "Run to here" }).click();
  await box(/^B, .*Succeeded/).waitFor();
  expect(await box(/^C, .*Succeeded/).count()).toBe(0);
  await canvas().focus();
  const before = page.url();
  await page.keyboard.press("Shift+Enter");
  await page.waitForURL((address) => address.href !== before);
  await button("More ways to run").click();
  await page.getByRole("menuitem", { name: "Run from here" }).click();
  await box(/^C, .*Succeeded/).waitFor();
  await page.getByRole("link", { name: "Open the run" }).click();
  await page.getByText("Step in the editor: Ann").waitFor();
  await page.getByText("Draft", { exact: true }).first().waitFor();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it("says in the panel of the node why a step cannot be begun, also where that was closed", async () => {
  await open(await draft(nodes(), lines));
  await box(/^Unfinished/).hover();
  await button("Run step Unfinished").click();
  await page
    .getByRole("region", { name: "Node Unfinished" })
    .getByText(/is required/)
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
});

it("offers nothing of it to those who only read", async () => {
  const id = await draft([say("a", "A", "a")], []);
  await open(id, { email: "vera@example.com" });
  await box(/^A,/).click();
  await panel().waitFor();
  for (const name of ["Run step", "Run step A", "More ways to run"]) expect(await button(name).count()).toBe(0);
  for (const name of ["Pin this output", "Write sample data"]) expect(await button(name).count()).toBe(0);
  expect(complaints).toEqual([]);
});
