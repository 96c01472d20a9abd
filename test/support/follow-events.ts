import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Browser } from "./browser-client.ts";

type Seen = { name: string; data: { id: string; status: string } };

/** What the page's EventSource would see of an organization. */
export async function followEvents(platformUrl: string, browser: Browser, organizationId: string) {
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  const request = get(`${platformUrl}/api/organizations/${organizationId}/events`, { headers: { cookie }, agent: false });
  request.on("error", () => {});
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  const events: Seen[] = [];
  let text = "";
  response.on("data", (chunk: Buffer) => {
    const blocks = (text + chunk.toString()).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/, 2)));
      if (fields.data !== undefined) events.push({ name: fields.event, data: JSON.parse(fields.data) });
    }
  });
  return { events, kill: () => request.destroy() };
}
