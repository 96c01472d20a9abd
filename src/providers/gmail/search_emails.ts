import { z } from "zod";
import type { Http } from "../../contract/http.ts";
import { path } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { at, listAt, textAt, textsAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { gmailCredential } from "./credential.ts";
import { readBody } from "./read-body.ts";

const mostAtOnce = 5;
const shownHeaders = ["From", "To", "Subject", "Date"];

export const tool = defineTool({
  id: "gmail_search_emails",
  title: "Search emails",
  description: "Search messages with Gmail query syntax.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: gmailCredential,
  input: z.strictObject({
    query: z.string().optional().describe("Gmail query, e.g. from:x is:unread."),
    labelIds: z.array(z.string()).optional().describe("Only with these labels."),
    includeBody: z.boolean().default(false).describe("Return text bodies."),
    limit: z.int().min(1).max(50).default(10).describe("Most items to return (1-50)."),
  }),
  output: z.object({
    id: z.string().describe("Message id."),
    threadId: z.string().optional().describe("Id of the conversation."),
    from: z.string().optional().describe("Sender."),
    to: z.string().optional().describe("Recipients."),
    subject: z.string().optional().describe("Subject line."),
    date: z.string().optional().describe("Date header of the mail."),
    snippet: z.string().optional().describe("First words of the mail."),
    labelIds: z.array(z.string()).describe("Labels, e.g. INBOX, UNREAD."),
    body: z.string().optional().describe("Plain text when asked."),
  }),
  async run({ input: { query, labelIds, includeBody, limit }, http }) {
    const ids = await collectPages<string, string>(limit, async (pageToken, wanted) => {
      const answer = await http.json({ path: "/gmail/v1/users/me/messages", query: { q: query, labelIds, maxResults: wanted, pageToken } });
      return { items: listAt(answer, "messages").flatMap((message) => textAt(message, "id") ?? []), next: textAt(answer, "nextPageToken") };
    });
    const items = [];
    for (let start = 0; start < ids.length; start += mostAtOnce) {
      const some = ids.slice(start, start + mostAtOnce);
      items.push(...(await Promise.all(some.map((id) => readMessage(http, id, includeBody)))));
    }
    return items.flat();
  },
});

/** Nothing when the message has gone since it was found. */
async function readMessage(http: Http, id: string, includeBody: boolean) {
  const query = includeBody ? { format: "full" } : { format: "metadata", metadataHeaders: shownHeaders };
  const message = await http.json({ path: path`/gmail/v1/users/me/messages/${id}`, query, alsoAccept: [404] });
  if (at(message, "error") !== undefined) return [];
  const headers = listAt(message, "payload", "headers");
  const header = (name: string) =>
    textAt(
      headers.find((entry) => textAt(entry, "name")?.toLowerCase() === name),
      "value",
    );
  return [
    {
      id,
      threadId: textAt(message, "threadId"),
      from: header("from"),
      to: header("to"),
      subject: header("subject"),
      date: header("date"),
      snippet: textAt(message, "snippet"),
      labelIds: textsAt(message, "labelIds"),
      body: includeBody ? readBody(at(message, "payload")) : undefined,
    },
  ];
}
