import { createHash } from "node:crypto";
import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { attachmentsInput, readAttachments, refuseLineBreaks } from "../_mail/attachments.ts";
import { withSmtp } from "./client.ts";
import { emailCredential } from "./credential.ts";

const addresses = z.array(z.string().min(1));
const mostAttachedBytes = 20 * 1024 * 1024;

export const action = defineAction({
  id: "email_send",
  title: "Send email",
  description: "Send an email over SMTP.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: emailCredential,
  input: z.strictObject({
    to: addresses.describe("Recipients."),
    subject: z.string().describe("Subject; in an answer that of the mail with Re: before it."),
    text: z.string().optional().describe("Body as plain text. Give text, html or both."),
    html: z.string().optional().meta({ title: "HTML" }).describe("Body as HTML. Give text, html or both."),
    cc: addresses.optional().describe("Copies."),
    bcc: addresses.optional().describe("Blind copies."),
    replyTo: z.string().min(1).optional().describe("Reply address."),
    inReplyTo: z
      .string()
      .min(1)
      .optional()
      .describe("Message-ID of the mail this answers, e.g. <abc@example.com>; email_search returns it."),
    references: z
      .array(z.string().min(1))
      .optional()
      .describe(
        "Message-IDs of the conversation, oldest first, as email_search returns them; inReplyTo is added where it is given.",
      ),
    attachments: attachmentsInput(mostAttachedBytes),
  }),
  output: z.object({
    messageId: z.string().optional().describe("Message-ID."),
    accepted: z.array(z.string()).describe("Accepted recipients."),
    rejected: z.array(z.string()).describe("Refused recipients."),
  }),
  async run({ input, idempotencyKey, clock, ...call }) {
    const { fromAddress, user } = call.credential;
    const from = readAddress(fromAddress ?? user, "the credential's fromAddress");
    if ([input.to, input.cc, input.bcc].every((list) => !list?.length))
      throw refuseInput("/to", "must name a recipient");
    const mail = {
      ...readBodies(input),
      from,
      to: readAddresses(input.to, "to"),
      cc: readAddresses(input.cc, "cc"),
      bcc: readAddresses(input.bcc, "bcc"),
      ...(input.replyTo === undefined ? {} : { replyTo: readAddress(input.replyTo, "/replyTo") }),
      subject: refuseLineBreaks(input.subject, "/subject"),
      ...readReply(input),
      attachments: readAttachments(input.attachments, mostAttachedBytes),
      date: clock.now(),
      // The same for every attempt, so that a mailbox can tell a repetition from a second mail.
      messageId: `<${createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 32)}@${from.address.split("@")[1]}>`,
    };
    const sent = await withSmtp(call, async (transport) => await transport.sendMail(mail));
    return [{ messageId: sent.messageId, accepted: sent.accepted.map(toText), rejected: sent.rejected.map(toText) }];
  },
});

type Reply = { inReplyTo?: string | undefined; references?: string[] | undefined };

/** What mail programs put an answer below the mail it answers by. */
function readReply({ inReplyTo, references = [] }: Reply) {
  const earlier = references.map((id, index) => toMessageId(id, `/references/${index}`));
  if (inReplyTo === undefined) return earlier.length === 0 ? {} : { references: earlier };
  const answered = toMessageId(inReplyTo, "/inReplyTo");
  return { inReplyTo: answered, references: [...earlier.filter((id) => id !== answered), answered] };
}

function toMessageId(text: string, pointer: string): string {
  const id = refuseLineBreaks(text.trim(), pointer).replace(/^<(.*)>$/, "$1");
  if (!/^[^\s<>]+$/.test(id)) throw refuseInput(pointer, "is not a Message-ID such as <abc@example.com>");
  return `<${id}>`;
}

type Address = { name: string; address: string };

const toText = (address: string | Address): string => (typeof address === "string" ? address : address.address);

function readBodies({ text, html }: { text?: string | undefined; html?: string | undefined }) {
  if (text === undefined && html === undefined) throw refuseInput("/text", "or html must be given");
  return { ...(text === undefined ? {} : { text }), ...(html === undefined ? {} : { html }) };
}

const readAddresses = (texts: string[] | undefined, field: string): Address[] =>
  (texts ?? []).map((text, index) => readAddress(text, `/${field}/${index}`));

/** `ann@example.com` or `Ann <ann@example.com>`: exactly one, so that a field never names more people than it has entries. */
function readAddress(text: string, pointer: string): Address {
  const [, name = "", bracketed, bare] =
    /^(?:(.*?)\s*<([^<>]*)>|([^<>]*))$/.exec(refuseLineBreaks(text.trim(), pointer)) ?? [];
  const address = bracketed ?? bare ?? "";
  if (!/^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/.test(address))
    throw refuseInput(pointer, "is not an email address");
  return { name: name.replace(/^"(.*)"$/, "$1").replaceAll(/\\(.)/g, "$1"), address };
}
