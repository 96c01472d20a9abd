import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type Sent = { service: string; call: string; body: string };
type Answer = { status?: number; type?: string; body: unknown };

const json = (body: unknown): Answer => ({ body });
const contact = {
  id: "501",
  properties: { email: "known@example.com", firstname: "Kim" },
  createdAt: "2026-01-01T00:00:00Z",
};

/** What each service answers, by the beginning of "METHOD /path". In the forms that the vendors document. */
const answers: Record<string, Record<string, (body: string) => Answer>> = {
  slack: { "POST /chat.postMessage": () => json({ ok: true, ts: "1700000000.000100", channel: "C1" }) },
  hubspot: {
    "POST /crm/": (body) => {
      if (!body.includes("filterGroups")) return json({ ...contact, id: "502" });
      return json({ results: body.includes("known@example.com") ? [contact] : [] });
    },
  },
  airtable: {
    "GET /v0/appYourBase/Invoices": () =>
      json({
        records: [
          {
            id: "rec1",
            createdTime: "2026-01-01T00:00:00Z",
            fields: { Number: "R-7", Email: "late@example.com", Amount: 120, Due: "2026-01-31" },
          },
          { id: "rec2", createdTime: "2026-01-01T00:00:00Z", fields: { Number: "R-8", Amount: 80, Due: "2026-01-31" } },
        ],
      }),
  },
  stripe: {
    "GET /v1/customers": () => json({ data: [{ id: "cus_1" }] }),
    "GET /v1/payment_intents": () =>
      json({
        data: [
          { id: "pi_1", amount: 4800, currency: "eur", status: "succeeded", customer: "cus_1", created: 1_760_000_000 },
        ],
        has_more: false,
      }),
  },
  github: {
    "GET /search/issues": () =>
      json({
        total_count: 1,
        items: [
          {
            number: 7,
            title: "Old one",
            state: "open",
            html_url: "https://github.example.com/7",
            repository_url: "https://api.github.example.com/repos/acme/shop",
            user: { login: "ann" },
            labels: [],
            updated_at: "2026-01-01T00:00:00Z",
          },
        ],
      }),
  },
  linear: {
    "POST /graphql": (body) =>
      json({
        data: body.includes("issueCreate")
          ? {
              issueCreate: {
                success: true,
                issue: { id: "i1", identifier: "ENG-1", url: "https://linear.example.com/ENG-1" },
              },
            }
          : { teams: { nodes: [{ id: "t1" }] } },
      }),
  },
  jira: { "POST /rest/api/3/issue": () => json({ id: "10001", key: "BUG-1" }) },
  notion: {
    "POST /v1/pages": () =>
      json({ id: "p1", url: "https://notion.example.com/p1", created_time: "2026-01-01T00:00:00Z" }),
  },
  gmail: {
    "POST /gmail/v1/users/me/messages/send": () => json({ id: "m2", threadId: "t1", labelIds: ["SENT"] }),
    "POST /gmail/v1/users/me/messages/m1/modify": () => json({ id: "m1", labelIds: ["STARRED"] }),
    "POST /upload/gmail/v1/users/me/messages/send": () => json({ id: "m2", threadId: "t1", labelIds: ["SENT"] }),
    "GET /gmail/v1/users/me/": () => json({ id: "t1", messages: [] }),
  },
  google_sheets: {
    "GET /v4/spreadsheets/": () =>
      json({
        range: "Sheet1!A1:C3",
        values: [
          ["Email", "Name", "Sent"],
          ["ann@example.com", "Ann"],
          ["bob@example.com", "Bob", "2026-01-01"],
        ],
      }),
    "PUT /v4/spreadsheets/": () => json({ updatedRange: "Sheet1!C2", updatedRows: 1, updatedCells: 1 }),
  },
  google_calendar: {
    "GET /calendar/v3/calendars/primary/events": () =>
      json({
        items: [
          {
            id: "e1",
            summary: "Stand-up",
            status: "confirmed",
            start: { dateTime: "2026-01-31T09:00:00Z" },
            end: { dateTime: "2026-01-31T09:15:00Z" },
          },
        ],
      }),
  },
  google_drive: { "POST /upload/drive/v3/files": () => json({ id: "f1", name: "orders.csv", mimeType: "text/csv" }) },
  telegram_bot: {
    "POST /bot": () => json({ ok: true, result: { message_id: 9, chat: { id: 1 }, date: 1_760_000_000 } }),
  },
  discord_bot: { "POST /channels/": () => json({ id: "99", channel_id: "1", timestamp: "2026-01-01T00:00:00Z" }) },
  twilio: {
    "POST /2010-04-01/Accounts/": () => ({
      status: 201,
      body: { sid: "SM1", status: "queued", to: "+15555550100", num_segments: "1" },
    }),
  },
  deepl: { "POST /v2/translate": () => json({ translations: [{ text: "Hallo", detected_source_language: "EN" }] }) },
  model: {
    "POST /chat/completions": () =>
      json({
        id: "1",
        created: 1,
        model: "m-1",
        choices: [
          { index: 0, finish_reason: "stop", message: { role: "assistant", content: "URGENT: The shop is down." } },
        ],
      }),
  },
  site: {
    "GET /feed.xml": () => ({
      type: "application/rss+xml",
      body: '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>First</title><link>https://example.com/1</link><guid>1</guid><pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>',
    }),
    "GET /price.json": () => json({ price: 42 }),
    "GET /": () => ({ type: "text/html", body: "<p>Hello</p>" }),
  },
  down: { "GET /": () => ({ status: 503, type: "text/plain", body: "Down" }) },
};

/** Services on loopback, each below its name, that answer as those of their vendors do and remember what they were sent. */
export async function startFakeServices() {
  let sent: Sent[] = [];
  const server = createServer((request, response) => void respond(request, response));

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, service = "", rest = "/"] = /^\/(\w+)(\/.*)?$/.exec(request.url ?? "") ?? [];
    const [call, body] = [`${request.method} ${rest}`, await text(request)];
    sent.push({ service, call, body });
    const known = Object.entries(answers[service] ?? {}).find(([beginning]) => call.startsWith(beginning))?.[1];
    const {
      status = 200,
      type = "application/json",
      body: answer,
    } = known?.(body) ?? { status: 599, body: { message: `nobody answers ${service} ${call}` } };
    response.writeHead(status, { "content-type": type });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Since it was asked for last. */
    takeSent(): Sent[] {
      const taken = sent;
      sent = [];
      return taken;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
