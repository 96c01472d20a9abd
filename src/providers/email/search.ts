import type { ImapFlow } from "imapflow";
import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { createRoom, findAttachedBytes, includeAttachmentsInput, receivedOutput } from "../_mail/attachments.ts";
import { withImap } from "./client.ts";
import { emailCredential } from "./credential.ts";
import { readMails } from "./read-mails.ts";

export const action = defineAction({
  id: "email_search",
  title: "Search mailbox",
  description: "Search messages in a mailbox over IMAP.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: emailCredential,
  input: z.strictObject({
    mailbox: z.string().min(1).default("INBOX").describe("Mailbox name."),
    from: z.string().min(1).optional().describe("Sender contains."),
    subject: z.string().min(1).optional().describe("Subject contains."),
    text: z.string().min(1).optional().describe("Text contains."),
    since: z.iso.date().optional().describe("Date, YYYY-MM-DD."),
    includeBody: z.boolean().default(false).describe("Return the text of the messages."),
    includeAttachments: includeAttachmentsInput(),
    unseenOnly: z.boolean().default(false).meta({ title: "Only unread" }).describe("Only unread."),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    uid: z.int().describe("IMAP UID."),
    messageId: z.string().optional().describe("Message-ID header of the mail."),
    from: z.string().optional().describe("Sender."),
    to: z.array(z.string()).describe("Recipients."),
    cc: z.array(z.string()).optional().describe("Recipients of a copy."),
    replyTo: z.string().optional().describe("Where the sender wants answers."),
    references: z
      .array(z.string())
      .optional()
      .describe("Message-IDs of the conversation before this mail, oldest first."),
    subject: z.string().optional().describe("Subject line."),
    date: z.string().optional().describe("Time sent, ISO 8601."),
    snippet: z.string().describe("Start of the text."),
    seen: z.boolean().describe("Whether it was read."),
    body: z.string().optional().describe("Text of the mail when asked for."),
    isBodyCut: z.boolean().optional().describe("True where the text goes on after what is returned."),
    attachments: receivedOutput(),
  }),
  findBytes: findAttachedBytes,
  run: async ({ input: { mailbox, limit, includeBody, includeAttachments, unseenOnly, ...words }, ...call }) =>
    await withImap(call, async (client) => {
      // Opened with EXAMINE and read with BODY.PEEK: nothing is marked as seen.
      await client.mailboxOpen(mailbox, { readOnly: true });
      const newest = (await find(client, { ...words, ...(unseenOnly ? { seen: false } : {}) })).slice(0, limit);
      if (newest.length === 0) return [];
      const hasRoom = includeAttachments ? createRoom() : () => false;
      return await readMails(
        client,
        { range: newest.join(","), isUid: true },
        { includeBody, hasRoom, newestFirst: true },
      );
    }),
});

/** Newest first. */
async function find(client: ImapFlow, wanted: Record<string, unknown>): Promise<number[]> {
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  const found = await client.search(Object.keys(given).length === 0 ? { all: true } : given, { uid: true });
  return (found || []).sort((one, other) => other - one);
}
