import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Canvas } from "../../src/workflows/wire.ts";
import { startFakeServices } from "../support/providers/fake-services.ts";
import { startMailbox } from "../support/providers/mailbox.ts";
import { describeWithProgram, startPostgres } from "../support/providers/real-servers.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const folder = join(import.meta.dirname, "../../web/pages/templates/files");
const ids = readdirSync(folder).map((name) => name.slice(0, -".json".length));
type TemplateFile = { name: string; tool?: unknown; template: { starts: string; words: string[] }; canvas: Canvas };
const readTemplate = (id: string) => readFileSync(join(folder, `${id}.json`), "utf8");

/** What a template is started with, which nodes it must get to, and what must have reached whom. */
type Story = { payload?: object; does: string[]; tells?: string[]; gives?: object[]; site?: string };

const stories: Record<string, Story> = {
  "first-run": { does: ["now", "sentence", "weekend"] },
  "web-page-summary": { does: ["page", "summary"], tells: ["Sum up this page"] },
  "webhook-to-slack": { payload: { order: 7 }, does: ["message"], tells: ['\\"order\\":7}'] },
  "github-issue-to-linear": {
    payload: { action: "opened", issue: { title: "It broke", html_url: "https://example.com/1", body: null } },
    does: ["issue"],
    tells: ["It broke"],
  },
  "check-address": { site: "down", does: ["mail"], tells: ["you@example.com"] },
  "support-mail": {
    payload: { id: "m1", threadId: "t1", from: "kim@example.com", subject: "Help", body: "The shop is down" },
    does: ["star", "tell"],
    tells: ["*Urgent mail* from kim@example.com: The shop is down."],
  },
  "failed-payment": {
    payload: {
      type: "payment_intent.payment_failed",
      data: {
        object: {
          amount: 480_000,
          currency: "eur",
          receipt_email: "kim@example.com",
          last_payment_error: { message: "No money" },
        },
      },
    },
    does: ["tell", "mail"],
    tells: ["A payment of 4,800.00 EUR failed: No money", "kim@example.com"],
  },
  "github-issue-to-slack": {
    payload: {
      action: "opened",
      issue: { title: "It broke", html_url: "https://example.com/1", user: { login: "kim" } },
      repository: { full_name: "acme/shop" },
    },
    does: ["post"],
    tells: ["*<https://example.com/1|It broke>* by kim in acme/shop"],
  },
  "daily-report": { does: ["post"], tells: ["new: 1 orders, 20\\npaid: 2 orders, 100"] },
  "lead-to-crm": {
    payload: { email: "new@example.com", firstName: "Kim" },
    does: ["contact", "tell"],
    tells: ["New lead: new@example.com"],
  },
  "sheet-to-mail": { does: ["mail", "sent"], tells: ["/values/Sheet1!C2"] },
  "feed-digest": { does: ["post"], tells: ["• First https://example.com/1"] },
  "price-watch": { does: ["tell"], tells: ["The price is 42 now."] },
  "meeting-notes": { payload: { transcript: "Ann: Hello." }, does: ["page"], tells: ["Meeting"] },
  "invoice-reminder": { does: ["remind"], tells: ["Reminder: invoice R-7", "late@example.com"] },
  "on-call-alert": {
    payload: { status: "firing", severity: "critical", summary: "Disk full" },
    does: ["post", "sms"],
    tells: ["*CRITICAL* Disk full", "CRITICAL%3A+Disk+full"],
  },
  "rows-to-workflow": {
    payload: { rows: [{ id: 1 }, { id: 2 }, { id: 1 }, {}] },
    does: ["work", "count"],
    gives: [{ done: 2 }],
  },
  "form-to-database": {
    payload: { email: "kim@example.com", text: "Hello" },
    does: ["store", "thanks"],
    gives: [{ status: 201, body: { stored: true } }],
  },
  "bug-report-to-jira": {
    payload: { title: "It broke", text: "Really", email: "kim@example.com" },
    does: ["issue", "mail"],
    tells: ["We have your report: BUG-1"],
  },
  "stale-issues": { does: ["post"], tells: ["• <https://github.example.com/7|Old one>"] },
  agenda: { does: ["send"], tells: ["09:00 Stand-up"] },
  "translate-tool": { payload: { text: "Hello", language: "de" }, does: ["translate"], tells: ['"target_lang":"DE"'] },
  "customer-lookup": {
    payload: { email: "known@example.com" },
    does: ["contact", "payments", "customer"],
    gives: [
      { email: "known@example.com", contact: { firstname: "Kim" }, payments: [{ amount: 4800, currency: "eur" }] },
    ],
  },
  "telegram-assistant": {
    payload: { message: { message_id: 5, chat: { id: 1 }, text: "Hello?" } },
    does: ["answer", "reply"],
    tells: ["The shop is down."],
  },
  "export-to-drive": { does: ["keep"], tells: ["status,orders\nnew,1\npaid,2\n"] },
  "release-announcement": {
    payload: {
      action: "published",
      release: { tag_name: "v2", html_url: "https://example.com/v2", body: "Faster." },
      repository: { full_name: "acme/shop" },
    },
    does: ["write", "post"],
    tells: ["https://example.com/v2"],
  },
};

describe("the templates", () => {
  it("are at least twenty, each with a story of its own here", () => {
    expect(ids.length).toBeGreaterThanOrEqual(20);
    expect(Object.keys(stories).toSorted()).toEqual(ids.toSorted());
  });

  it.each(ids)("say what starts %s, and name nobody's account", (id) => {
    const { template, canvas } = JSON.parse(readTemplate(id)) as TemplateFile;
    expect(["hand", "tool", "schedule", "webhook", "poll"]).toContain(template.starts);
    expect(template.words.length).toBeGreaterThan(0);
    expect(canvas.nodes.filter(({ credentials }) => credentials !== undefined)).toEqual([]);
    expect(readTemplate(id)).not.toMatch(/credential:|xox|sk_live|ghp_/);
  });
});

describeWithProgram("openssl", "each template with its accounts", () => {
  const login = { user: "shop", password: "secret" };
  let flows: WorkflowApp;
  let services: Awaited<ReturnType<typeof startFakeServices>>;
  let mailbox: Awaited<ReturnType<typeof startMailbox>>;
  let shop: Awaited<ReturnType<typeof startPostgres>>;
  let database: pg.Client;
  let accounts: Map<string, string>;
  let kinds: Map<string, { credentials: string[]; worksWithoutAccount: boolean }>;

  beforeAll(async () => {
    [services, mailbox, shop] = await Promise.all([startFakeServices(), startMailbox(), startPostgres(login)]);
    database = new pg.Client({ host: "127.0.0.1", port: shop.port, database: "postgres", ...login });
    await database.connect();
    await database.query("CREATE TABLE orders (status text, total numeric, created_at timestamptz DEFAULT now())");
    await database.query("INSERT INTO orders VALUES ('paid', 60), ('paid', 40), ('new', 20)");
    await database.query("CREATE TABLE messages (email text, text text)");
    flows = await startWorkflowApp({
      environment: {
        AI_PROVIDER: "openai-compatible",
        AI_MODEL: "m-1",
        AI_BASE_URL: `${services.url}/model`,
        OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
      },
    });
    accounts = await connectAll();
    const { body } = await flows.owner.browser.get("/api/nodes");
    kinds = new Map(body.data.map((kind: { id: string }) => [kind.id, kind]));
  }, 60_000);
  afterAll(async () => {
    await flows?.stop();
    await database?.end();
    await Promise.all([services?.stop(), mailbox?.stop(), shop?.stop()]);
  });

  /** An account at every service that a template needs. */
  async function connectAll(): Promise<Map<string, string>> {
    const token = { kind: "bearer", accessToken: "token" };
    const signedIn = { accessToken: "token" };
    const data: Record<string, Record<string, unknown>> = {
      slack: token,
      github: token,
      hubspot: token,
      airtable: token,
      notion: token,
      gmail: signedIn,
      google_sheets: signedIn,
      google_calendar: signedIn,
      google_drive: signedIn,
      linear: { kind: "apiKey", apiKey: "key" },
      jira: { kind: "basic", site: "acme", email: "ann@example.com", apiToken: "token" },
      stripe: { kind: "bearer", secretKey: "key" },
      deepl: { kind: "apiKey", apiKey: "key" },
      telegram_bot: { kind: "apiKey", botToken: "1:token" },
      discord_bot: { kind: "apiKey", botToken: "token" },
      twilio: { kind: "basic", accountSid: `AC${"0".repeat(32)}`, authToken: "token" },
    };
    const [, smtpPort] = /:(\d+)$/.exec(mailbox.url) ?? [];
    const others = {
      postgres: { kind: "custom", host: "127.0.0.1", port: shop.port, database: "postgres", ssl: "disable", ...login },
      email: {
        kind: "custom",
        user: "ann@example.com",
        password: "secret",
        smtpHost: "127.0.0.1",
        smtpPort: Number(smtpPort),
        smtpSecurity: "none",
      },
    };
    const all = [
      ...Object.entries(data).map(([type, one]) => [type, { ...one, baseUrl: `${services.url}/${type}` }] as const),
      ...Object.entries(others),
    ];
    const references = new Map<string, string>();
    for (const [type, one] of all) {
      const { organizationId } = flows.owner;
      const created = await flows.app.parts.vault.credentials.create(organizationId, {
        type,
        name: type,
        data: one,
        createdBy: null,
      });
      references.set(type, created.reference);
    }
    return references;
  }

  /** The canvas with an account in each node that needs one, and with addresses that lead to loopback. */
  function fillIn(id: string, site = "site"): Canvas {
    const text = readTemplate(id).replaceAll("https://example.com", `${services.url}/${site}`);
    const { canvas } = JSON.parse(text) as TemplateFile;
    const nodes = canvas.nodes.map((one) => {
      const kind = kinds.get(one.nodeId);
      const needed = kind && !kind.worksWithoutAccount ? kind.credentials : [];
      const credentials = Object.fromEntries(needed.map((type) => [type, accounts.get(type) ?? "missing"]));
      return needed.length > 0 ? { ...one, credentials } : one;
    });
    return { ...canvas, nodes };
  }

  it.each(ids)("%s has no faults, and runs to its end", async (id) => {
    const { payload = {}, does, tells = [], gives, site } = stories[id] as Story;
    const canvas = fillIn(id, site);
    const checked = await flows.owner.browser.post(`${flows.path}/workflows/check`, { canvas });
    expect(checked.body).toEqual({ valid: true, errors: [], warnings: [] });
    const file = JSON.parse(readTemplate(id)) as TemplateFile;
    const imported = await flows.owner.browser.post(`${flows.path}/workflows/import`, { ...file, canvas });
    expect([imported.status, imported.body.errors]).toEqual([201, undefined]);
    services.takeSent();
    const called = await flows.save([node("give", "transform", { expression: "$trigger.payload.items" })]);
    const started = await flows.owner.browser.post(`${flows.path}/workflows/${imported.body.id}/runs`, {
      payload: { workflowId: called, ...payload },
    });
    expect(started.status).toBe(202);
    const run = await flows.ended(started.body.id);
    expect([run.status, run.error]).toEqual(["succeeded", null]);
    expect(run.nodes.filter(({ status }) => status === "succeeded").map((one) => one.id)).toEqual(
      expect.arrayContaining(does),
    );
    const told = [
      ...services.takeSent().map(({ call, body }) => `${call}\n${body}`),
      ...mailbox.mails.splice(0).map(({ source, text }) => `${source}\n${text}`),
    ].join("\n");
    for (const words of tells) expect(told).toContain(words);
    if (gives) expect(run.result).toMatchObject(gives);
  });
});
