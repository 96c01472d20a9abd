import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAccessibilityFaults } from "../support/browser/find-accessibility-faults.ts";
import { eventually, launchBrowser } from "../support/browser/launch-browser.ts";
import { type OpenPage, sidewaysScrolling } from "../support/browser/open-page.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { signUpMember, signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { node } from "../support/runs/workflow-app.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const browser = launchBrowser();
let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let provider: FakeProvider;
let opened: OpenPage;
let path: string;
let api: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  app = await startTestApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  ann = await signUpOwner(app, "Ann");
  path = `/o/${ann.organizationId}/servers`;
  api = `/api/organizations/${ann.organizationId}`;
});
afterAll(async () => {
  await app?.stop();
  await provider?.stop();
});
beforeEach(async () => {
  opened = await browser.open({ baseUrl: app.platformUrl, person: ann.browser });
});

const page = () => opened.page;
const heading = (name: string) => page().getByRole("heading", { name, exact: true });
const button = (name: string) => page().getByRole("button", { name, exact: true });
const snippetEntry = async () => {
  const text = await snippet();
  return text.startsWith("{") ? (JSON.parse(text) as unknown) : text;
};
const snippet = async () => (await page().locator("pre:visible").first().textContent()) ?? "";

async function openOnTelephone(): Promise<void> {
  const telephone = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;
  opened = await browser.open({ baseUrl: app.platformUrl, person: ann.browser, ...telephone });
}

async function createAccount(name: string) {
  const data = { kind: "bearer", accessToken: "token-of-the-account", baseUrl: provider.url };
  return await app.parts.vault.credentials.create(ann.organizationId, { type: "github", name, data, createdBy: null });
}

describe("the page of MCP servers", () => {
  it("shows all of them and finds servers and tools; the address keeps the search", async () => {
    await page().goto(path);
    await page().getByText(`${onDisk.serverIds.length} servers with ${onDisk.serverTools.length} tools`).waitFor();
    expect(await page().getByRole("heading", { level: 2 }).count()).toBe(onDisk.serverIds.length);
    await page().getByLabel("Search servers and tools").fill("channel history");
    await page().getByRole("link", { name: "Get channel history" }).waitFor();
    await eventually(() => page().getByRole("heading", { level: 2 }).allTextContents()).toEqual(["Slack"]);
    await page().waitForURL(/search=/);
    await page().reload();
    await page().getByRole("link", { name: "Get channel history" }).click();
    await page().waitForURL((url) => url.search === "?tool=slack_get_channel_history");
    await heading("Slack").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("fits a telephone and has no serious fault for assistive technology", async () => {
    await openOnTelephone();
    await page().goto(path);
    await heading("Slack").waitFor();
    expect(await sidewaysScrolling(page())).toBe(0);
    expect(await findAccessibilityFaults(page())).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});

describe("the account of a server's calls", () => {
  it("is named, or how to choose it is", async () => {
    const open = async (words: string) => {
      await page().goto(`${path}/notion`);
      await page().getByText(words, { exact: true }).waitFor();
      return await page().getByRole("main").getByRole("link").allTextContents();
    };
    expect(await open("No account yet")).toContain("Connect an account");
    const data = { kind: "bearer", accessToken: "token-of-the-account" };
    const { id } = (await ann.browser.post(`${api}/credentials`, { type: "notion", name: "<i>Main</i>", data })).body;
    expect(await open("Calls have to name an account")).toContain("Choose a default account");
    await page().getByRole("link", { name: "Choose a default account" }).click();
    await button("Make it the default").click();
    await button("Stop using it as default").waitFor();
    const links = await open("Calls use “<i>Main</i>”");
    expect(links.filter((text) => /account|calls|Mend/.test(text))).toEqual([]);
    await app.database.query("UPDATE credential SET health = 'needs_reconnect' WHERE id = $1", [id]);
    expect(await open("Calls use “<i>Main</i>”, which must be connected again")).toContain("Mend it");
    await app.database.query("DELETE FROM credential");
    expect(opened.complaints).toEqual([]);
  });
});

describe("the snippets of a server", () => {
  it("hold its address in the form of each client, and only a placeholder for the key", async () => {
    const { key } = (await ann.browser.post(`${api}/api-keys`, { name: "existing", scopes: ["mcp:invoke"] })).body;
    const url = `${app.gatewayUrl}/github/mcp`;
    const headers = { "X-API-Key": "YOUR_API_KEY" };
    await page().goto(`${path}/github`);
    expect(await page().getByLabel("Address", { exact: true }).inputValue()).toBe(url);
    await eventually(snippet).toBe(`claude mcp add --transport http github ${url} --header "X-API-Key: YOUR_API_KEY"`);
    const expected: Record<string, unknown> = {
      "Claude Desktop": {
        mcpServers: {
          github: {
            command: "npx",
            // biome-ignore lint/suspicious/noTemplateCurlyInString: the program itself puts the variable in.
            args: ["-y", "mcp-remote", url, "--header", "X-API-Key:${SWITCHYARD_KEY}"],
            env: { SWITCHYARD_KEY: "YOUR_API_KEY" },
          },
        },
      },
      Cursor: { mcpServers: { github: { url, headers } } },
      "VS Code": { servers: { github: { type: "http", url, headers } } },
      "Plain JSON": { mcpServers: { github: { type: "http", url, headers } } },
    };
    for (const [client, entry] of Object.entries(expected)) {
      await page().getByRole("tab", { name: client, exact: true }).click();
      await eventually(snippetEntry).toEqual(entry);
    }
    await page().getByRole("tab", { name: "Codex" }).click();
    await eventually(snippet).toBe(
      `[mcp_servers.github]\nurl = "${url}"\nhttp_headers = { "X-API-Key" = "YOUR_API_KEY" }`,
    );
    await page().getByRole("radio", { name: "With OAuth" }).check();
    await eventually(snippet).toBe(`[mcp_servers.github]\nurl = "${url}"`);
    expect(new URL(page().url()).searchParams.get("client")).toBe("codex");
    expect(await page().content()).not.toContain(key);
    expect(opened.complaints).toEqual([]);
  });

  it("offer OAuth alone for the server about the account", async () => {
    await page().goto(`${path}/platform`);
    await page().getByText("It takes no API key").waitFor();
    await eventually(snippet).toBe(`claude mcp add --transport http platform ${app.gatewayUrl}/platform/mcp`);
    expect(await page().getByRole("radio").count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });
});

describe("a tool in the page", () => {
  it("fits a telephone and has no serious fault for assistive technology, with its form and its schemas", async () => {
    await openOnTelephone();
    await page().goto(`${path}/slack?tool=slack_send_message`);
    await button("Run").waitFor();
    expect(await sidewaysScrolling(page())).toBe(0);
    expect(await findAccessibilityFaults(page())).toEqual([]);
    for (const tab of ["Parameters", "Result", "JSON Schema"]) {
      await page().getByRole("tab", { name: tab, exact: true }).click();
      expect(await sidewaysScrolling(page())).toBe(0);
    }
    expect(opened.complaints).toEqual([]);
  });

  it("says at the field what is wrong with it", async () => {
    await page().goto(`${path}/system?tool=system_transform_json`);
    await button("Run").click();
    await page().getByText("Expression is required").waitFor();
    await page().locator(":focus[aria-invalid=true]").waitFor();
    expect(await page().getByRole("region", { name: "Result" }).count()).toBe(0);
  });

  it("runs with what is entered, shows the answer and leads to its record", async () => {
    await page().goto(`${path}/system?tool=system_date_time`);
    await page().getByLabel("Time zone").fill("Asia/Tokyo");
    await button("Run").click();
    const result = page().getByRole("region", { name: "Result" });
    await result.getByText("Succeeded").waitFor();
    await result.getByText("Asia/Tokyo").waitFor();
    const { data } = (await ann.browser.get(`${api}/tool-calls?tool=system_date_time`)).body;
    expect(data).toMatchObject([{ tool: "system_date_time", status: "success", userName: "Ann", apiKeyId: null }]);
    const link = await page().getByRole("link", { name: "See the record" }).getAttribute("href");
    expect(link).toContain(`record=${data[0].id}`);
    await page().getByText("Last called").waitFor();
    expect(await findAccessibilityFaults(page())).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("asks before it changes something, uses the chosen account, and shows what the service says as text", async () => {
    await createAccount("<b>Work</b>");
    provider.script([{ status: 422, json: { message: "<script>alert(1)</script>" } }]);
    await page().goto(`${path}/github?tool=github_create_issue`);
    await page()
      .getByRole("textbox", { name: /^Owner/ })
      .fill("acme");
    await page().getByRole("textbox", { name: /^Repo/ }).fill("site");
    await page()
      .getByRole("textbox", { name: /^Title/ })
      .fill("It is broken");
    await eventually(() => page().getByLabel("Account", { exact: true }).locator("option:checked").textContent()).toBe(
      "<b>Work</b>",
    );
    await button("Run").click();
    expect(provider.requests()).toEqual([]);
    await button("Run it").click();
    const result = page().getByRole("region", { name: "Result" });
    await result.getByText("Failed").waitFor();
    await result.getByText("<script>alert(1)</script>").waitFor();
    expect(provider.requests()[0]?.headers.authorization).toBe("Bearer token-of-the-account");
    expect(opened.complaints).toEqual([]);
  });

  it("takes the default account of the organization where there are several", async () => {
    await createAccount("One");
    const { id } = await createAccount("Usual");
    await app.parts.vault.defaults.set({ organizationId: ann.organizationId, apiKeyId: null, type: "github" }, id);
    await page().goto(`${path}/github?tool=github_search_issues`);
    await eventually(() => page().getByLabel("Account", { exact: true }).locator("option:checked").textContent()).toBe(
      "Usual",
    );
    expect(await button("Run").isEnabled()).toBe(true);
    expect(opened.complaints).toEqual([]);
  });

  it("is not offered to a viewer, and the API refuses too", async () => {
    const vera = await signUpMember(app, ann.organizationId, "Vera", "viewer");
    opened = await browser.open({ baseUrl: app.platformUrl, person: vera.browser });
    await page().goto(`${path}/system?tool=system_date_time`);
    await page().getByText("Viewers cannot run tools").waitFor();
    expect(await button("Run").count()).toBe(0);
    expect(await page().getByRole("link", { name: "Create a key" }).count()).toBe(0);
    expect((await vera.browser.post(`${api}/tools/system_date_time/call`, { parameters: {} })).status).toBe(403);
    expect(opened.complaints).toEqual([]);
  });
});

describe("the organization's own server", () => {
  it("is there as soon as a workflow is offered as a tool", async () => {
    const tool = { name: "greet", inputs: [{ name: "who", type: "string", description: "A person.", required: true }] };
    const canvas = { nodes: [node("start", "start")], edges: [] };
    const created = await ann.browser.post(`${api}/workflows`, { name: "<i>Greeting</i>", tool, canvas });
    expect(created.status).toBe(201);
    await page().goto(path);
    // The catalogue has as many as ever; what an organization has for itself is counted apart.
    const catalogue = `${onDisk.serverIds.length} servers with ${onDisk.serverTools.length} tools`;
    const withIt = page().getByText(`${catalogue}, and 1 workflow as a tool.`);
    await withIt.waitFor();
    // Switched off it is no tool, also for the numbers on a page that is opened again right away.
    await ann.browser.patch(`${api}/workflows/${created.body.id}`, { isActive: false });
    await page().getByRole("link", { name: "Members", exact: true }).click();
    await heading("Members").waitFor();
    await page().getByRole("link", { name: "MCP servers", exact: true }).click();
    await page().getByText(`${catalogue}. `).waitFor();
    await ann.browser.patch(`${api}/workflows/${created.body.id}`, { isActive: true });
    await page().reload();
    await withIt.waitFor();
    await page().getByRole("link", { name: "Workflows", exact: true }).last().click();
    await heading("Workflows").waitFor();
    expect(await page().getByLabel("Address", { exact: true }).inputValue()).toBe(`${app.gatewayUrl}/workflows/mcp`);
    await page()
      .getByRole("button", { name: /<i>Greeting<\/i>/ })
      .click();
    await page().getByRole("tab", { name: "Parameters" }).click();
    await page().getByRole("cell", { name: "A person." }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
