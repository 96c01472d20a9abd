import type { FetchMessageObject, MessageAddressObject } from "imapflow";
import { z } from "zod";
import { defineTool } from "../../contract/tool.ts";
import { withImap } from "./client.ts";
import { emailCredential } from "./credential.ts";

const mostSourceBytes = 64 * 1024;
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
    unseenOnly: z.boolean().default(false).meta({ title: "Only unread" }).describe("Only unread."),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    uid: z.int().describe("IMAP UID."),
    messageId: z.string().optional().describe("Message-ID header of the mail."),
    from: z.string().optional().describe("Sender."),
    to: z.array(z.string()).describe("Recipients."),
    subject: z.string().optional().describe("Subject line."),
    date: z.string().optional().describe("Time sent, ISO 8601."),
    snippet: z.string().describe("Start of the text."),
    seen: z.boolean().describe("Whether it was read."),
  }),
  run: async ({ input: { mailbox, from, subject, text, since, unseenOnly, limit }, ...call }) =>
    await withImap(call, async (client) => {
      // Opened with EXAMINE and read with BODY.PEEK: nothing is marked as seen.
      await client.mailboxOpen(mailbox, { readOnly: true });
      const wanted = { from, subject, text, since, ...(unseenOnly ? { seen: false } : {}) };
      const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
      const found = await client.search(Object.keys(given).length === 0 ? { all: true } : given, { uid: true });
      const newest = (found || []).sort((one, other) => other - one).slice(0, limit);
      if (newest.length === 0) return [];
      const parts = { uid: true, flags: true, envelope: true, internalDate: true, source: { start: 0, maxLength: mostSourceBytes } };
      const messages = await client.fetchAll(newest.join(","), parts, { uid: true });
      return await Promise.all(messages.sort((one, other) => other.uid - one.uid).map(toItem));
    }),
});

async function toItem({ uid, flags, envelope, internalDate, source }: FetchMessageObject) {
  const date = [envelope?.date, internalDate]
    .map((moment) => new Date(moment ?? Number.NaN))
    .find((moment) => !Number.isNaN(moment.getTime()));
  return {
    uid,
    messageId: envelope?.messageId || undefined,
    from: envelope?.from?.map(toText)[0],
    to: (envelope?.to ?? []).map(toText),
    subject: envelope?.subject,
    date: date?.toISOString(),
    snippet: await readSnippet(source),
    seen: flags?.has("\\Seen") ?? false,
  };
}

const toText = ({ name, address }: MessageAddressObject): string => (name ? `${name} <${address ?? ""}>` : (address ?? ""));

async function readSnippet(source: Buffer | undefined): Promise<string> {
  if (!source) return "";
  const { default: PostalMime } = await import("postal-mime");
  const { text, html } = await PostalMime.parse(source);
  const words = text?.trim() ? text : (html ?? "").replaceAll(/<(style|script)\b.*?<\/\1>|<[^>]*>/gis, " ");
  return words.replaceAll(/\s+/g, " ").trim().slice(0, snippetLetters);
}
