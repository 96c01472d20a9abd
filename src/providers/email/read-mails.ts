import type { FetchMessageObject, ImapFlow, MessageAddressObject, MessageEnvelopeObject } from "imapflow";
import { htmlToText } from "../_mail/html-to-text.ts";
import { readParts, textEnd } from "./read-parts.ts";

const snippetSourceBytes = 64 * 1024;
const bodySourceBytes = 256 * 1024;
const snippetLetters = 300;

/** Which of the open mailbox: by UID, or by position. */
type Which = { range: string; isUid: boolean };
type ReadRequest = { includeBody: boolean; hasRoom: (bytes: number) => boolean; newestFirst: boolean };

/** Reads mails of the mailbox that is open, with BODY.PEEK: nothing is marked as seen. */
export async function readMails(
  client: ImapFlow,
  { range, isUid }: Which,
  { includeBody, hasRoom, newestFirst }: ReadRequest,
) {
  const source = { start: 0, maxLength: includeBody ? bodySourceBytes : snippetSourceBytes };
  const parts = { uid: true, flags: true, envelope: true, internalDate: true, bodyStructure: true, source };
  const order = newestFirst ? -1 : 1;
  const messages = (await client.fetchAll(range, parts, { uid: isUid })).sort(
    (one, other) => (one.uid - other.uid) * order,
  );
  const items = [];
  // One after the other, because a connection answers one command at a time.
  for (const message of messages)
    items.push({ ...(await toItem(message, includeBody)), attachments: await readParts(client, message, hasRoom) });
  return items;
}

async function toItem(
  { uid, flags, envelope, internalDate, source, bodyStructure }: FetchMessageObject,
  includeBody: boolean,
) {
  const date = [envelope?.date, internalDate]
    .map((moment) => new Date(moment ?? Number.NaN))
    .find((moment) => !Number.isNaN(moment.getTime()));
  const { text, references } = await readSource(source);
  const isBodyCut =
    includeBody && (source?.length ?? 0) >= bodySourceBytes && textEnd(source, bodyStructure) > bodySourceBytes;
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

const toText = ({ name, address }: MessageAddressObject): string =>
  name ? `${name} <${address ?? ""}>` : (address ?? "");

async function readSource(source: Buffer | undefined): Promise<{ text: string; references: string[] }> {
  if (!source) return { text: "", references: [] };
  const { default: PostalMime } = await import("postal-mime");
  // A mail in too many layers is refused; whoever sends one must not keep all others from being read.
  const { text, html, references } = await PostalMime.parse(source).catch(() => ({
    text: "",
    html: "",
    references: undefined,
  }));
  return {
    text: text?.trim() ? text.trim() : htmlToText(html ?? ""),
    references: references?.match(/<[^<>\s]+>/g) ?? [],
  };
}
