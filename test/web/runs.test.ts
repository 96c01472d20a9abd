import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { type OpenPage, type PageOptions, sidewaysScrolling } from "../support/browser/open-page.ts";
import { signUpMember } from "../support/people.ts";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const image = '<img src="x" onerror="alert(1)">';
const browser = launchBrowser();
let flows: WorkflowApp;
let github: CountingProvider;
let vera: Awaited<ReturnType<typeof signUpMember>>;

beforeAll(async () => {
  github = await startCountingProvider();
  flows = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  const { organizationId } = flows.owner;
  const data = { kind: "bearer", accessToken: "token", baseUrl: github.url };
  const { id } = await flows.app.parts.vault.credentials.create(organizationId, {
    type: "github",
    name: "GitHub",
    data,
    createdBy: null,
  });
  await flows.app.parts.vault.defaults.set({ organizationId, apiKeyId: null, type: "github" }, id);
  vera = await signUpMember(flows.app, organizationId, "Vera", "viewer");
});
afterAll(async () => {
  await flows?.stop();
  await github?.stop();
});
beforeEach(() => github.forget());

async function open(path: string, { person = flows.owner.browser, ...options }: Partial<PageOptions> = {}) {
  const one = await browser.open({ baseUrl: flows.app.platformUrl, person, ...options });
  await one.page.goto(`/o/${flows.owner.organizationId}${path}`);
  return one;
}

const issue = (id: string, title: string) => node(id, "github_create_issue", { owner: "acme", repo: "site", title });
const header = ({ page }: OpenPage) => page.getByRole("banner").or(page.locator("header"));
const becomes = (one: OpenPage, words: string) => header(one).getByText(words, { exact: true }).waitFor();

/** A list of titles, and an issue for each of them. */
const eachOf = (list: string) => [node("list", "loop", { list }), issue("each", "{{ $input.value }}")];

async function failedRun(name = "Release"): Promise<string> {
  const nodes = [node("first", "set_fields", { fields: { a: 1 } }), issue("second", "{{ $trigger.prompt }}")];
  const workflowId = await flows.save(nodes, edges("first>second"), name);
  return (await flows.run(workflowId, { runtimePrompt: "fail" })).id;
}

describe("a run", () => {
  it("appears in the history at once and is followed on its page to the end, node by node", async () => {
    const release = github.hold();
    const workflowId = await flows.save(
      [node("first", "set_fields", { fields: { a: 1 } }), issue("second", "Hello")],
      edges("first>second"),
      "Live",
    );
    const list = await open("/history");
    await list.page.getByRole("heading", { name: "No workflow has run yet" }).waitFor();
    const { body } = await flows.trigger(workflowId);
    await list.page.getByRole("link", { name: "Live" }).click();
    await list.page.getByRole("heading", { name: "Live" }).waitFor();
    await becomes(list, "Running");
    await list.page.getByRole("button", { name: "Timeline" }).click();
    await list.page.getByRole("row", { name: /Set fields.*Succeeded/ }).waitFor();
    await list.page.getByRole("row", { name: /Create issue.*Running/i }).waitFor();
    release();
    await becomes(list, "Succeeded");
    await list.page.getByRole("row", { name: /Create issue.*Succeeded/i }).waitFor();
    expect(new URL(list.page.url()).pathname.endsWith(body.id)).toBe(true);
    await list.page.getByRole("button", { name: /Create issue/i }).click();
    const panel = list.page.getByRole("region", { name: /Node .*issue/i });
    await panel.getByRole("region", { name: "Output" }).getByText("Hello").first().waitFor();
    await list.page.reload();
    await panel.getByRole("region", { name: "Parameters, as sent" }).waitFor();
    expect(list.complaints).toEqual([]);
  });

  it("tells how many of its items a node is done with", async () => {
    const run = await flows.run(await flows.save(eachOf("['1', 'fail', '3']"), edges("list>each"), "Items"));
    const one = await open(`/runs/${run.id}`);
    await one.page.getByRole("group", { name: /1 of 3 items/ }).waitFor();
    await one.page.getByRole("button", { name: "Timeline" }).click();
    await one.page.getByText("1 of 3 items").waitFor();
    await one.close();
  });

  it("shows the trace of what started it, to copy, also on a narrow screen", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const workflowId = await flows.save([node("first", "set_fields", { fields: { a: 1 } })], [], "Traced");
    const { body } = await flows.trigger(
      workflowId,
      {},
      { prefer: "wait=30", traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    );
    const one = await open(`/runs/${body.id}`, { viewport: { width: 390, height: 844 } });
    await header(one).getByRole("button", { name: "Copy the trace id" }).click();
    await header(one).getByText("Copied").waitFor({ state: "attached" });
    expect(await one.page.evaluate("String(getSelection())")).toBe(traceId);
    expect(await sidewaysScrolling(one.page)).toBe(0);
    expect(one.complaints).toEqual([]);
  });

  it("that ended while the connection was away shows its end afterwards", async () => {
    const release = github.hold();
    const { body } = await flows.trigger(await flows.save([issue("only", "Away")], [], "Away"));
    const one = await open(`/runs/${body.id}`);
    await becomes(one, "Running");
    await one.page.locator(".react-flow__node").waitFor();
    await one.page.context().setOffline(true);
    release();
    await flows.ended(body.id);
    await one.page.context().setOffline(false);
    await becomes(one, "Succeeded");
  });

  it("that waits is cancelled after a question", async () => {
    const { body } = await flows.trigger(
      await flows.save([node("rest", "wait", { milliseconds: 600_000 })], [], "Patient"),
    );
    const one = await open(`/runs/${body.id}`);
    await becomes(one, "Waiting");
    await one.page.getByRole("button", { name: "Cancel the run" }).click();
    await one.page.getByRole("dialog").getByRole("button", { name: "Cancel the run" }).click();
    await becomes(one, "Cancelled");
    expect((await flows.readRun(body.id)).body.status).toBe("cancelled");
    expect(await one.page.getByRole("button", { name: "Cancel the run" }).count()).toBe(0);
    expect(one.complaints).toEqual([]);
  });

  it("that failed opens with the failed node, what came in and what was sent, and is run again from there, as a whole, and with other input", async () => {
    const id = await failedRun();
    const one = await open(`/runs/${id}`);
    const { page } = one;
    const panel = page.getByRole("region", { name: /Node .*issue/i });
    await panel.getByRole("alert").getByText("Nobody can open fail").waitFor();
    await panel.getByRole("region", { name: "Came in" }).getByText("1 item from Set fields").first().waitFor();
    await panel.getByRole("region", { name: "Parameters, as sent" }).getByText("acme").first().waitFor();
    await page.locator(".react-flow__node.selected").getByRole("group", { name: /issue/i }).waitFor();
    await panel.getByRole("button", { name: "Close the node" }).click();
    await panel.waitFor({ state: "detached" });
    await page.getByRole("alert").getByText("Nobody can open fail").waitFor();
    await page.getByRole("button", { name: "Go to the node" }).click();
    await panel.getByText("Nobody can open fail").waitFor();

    await page.getByRole("button", { name: "Run again from the failed node" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await becomes(one, "Failed");
    await page.getByRole("link", { name: "Repeats an earlier run" }).waitFor();
    const second = page.url();
    await page.getByRole("button", { name: "Run all again" }).click();
    await page.waitForURL((url) => url.href !== second);
    await becomes(one, "Failed");
    const third = page.url();
    await page.getByRole("button", { name: "Edit and run again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Prompt").fill("Works");
    await dialog.getByLabel("Payload (JSON)").fill("{,}");
    await dialog.getByText("This is not JSON").waitFor();
    expect(await dialog.getByRole("button", { name: "Run" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Payload (JSON)").fill('{"a": 1}');
    await dialog.getByRole("button", { name: "Run" }).click();
    await page.waitForURL((url) => url.href !== third);
    await becomes(one, "Succeeded");
    expect(github.requests.map(({ title }) => title)).toEqual(["fail", "fail", "fail", "Works"]);
    expect(one.complaints).toEqual([]);
  });

  it("is run again from a chosen node, on the version it had or the current one, and says why it cannot be", async () => {
    const nodes = (title: string) => [issue("first", "First"), { ...issue("second", title), name: "Second" }];
    const workflowId = await flows.save(nodes("Old"), edges("first>second"), "Chosen");
    const { id } = await flows.run(workflowId, {});
    const added = [...nodes("New"), { ...issue("between", "Between"), name: "Between" }];
    const canvas = { nodes: added, edges: edges("first>second") };
    await flows.owner.browser.patch(`${flows.path}/workflows/${workflowId}`, { canvas, expectedVersion: 1 });
    github.forget();
    const one = await open(`/runs/${id}?node=second`);
    const { page } = one;
    await page.getByRole("button", { name: "Run again from this node" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Version").selectOption({ label: "The published version" });
    expect(await dialog.getByLabel("Begin at").locator("option:checked").innerText()).toBe("Second");
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Run" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await becomes(one, "Succeeded");
    await header(one).getByText("Version 2").waitFor();
    expect(github.requests.map(({ title }) => title).sort()).toEqual(["Between", "New"]);
    expect(one.complaints).toEqual([]);

    await flows.owner.browser.patch(`${flows.path}/workflows/${workflowId}`, {
      canvas: { nodes: [issue("first", "First")], edges: [] },
      expectedVersion: 2,
    });
    await page.getByRole("button", { name: "Edit and run again" }).click();
    await dialog.getByLabel("Version").selectOption({ label: "The published version" });
    await dialog.getByLabel("Begin at").selectOption({ label: "Second" });
    await dialog.getByRole("button", { name: "Run" }).click();
    await dialog.getByText("nodeId is no node of this version of the workflow.").waitFor();
  });

  it("with more nodes than fit on the screen shows the one that is chosen", async () => {
    const ids = Array.from({ length: 14 }, (_, index) => `n${index}`);
    const lines = edges(...ids.slice(1).map((id, index) => `n${index}>${id}`));
    const { id } = await flows.run(
      await flows.save(
        ids.map((each) => node(each, "set_fields", { fields: { a: 1 } })),
        lines,
        "Long",
      ),
    );
    const { page } = await open(`/runs/${id}?node=n13`);
    const isInside = async () => {
      const [node, canvas] = await Promise.all([
        page.locator('[data-id="n13"]').boundingBox(),
        page.locator(".react-flow").boundingBox(),
      ]);
      return node !== null && canvas !== null && node.x >= canvas.x && node.x + node.width <= canvas.x + canvas.width;
    };
    await eventually(isInside).toBe(true);
  });

  it("shows what came out as a table, as JSON and as a schema, and the exact time on hover", async () => {
    const made = node("make", "transform", { expression: '[{ "title": "A bug", "count": 3 }]', over: "list" });
    const { id } = await flows.run(await flows.save([made], [], "Shapes"));
    const { page, complaints } = await open(`/runs/${id}?node=make`);
    const output = page.getByRole("region", { name: "Output" });
    await output.getByRole("columnheader", { name: "count" }).waitFor();
    await output.getByRole("cell", { name: "A bug" }).waitFor();
    await output.getByRole("tab", { name: "JSON" }).click();
    await output.getByText('"A bug"').waitFor();
    await output.getByRole("tab", { name: "Schema" }).click();
    await output.getByText("number").first().waitFor();
    expect(await page.locator("time").first().getAttribute("title")).toMatch(/\d:\d\d:\d\d/);
    expect(complaints).toEqual([]);
  });

  it("that called another one leads there and back", async () => {
    const below = await flows.save([node("say", "set_fields", { fields: { a: 1 } })], [], "Below");
    const { id } = await flows.run(
      await flows.save([node("call", "call_workflow", { workflowId: below })], [], "Above"),
    );
    const { page, complaints } = await open(`/runs/${id}`);
    await page.getByRole("region", { name: "Runs it called" }).getByRole("link", { name: "Below" }).click();
    await page.getByRole("heading", { level: 1, name: "Below" }).waitFor();
    await page.getByRole("link", { name: "Called by another run" }).click();
    await page.getByRole("heading", { level: 1, name: "Above" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("of a deleted workflow still lists what its nodes did, and offers no repetition", async () => {
    const id = await failedRun("Gone");
    const { body } = await flows.owner.browser.get(`${flows.path}/runs/${id}`);
    await flows.owner.browser.delete(`${flows.path}/workflows/${body.workflowId}`);
    const one = await open(`/runs/${id}`);
    await one.page.getByText("The workflow was deleted").waitFor();
    await one.page.getByRole("row", { name: /github_create_issue|Create issue/i }).waitFor();
    expect(await one.page.getByRole("button", { name: /again/ }).count()).toBe(0);
    expect(one.complaints).toEqual([]);
  });

  it("names the key that started it, also after that was deleted, in the list and on its page", async () => {
    const { body: key } = await flows.owner.browser.post(`${flows.path}/api-keys`, {
      name: "nightly",
      scopes: ["workflows:trigger"],
    });
    const workflowId = await flows.save([node("say", "set_fields", { fields: { a: 1 } })], [], "Keyed");
    const { body } = await flows.trigger(workflowId, undefined, { "x-api-key": key.key, prefer: "wait=30" });
    await flows.owner.browser.delete(`${flows.path}/api-keys/${key.id}`);
    const { page, complaints } = await open("/history");
    await page.getByRole("row", { name: /Keyed.*Key nightly \(deleted\)/ }).waitFor();
    await page.goto(`/o/${flows.owner.organizationId}/runs/${body.id}`);
    await page.getByText("API: Key nightly (deleted)").waitFor();
    expect(complaints).toEqual([]);
  });

  it("says why it is not run again while its workflow is turned off", async () => {
    const id = await failedRun("Resting");
    const { body } = await flows.owner.browser.get(`${flows.path}/runs/${id}`);
    await flows.owner.browser.patch(`${flows.path}/workflows/${body.workflowId}`, { isActive: false });
    const { page } = await open(`/runs/${id}`);
    await page.getByRole("button", { name: "Run all again" }).click();
    await page.getByRole("alert").getByText("This workflow is turned off.").waitFor();
  });

  it("with HTML in its names, its data and its error shows that as text", async () => {
    const nodes = [
      node("say", "set_fields", { fields: { text: image } }, { name: image }),
      node("fail", "github_create_issue", { owner: "acme", repo: "site", title: `fail ${image}` }),
    ];
    const { id } = await flows.run(await flows.save(nodes, edges("say>fail"), image), { runtimePrompt: image });
    const one = await open(`/runs/${id}?node=say`);
    await one.page.getByRole("heading", { level: 1, name: image, exact: true }).waitFor();
    await one.page.getByRole("alert").getByText(`Nobody can open fail ${image}`).waitFor();
    await one.page.getByRole("region", { name: "Output" }).getByText(image).first().waitFor();
    await one.page.getByRole("button", { name: "Timeline" }).click();
    await one.page.getByRole("rowheader", { name: image }).waitFor();
    expect(await one.page.locator("img[onerror]").count()).toBe(0);
    expect(one.complaints).toEqual([]);
  });

  it("gives a viewer nothing to act with, and the API refuses too", async () => {
    const id = await failedRun();
    const one = await open(`/runs/${id}`, { person: vera.browser });
    await one.page.getByRole("region", { name: /Node .*issue/i }).waitFor();
    expect(await one.page.getByRole("button", { name: /again|Cancel/ }).count()).toBe(0);
    for (const action of ["rerun", "cancel"])
      expect((await vera.browser.post(`${flows.path}/runs/${id}/${action}`, {})).status).toBe(403);
  });
});

describe("the page of a run", () => {
  it.each(["light", "dark"] as const)(
    "has no serious accessibility fault in %s colours and fits a telephone",
    async (colorScheme) => {
      const id = await failedRun();
      const one = await open(`/runs/${id}?node=first`, { colorScheme });
      await one.page.getByRole("region", { name: "Parameters, as sent" }).waitFor();
      await one.page.locator(".react-flow__node").first().waitFor();
      expect(await findAccessibilityFaults(one.page)).toEqual([]);
      await one.page.getByRole("button", { name: "Timeline" }).click();
      await one.page.getByRole("rowheader", { name: "Waiting for a slot" }).waitFor();
      expect(await findAccessibilityFaults(one.page)).toEqual([]);
      const narrow = await open(`/runs/${id}`, { colorScheme, viewport: { width: 390, height: 844 } });
      await narrow.page.getByRole("row", { name: /Set fields.*Succeeded/ }).waitFor();
      expect(await sidewaysScrolling(narrow.page)).toBe(0);
      await narrow.page.getByRole("button", { name: "Go to the node" }).click();
      const topOfPanel = async () => (await narrow.page.getByRole("region", { name: /^Node / }).boundingBox())?.y;
      await eventually(topOfPanel).toBeLessThan(800);
      await narrow.page.getByRole("button", { name: "Canvas" }).click();
      await narrow.page.locator(".react-flow__node").first().waitFor();
      expect(await sidewaysScrolling(narrow.page)).toBe(0);
    },
  );
});
