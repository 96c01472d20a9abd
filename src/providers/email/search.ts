import type { FetchMessageObject, ImapFlow, MessageAddressObject, MessageEnvelopeObject } from "imapflow";
import { z } from "zod";
import { defineTool } from "../../contract/tool.ts";
import { createRoom, findAttachedBytes, includeAttachmentsInput, receivedOutput } from "../_mail/attachments.ts";
import { htmlToText } from "../_mail/html-to-text.ts";
import { withImap } from "./client.ts";
import { emailCredential } from "./credential.ts";
import { readParts } from "./read-parts.ts";

const snippetSourceBytes = 64 * 1024;
const bodySourceBytes = 256 * 1024;
const snippetLetters = 300;

export const tool = defineTool({
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
    references: z.array(z.string()).optional().describe("Message-IDs of the conversation before this mail, oldest first."),
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
      const source = { start: 0, maxLength: includeBody ? bodySourceBytes : snippetSourceBytes };
      const parts = { uid: true, flags: true, envelope: true, internalDate: true, bodyStructure: true, source };
      const messages = (await client.fetchAll(newest.join(","), parts, { uid: true })).sort((one, other) => other.uid - one.uid);
      const hasRoom = includeAttachments ? createRoom() : () => false;
      const items = [];
      // One after the other, because a connection answers one command at a time.
      for (const message of messages)
        items.push({ ...(await toItem(message, includeBody)), attachments: await readParts(client, message, hasRoom) });
      return items;
    }),
});

/** Newest first. */
async function find(client: ImapFlow, wanted: Record<string, unknown>): Promise<number[]> {
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  const found = await client.search(Object.keys(given).length === 0 ? { all: true } : given, { uid: true });
  return (found || []).sort((one, other) => other - one);
}

async function toItem({ uid, flags, envelope, internalDate, source }: FetchMessageObject, includeBody: boolean) {
  const date = [envelope?.date, internalDate]
    .map((moment) => new Date(moment ?? Number.NaN))
    .find((moment) => !Number.isNaN(moment.getTime()));
  const { text, references } = await readSource(source);
  const isBodyCut = includeBody && (source?.length ?? 0) >= bodySourceBytes;
  return {
    uid,
    messageId: envelope?.messageId || undefined,
    from: envelope?.from?.map(toText)[0],
    to: (envelope?.to ?? []).map(toText),
    ...(envelope?.cc?.length ? { cc: envelope.cc.map(toText) } : {}),
    ...(references.length > 0 ? { references } : {}),
    replyTo: replyAddressOf(envelope),
    subject: envelope?.subject,
    date: date?.toISOString(),
    snippet: text.replaceAll(/\s+/g, " ").trim().slice(0, snippetLetters),
    seen: flags?.has("\\Seen") ?? false,
    ...(includeBody ? { body: text } : {}),
    ...(isBodyCut ? { isBodyCut } : {}),
  };
}

/** Servers fill it with the sender where the mail has none. */
function replyAddressOf(envelope: MessageEnvelopeObject | undefined): string | undefined {
  const [answer] = envelope?.replyTo ?? [];
  return answer && answer.address !== envelope?.from?.[0]?.address ? toText(answer) : undefined;
}

const toText = ({ name, address }: MessageAddressObject): string => (name ? `${name} <${address ?? ""}>` : (address ?? ""));

async function readSource(source: Buffer | undefined): Promise<{ text: string; references: string[] }> {
  if (!source) return { text: "", references: [] };
  const { default: PostalMime } = await import("postal-mime");
  const { text, html, references } = await PostalMime.parse(source);
  return { text: text?.trim() ? text.trim() : htmlToText(html ?? ""), references: references?.match(/<[^<>\s]+>/g) ?? [] };
}
