import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Browser } from "../browser-client.ts";

export type Seen = { name: string; data: { id: string; status: string } };

/** What the page's EventSource would see of an organization, from the event on that it saw last. */
export async function followEvents(
  platformUrl: string,
  browser: Browser,
  organizationId: string,
  lastEventId?: string,
) {
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  const headers = { cookie, ...(lastEventId ? { "last-event-id": lastEventId } : {}) };
  const request = get(`${platformUrl}/api/organizations/${organizationId}/events`, { headers, agent: false });
  request.on("error", () => {});
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  const events: Seen[] = [];
  const stream = { events, lastId: lastEventId, kill: () => request.destroy() };
  let text = "";
  response.on("data", (chunk: Buffer) => {
    const blocks = (text + chunk.toString()).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/, 2)));
      stream.lastId = fields.id ?? stream.lastId;
      if (fields.data !== undefined) events.push({ name: fields.event, data: JSON.parse(fields.data) });
    }
  });
  return stream;
}
