import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContextOptions, ConsoleMessage, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { sidewaysScrolling } from "../support/browser/open-page.ts";
import { signIn, signUpMember } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const html = `<img src=x onerror="document.title='owned'">`;
const browser = launchBrowser();
let flows: WorkflowApp;
let feed: Awaited<ReturnType<typeof startFeed>>;
let workflowId: string;
let workflowName: string;
let count = 0;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  feed = await startFeed();
  flows = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  await signUpMember(flows.app, flows.owner.organizationId, "Vera", "viewer");
});
afterAll(async () => {
  await flows?.stop();
  await feed?.stop();
});
beforeEach(async () => {
  await flows.app.database.query("DELETE FROM trigger");
  await flows.app.database.query("DELETE FROM credential");
  feed.show("First", html);
  workflowName = `Read the news ${++count}`;
  workflowId = await flows.save([node("say", "transform", { expression: "$trigger.payload.title" })], [], workflowName);
  await openAs(flows.owner.email);
});

/** A feed on loopback whose newest entry is the last that was shown. */
async function startFeed() {
  let titles: string[] = [];
  let status = 200;
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "application/feed+json" });
    const items = titles.map((title) => ({ id: `urn:${title}`, title, url: "https://news.test/1" })).reverse();
    response.end(JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: "News", items }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.json`,
    show: (...shown: string[]) => {
      titles = shown;
      status = 200;
    },
    add: (title: string) => titles.push(title),
    fail: (code: number) => {
      status = code;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openAs(email: string, options: BrowserContextOptions = {}): Promise<void> {
  const { browser: person } = await signIn(flows.app, email);
  ({ page, complaints } = await browser.open({ baseUrl: flows.app.platformUrl, person, isExpected, ...options }));
}

// The browser itself reports what the server refuses on purpose.
const isExpected = (message: ConsoleMessage) =>
  /triggers(\/samples|\/[0-9a-f-]+(\/test)?)?$/.test(message.location().url);

const open = (rest = "") => page.goto(`/o/${flows.owner.organizationId}/triggers${rest}`);
const dialog = () => page.getByRole("dialog");
const button = (name: string) => page.getByRole("button", { name, exact: true });
const row = (name: string) =>
  page
    .getByRole("region", { name: "Triggers" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name, exact: true }) });
const sample = () => dialog().getByRole("region", { name: "Sample" });
const triggers = async () =>
  (await flows.owner.browser.get(`${flows.path}/triggers`)).body.data as Record<string, unknown>[];
const runs = async () =>
  (await flows.owner.browser.get(`${flows.path}/runs?workflowId=${workflowId}`)).body.data as Record<string, unknown>[];
const menuItem = async (trigger: string, item: string) => {
  await button(`More for “${trigger}”`).click();
  await page.getByRole("menuitem", { name: item }).click();
};

const pollFeed = (name: string) => ({
  workflowId,
  kind: "poll",
  name,
  provider: "http",
  poll: { event: "new_feed_entry", parameters: { url: feed.url } },
});

async function create(request: object): Promise<string> {
  const { status, body } = await flows.owner.browser.post(`${flows.path}/triggers`, request);
  expect([status, body.code, body.detail]).toEqual([201, undefined, undefined]);
  return body.id as string;
}

/** Opens the form of new polling of the feed. */
async function begin(): Promise<void> {
  await open(`?create=poll&workflow=${workflowId}`);
  await dialog().getByLabel("Service", { exact: true }).selectOption({ label: "HTTP" });
  await dialog().getByLabel(/^URL/).fill(feed.url);
}

describe("polling", () => {
  it("shows a sample, is saved, looks, and starts a run for what comes", async () => {
    await open();
    await button("Check a service").click();
    await dialog().getByLabel("Workflow", { exact: true }).selectOption(workflowName);
    await dialog().getByLabel("Service", { exact: true }).selectOption({ label: "HTTP" });
    expect(await dialog().getByLabel("Check for").inputValue()).toBe("new_feed_entry");
    await dialog().getByLabel(/^URL/).fill(feed.url);
    await dialog().getByRole("button", { name: "See a sample" }).click();
    await sample().getByText(html).first().waitFor();
    await eventually(() => sample().getByRole("listitem").filter({ hasText: "First" }).count()).toBeGreaterThan(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Create", exact: true }).click();
    const polling = row("HTTP: new feed entry");
    await polling.getByText(`URL: ${feed.url}`).waitFor();
    await polling.getByText(/^Looked just now, looks again in/).waitFor();
    await polling.getByText("Has started no run yet; only what is new starts one").waitFor();
    expect(await runs()).toEqual([]);

    feed.add("Fresh");
    await button("Look now: “HTTP: new feed entry”").click();
    await polling.getByText(/^Last started a run/).waitFor();
    await eventually(async () => (await runs()).length).toBe(1);
    expect(await runs()).toMatchObject([{ executionType: "poll", workflowName }]);
    expect(await flows.ended(String((await runs())[0]?.id))).toMatchObject({
      status: "succeeded",
      trigger: { source: "http", event: "new_feed_entry", prompt: "Fresh", payload: { title: "Fresh" } },
    });
    expect(await page.title()).not.toBe("owned");
    expect(complaints).toEqual([]);
  });

  it("is made on a telephone in the dark, with a sample that stays in its place", async () => {
    feed.show("A".repeat(300), "Second", "Third", "Fourth");
    await openAs(flows.owner.email, { colorScheme: "dark", viewport: { width: 390, height: 844 } });
    await begin();
    await dialog().getByRole("button", { name: "See a sample" }).click();
    await sample().getByText("Fourth").first().waitFor();
    expect(await sample().locator("summary").allTextContents()).toEqual(["Fourth", "Third", "Second"]);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(await sidewaysScrolling(page)).toBe(0);
    const beside =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('[role=dialog]'))";
    expect(await page.evaluate(beside)).toBe(0);
    await dialog().getByLabel(/^URL/).fill(`${feed.url}?other`);
    expect(await sample().locator("summary").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("is changed, tried with the newest item, turned off and deleted", async () => {
    await create(pollFeed("News"));
    await open();
    await row("News")
      .getByText(/^Looked just now/)
      .waitFor();
    await menuItem("News", "Edit");
    await dialog().getByText("Checks HTTP: new feed entry.").waitFor();
    expect(await dialog().getByLabel(/^URL/).inputValue()).toBe(feed.url);
    await dialog().getByLabel("Look at least every").selectOption("1 hour");
    await dialog().getByLabel("Only if").fill('$trigger.payload.title != "Dull"');
    await dialog().getByLabel("Also start runs for what is there already").check();
    await dialog().getByRole("button", { name: "Save" }).click();
    await row("News").getByText('Only if $trigger.payload.title != "Dull"').waitFor();
    expect(await triggers()).toMatchObject([
      { poll: { everySeconds: 3600, takesExisting: true, parameters: { url: feed.url } } },
    ]);

    await button("Test “News”").click();
    const run = await row("News").getByRole("link", { name: "Open the run" }).getAttribute("href");
    expect(await flows.ended(run?.split("/").at(-1) ?? "")).toMatchObject({ trigger: { payload: { title: html } } });

    await row("News").getByRole("switch").click();
    await row("News").getByText("Off: does not look").waitFor();
    expect(await button("Look now: “News”").count()).toBe(0);
    await menuItem("News", "See a sample");
    await dialog().getByText(html).first().waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await menuItem("News", "Delete");
    await dialog().getByText("It starts nothing any more.").waitFor();
    await dialog().getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "No triggers yet" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("says at the field what is wrong with it, before and when it is saved", async () => {
    await begin();
    await dialog().getByLabel(/^URL/).fill("nowhere");
    await dialog().getByRole("button", { name: "Create", exact: true }).click();
    await eventually(() => dialog().getByLabel(/^URL/).getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate("document.activeElement.id")).toBe("poll/parameters/url");
    expect(await dialog().getByRole("alert").count()).toBe(0);
    await dialog().getByLabel(/^URL/).fill("");
    await dialog().getByRole("button", { name: "See a sample" }).click();
    await dialog().getByText("URL is required").waitFor();
    expect(await triggers()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("says in words that the service fails, in the sample and after a look, and goes on by itself", async () => {
    feed.fail(503);
    await begin();
    await dialog().getByRole("button", { name: "See a sample" }).click();
    await sample().getByRole("alert").getByText(/503/).waitFor();
    feed.show();
    await dialog().getByRole("button", { name: "See a sample" }).click();
    await sample().getByText("There is nothing there yet.").waitFor();
    feed.fail(503);
    await dialog().getByRole("button", { name: "Create", exact: true }).click();
    const polling = row("HTTP: new feed entry");
    await polling.getByText(/^The last look went wrong: .*503/).waitFor();
    await polling.getByText("It tries again by itself, and finds what the service still lists by then.").waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    feed.show("Back again");
    await button("Look now: “HTTP: new feed entry”").click();
    await polling.getByText(/^The last look went wrong/).waitFor({ state: "detached" });
    await polling.getByText(/^Looked just now/).waitFor();
    expect(complaints).toEqual([]);
  });
});

it("says what it keeps back, and tries it again when somebody asks for it", async () => {
  const id = await create({ ...pollFeed("News"), filter: '$trigger.payload.title = "Odd" ? 1 : true' });
  await open();
  await row("News")
    .getByText(/^Looked just now/)
    .waitFor();
  feed.add("Odd");
  feed.add("Even");
  await button("Look now: “News”").click();
  const notice = row("News").getByRole("status");
  await notice
    .getByText("1 item could not be taken and is tried again. The last fault: The filter must give true or false")
    .waitFor();
  await row("News")
    .getByText(/^Last started a run/)
    .waitFor();
  expect(await row("News").getByText("The last look went wrong").count()).toBe(0);
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await sidewaysScrolling(page)).toBe(0);
  await flows.app.database.query("UPDATE trigger SET filter = '' WHERE id = $1", [id]);
  await button("Try again what “News” keeps back").click();
  await notice.waitFor({ state: "detached" });
  expect(await runs()).toHaveLength(2);
  expect(complaints).toEqual([]);
});

describe("the account of polling", () => {
  it("is made on the way, without saving the trigger, and is told in the list", async () => {
    await begin();
    await connect("News account");
    await eventually(() => dialog().getByLabel("HTTP account").locator("option:checked").textContent()).toBe(
      "News account",
    );
    expect(await triggers()).toEqual([]);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Create", exact: true }).click();
    await row("HTTP: new feed entry").getByRole("link", { name: "News account" }).waitFor();
    const [{ id } = { id: "" }] = (await flows.owner.browser.get(`${flows.path}/credentials`)).body.data as {
      id: string;
    }[];
    expect(await triggers()).toMatchObject([{ credentialId: id }]);
    expect(complaints).toEqual([]);
  });

  it("is asked for where the service needs one and there is none, and then taken by itself", async () => {
    // As the catalogue tells of a service that cannot be read without an account.
    await page.route("**/api/polls", async (route) => {
      const answer = await route.fetch();
      const { data } = (await answer.json()) as { data: object[] };
      await route.fulfill({ json: { data: data.map((entry) => ({ ...entry, worksWithoutAccount: false })) } });
    });
    await begin();
    await dialog().getByText("Connect an account of HTTP first.").waitFor();
    expect(await dialog().getByRole("button", { name: "See a sample" }).count()).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await connect("News account");
    await eventually(() => dialog().getByLabel("HTTP account").locator("option").allTextContents()).toEqual([
      "News account",
    ]);
    await dialog().getByRole("button", { name: "See a sample" }).waitFor();
    expect(complaints).toEqual([]);
  });
});

/** Makes an account from the form of polling. */
async function connect(name: string): Promise<void> {
  await dialog().getByRole("button", { name: "Create or connect" }).click();
  const inner = page.getByRole("dialog", { name: "New HTTP credential" });
  await inner.getByLabel("Name", { exact: true }).first().fill(name);
  await inner.getByLabel(/^Authentication/).selectOption("none");
  await inner.getByRole("button", { name: "Save" }).click();
  await inner.waitFor({ state: "detached" });
}

describe("the runs of polling", () => {
  it("are called so in the list, in its filter and on their page", async () => {
    await create({ ...pollFeed("News"), poll: { ...pollFeed("").poll, takesExisting: true } });
    await eventually(async () => (await runs()).length).toBe(2);
    await page.goto(`/o/${flows.owner.organizationId}/history?tab=runs`);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Started by").selectOption("Polling");
    await page.waitForURL(/source=poll/);
    const run = page.getByRole("row", { name: new RegExp(`${workflowName} .*Succeeded Polling`) });
    await eventually(() => run.count()).toBe(2);
    await page.goto(`/o/${flows.owner.organizationId}/runs/${String((await runs())[0]?.id)}`);
    await page.getByRole("listitem").getByText("Polling", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe("a viewer", () => {
  it.each(["light", "dark"] as const)(
    "sees polling and cannot change it, on a telephone in %s",
    async (colorScheme) => {
      await create(pollFeed("News"));
      await openAs("vera@example.com", { colorScheme, viewport: { width: 390, height: 844 } });
      await open("?create=poll");
      await row("News").getByText("Checks HTTP: new feed entry").waitFor();
      await row("News").getByText(`URL: ${feed.url}`).waitFor();
      expect(await findAccessibilityFaults(page)).toEqual([]);
      expect(await sidewaysScrolling(page)).toBe(0);
      expect(await dialog().count()).toBe(0);
      expect(await row("News").getByRole("button").count()).toBe(0);
      expect(await row("News").getByRole("switch").count()).toBe(0);
      expect(complaints).toEqual([]);
    },
  );
});
