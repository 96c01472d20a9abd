import { setTimeout as delay } from "node:timers/promises";
import { type Browser, createBrowser } from "../../test/support/browser-client.ts";
import { createMcpClient } from "../../test/support/gateway/mcp-client.ts";
import { invoiceReminder, issueReport, shopCheck } from "./example-workflows.ts";

export type Seeded = Awaited<ReturnType<typeof seedOrganization>>;

type Place = { platformUrl: string; gatewayUrl: string; servicesUrl: string };

const ann = { name: "Ann Miller", email: "ann@northwind.example", password: "correct horse battery" };
const endLimitMs = 30_000;

/** An organization as it looks after a week of use; everything comes in through the doors that people and programs use. */
export async function seedOrganization({ platformUrl, gatewayUrl, servicesUrl }: Place) {
  const browser = createBrowser(platformUrl);
  const { organizationId } = await send(browser, "POST", "/api/setup", { ...ann, organizationName: "Northwind" });
  await send(browser, "POST", "/api/sign-in", { email: ann.email, password: ann.password });
  const path = `/api/organizations/${organizationId}`;
  const post = (rest: string, body: unknown = {}) => send(browser, "POST", path + rest, body);

  const { link: invitationUrl } = await post("/invitations", { email: "jonas@northwind.example", role: "member" });
  const credentials = await seedCredentials(post, servicesUrl);
  await send(browser, "PUT", `${path}/default-credentials/github`, { credentialId: credentials.github.id });
  await send(browser, "PUT", `${path}/default-credentials/slack`, { credentialId: credentials.slack.id });
  const assistant = await post("/api-keys", { name: "Assistant of the team", scopes: ["mcp:invoke"] });
  const shop = await post("/api-keys", {
    name: "Shop backend",
    scopes: ["mcp:invoke", "workflows:trigger"],
    toolRules: ["slack_send_*", "system"],
  });
  const workflows = await seedWorkflows(post, { ...references(credentials), servicesUrl });
  const runs = await seedRuns(browser, { path, platformUrl, key: shop.key, workflows });
  await seedCalls({ gatewayUrl, assistantKey: assistant.key, shopKey: shop.key });
  const endpoint = await post("/event-endpoints", {
    url: `${servicesUrl}/pager`,
    types: ["run.failed", "tool.failed"],
    description: "On-call pager",
  });
  await post(`/event-endpoints/${endpoint.id}/test`);
  return { browser, organizationId, credentials, workflows, runs, invitationUrl, endpointId: endpoint.id };
}

type Post = (rest: string, body?: unknown) => Promise<Answer>;
// Answers of every shape; each caller knows what it asked for.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Answer = any;

async function send(browser: Browser, method: string, path: string, body: unknown): Promise<Answer> {
  const { status, body: answer, text } = await browser.send(method, path, body);
  if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  return answer;
}

async function seedCredentials(post: Post, servicesUrl: string) {
  const create = async (type: string, name: string, data: object) =>
    (await post("/credentials", { type, name, data })) as { id: string; reference: string };
  const token = { kind: "bearer", accessToken: "example-token", baseUrl: servicesUrl };
  const github = await create("github", "GitHub of the team", token);
  const slack = await create("slack", "Slack of Northwind", token);
  const notion = await create("notion", "Reports in Notion", token);
  await create("postgres", "Reporting database", {
    host: "db.northwind.example",
    database: "reports",
    user: "reader",
    password: "example",
  });
  await post("/credentials/connect", {
    type: "gmail",
    name: "Support mailbox",
    data: { clientId: "northwind", clientSecret: "example" },
  });
  const shop = await create("http_auth", "Shop", { authKind: "bearer", secret: "example", baseUrl: servicesUrl });
  for (const { id } of [github, slack, notion]) await post(`/credentials/${id}/test`);
  return { github, slack, notion, shop };
}

const references = (credentials: Awaited<ReturnType<typeof seedCredentials>>) => ({
  github: credentials.github.reference,
  slack: credentials.slack.reference,
  notion: credentials.notion.reference,
  shop: credentials.shop.reference,
});

type Workflows = { report: string; check: string; reminder: string };

async function seedWorkflows(post: Post, facts: Parameters<typeof issueReport>[0]): Promise<Workflows> {
  const create = async (workflow: object) => (await post("/workflows", workflow)).id as string;
  const reminder = await create(invoiceReminder(facts));
  const check = await create(shopCheck(facts));
  const report = await create(issueReport(facts));
  await post("/triggers", {
    workflowId: report,
    kind: "schedule",
    name: "Mondays at nine",
    cron: "0 9 * * 1",
    timeZone: "Europe/Berlin",
  });
  await post("/triggers", {
    workflowId: check,
    kind: "schedule",
    name: "Every ten minutes",
    cron: "*/10 * * * *",
    timeZone: "UTC",
    active: false,
  });
  await post("/triggers", {
    workflowId: reminder,
    kind: "webhook",
    name: "New order in the shop",
    signature: "standard",
  });
  return { report, check, reminder };
}

type RunOptions = { path: string; platformUrl: string; key: string; workflows: Workflows };

async function seedRuns(browser: Browser, { path, platformUrl, key, workflows }: RunOptions) {
  const start = async (workflowId: string) =>
    (await send(browser, "POST", `${path}/workflows/${workflowId}/runs`, {})).id as string;
  const trigger = async (workflowId: string) => {
    const address = `${platformUrl}/task-runner/trigger/${workflowId}`;
    const response = await fetch(address, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: "{}",
    });
    if (!response.ok) throw new Error(`starting a run with a key answered ${response.status}`);
    return ((await response.json()) as { id: string }).id;
  };
  const waiting = await start(workflows.reminder);
  const ended: string[] = [];
  for (let round = 0; round < 9; round++) ended.push(await (round % 3 === 0 ? start : trigger)(workflows.report));
  for (let round = 0; round < 3; round++) ended.push(await trigger(workflows.check));
  for (const id of ended) await untilEnded(browser, `${path}/runs/${id}`);
  const failed = await start(workflows.check);
  const succeeded = await start(workflows.report);
  for (const id of [failed, succeeded]) await untilEnded(browser, `${path}/runs/${id}`);
  return { succeeded, failed, waiting };
}

async function untilEnded(browser: Browser, path: string): Promise<void> {
  for (const deadline = Date.now() + endLimitMs; Date.now() < deadline; await delay(50)) {
    const { status } = await send(browser, "GET", path, undefined);
    if (["succeeded", "failed", "cancelled"].includes(status)) return;
  }
  throw new Error(`${path} did not end in time`);
}

const rounds = 60;

async function seedCalls({
  gatewayUrl,
  assistantKey,
  shopKey,
}: {
  gatewayUrl: string;
  assistantKey: string;
  shopKey: string;
}): Promise<void> {
  const call = (key: string, tool: string, parameters: object) =>
    createMcpClient(gatewayUrl, { "x-api-key": key }).legacy(tool.split("_")[0] ?? "", "tools/call", {
      name: tool,
      arguments: parameters,
    });
  const text = "The nightly export is done.";
  for (let round = 0; round < rounds; round++) {
    await call(assistantKey, "github_search_issues", { query: "repo:northwind/shop is:open" });
    await call(assistantKey, "system_date_time", {});
    await call(shopKey, "slack_send_message", { channel: "C0ENGINEERING", text });
    if (round % 2 === 0) await call(assistantKey, "slack_list_channels", {});
    if (round % 6 === 5) await call(shopKey, "slack_send_message", { channel: "C0RANDOM", text });
    if (round % 9 === 4) await call(assistantKey, "system_wait", { seconds: "soon" });
    if (round % 5 === 0)
      await call(assistantKey, "github_create_issue_comment", {
        owner: "northwind",
        repo: "shop",
        issueNumber: 412,
        body: text,
      });
  }
}
