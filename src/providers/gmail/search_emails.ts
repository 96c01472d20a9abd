import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { createRoom, findAttachedBytes, includeAttachmentsInput, receivedOutput } from "../_mail/attachments.ts";
import { gmailCredential } from "./credential.ts";
import { readMessage } from "./read-message.ts";

const mostAtOnce = 5;

export const action = defineAction({
  id: "gmail_search_emails",
  title: "Search emails",
  description: "Search messages with Gmail query syntax.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: gmailCredential,
  input: z.strictObject({
    query: z.string().optional().describe("Gmail query, e.g. from:x is:unread."),
    labelIds: z
      .array(z.string().meta({ choices: "labels" }))
      .optional()
      .describe("Only messages with all of these labels: their ids, e.g. INBOX, or as in the labelIds of a message."),
    includeBody: z.boolean().default(false).describe("Return text bodies."),
    includeAttachments: includeAttachmentsInput(),
    limit: z.int().min(1).max(50).default(10).describe("Most items to return (1-50)."),
  }),
  output: z.object({
    id: z.string().describe("Message id."),
    threadId: z.string().optional().describe("Id of the conversation."),
    from: z.string().optional().describe("Sender."),
    to: z.string().optional().describe("Recipients."),
    cc: z.string().optional().describe("Recipients of a copy."),
    subject: z.string().optional().describe("Subject line."),
    date: z.string().optional().describe("Date header of the mail."),
    snippet: z.string().optional().describe("First words of the mail."),
    labelIds: z.array(z.string()).describe("Labels, e.g. INBOX, UNREAD."),
    body: z.string().optional().describe("Plain text when asked."),
    attachments: receivedOutput().describe("Attached files, where bodies or attachments were asked for."),
  }),
  findBytes: findAttachedBytes,
  async run({ input: { query, labelIds, includeBody, includeAttachments, limit }, http }) {
    const request = {
      includeBody,
      isFull: includeBody || includeAttachments,
      hasRoom: includeAttachments ? createRoom() : () => false,
    };
    const ids = await collectPages<string, string>(limit, async (pageToken, wanted) => {
      const answer = await http.json({
        path: "/gmail/v1/users/me/messages",
        query: { q: query, labelIds, maxResults: wanted, pageToken },
      });
      return {
        items: listAt(answer, "messages").flatMap((message) => textAt(message, "id") ?? []),
        next: textAt(answer, "nextPageToken"),
      };
    });
    const items = [];
    for (let start = 0; start < ids.length; start += mostAtOnce) {
      const some = ids.slice(start, start + mostAtOnce);
      items.push(...(await Promise.all(some.map((id) => readMessage(http, id, request)))));
    }
    return items.flat();
  },
});
