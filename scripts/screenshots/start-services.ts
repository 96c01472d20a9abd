import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

const preferredPort = 4010;
/** After so many visits the shop breaks down. */
const shopOpenFor = 3;

/** GitHub, Slack, Notion, a language model and a shop, as far as the pictures need them, at one address on loopback. */
export async function startServices(choosePort: (preferred: number) => Promise<number>) {
  const port = await choosePort(preferredPort);
  let shopVisits = 0;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const isClosed = request.url === "/shop" && ++shopVisits > shopOpenFor;
    const { status = 200, body } = isClosed
      ? { status: 503, body: { message: "The shop is being repaired." } }
      : answer(request, sent);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = { status?: number; body: unknown };

function answer(request: IncomingMessage, sent: string): Answer {
  const path = (request.url ?? "").split("?")[0] ?? "";
  if (path === "/chat.postMessage" && sent.includes("C0RANDOM"))
    return { body: { ok: false, error: "channel_not_found" } };
  if (/\/issues\/\d+\/comments$/.test(path))
    return { status: 201, body: { id: 9001, html_url: "https://github.com/northwind/shop/issues/412" } };
  return { body: bodies[path] ?? {} };
}

const issue = (number: number, title: string, ...labels: string[]) => ({
  number,
  title,
  state: "open",
  repository_url: "https://api.github.com/repos/northwind/shop",
  user: { login: ["maria", "jonas", "li-wei"][number % 3] },
  labels: labels.map((name) => ({ name })),
  html_url: `https://github.com/northwind/shop/issues/${number}`,
  updated_at: "2026-01-31T09:12:00Z",
});

const summary =
  "Four bugs are open. Two concern payments; the refund that fails for gift cards is urgent. One concerns search, one the start page.";

const bodies: Record<string, unknown> = {
  "/shop": { open: true },
  "/user": { login: "northwind-bot" },
  "/search/issues": {
    items: [
      issue(412, "Refund fails for gift cards", "bug", "payments", "urgent"),
      issue(409, "Total is rounded twice in the receipt", "bug", "payments"),
      issue(405, "Search finds nothing after an umlaut", "bug", "search"),
      issue(398, "Start page jumps while loading", "bug"),
    ],
  },
  "/auth.test": { ok: true, team: "Northwind" },
  "/chat.postMessage": { ok: true, ts: "1769850720.000100", channel: "C0ENGINEERING" },
  "/conversations.list": { ok: true, channels: [{ id: "C0ENGINEERING", name: "engineering" }] },
  "/v1/users/me": { object: "user" },
  "/v1/pages": { id: "2f1c", url: "https://www.notion.so/2f1c", created_time: "2026-01-31T09:12:00Z" },
  "/v1/search": { results: [], has_more: false },
  "/v1/chat/completions": {
    id: "1",
    created: 1,
    model: "example",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: summary } }],
  },
};
