import { createHash } from "node:crypto";
import { z } from "zod";
import { refuseInput } from "../../contract/refuse-input.ts";
import { defineTool } from "../../contract/tool.ts";
import { withSmtp } from "./client.ts";
import { emailCredential } from "./credential.ts";

const addresses = z.array(z.string().min(1));
const attachment = z.strictObject({
  filename: z.string().min(1).describe("File name, e.g. report.pdf."),
  contentBase64: z.string().meta({ title: "Content as base64" }).describe("Content as base64; all attachments together at most 20 MB."),
  mimeType: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/)
    .optional()
    .meta({ title: "MIME type" })
    .describe("Media type, e.g. application/pdf; guessed from the name when absent."),
});
const mostAttachedBytes = 20 * 1024 * 1024;

export const tool = defineTool({
  id: "email_send",
  title: "Send email",
  description: "Send an email over SMTP.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: emailCredential,
  input: z.strictObject({
    to: addresses.describe("Recipients."),
    subject: z.string().describe("Subject."),
    text: z.string().optional().describe("Body as plain text. Give text, html or both."),
    html: z.string().optional().meta({ title: "HTML" }).describe("Body as HTML. Give text, html or both."),
    cc: addresses.optional().describe("Copies."),
    bcc: addresses.optional().describe("Blind copies."),
    replyTo: z.string().min(1).optional().describe("Reply address."),
    attachments: z.array(attachment).optional().describe("Files to attach, each {filename, contentBase64, mimeType}."),
  }),
  output: z.object({
    messageId: z.string().optional().describe("Message-ID."),
    accepted: z.array(z.string()).describe("Accepted recipients."),
    rejected: z.array(z.string()).describe("Refused recipients."),
  }),
  async run({ input, idempotencyKey, clock, ...call }) {
    const { fromAddress, user } = call.credential;
    const from = readAddress(fromAddress ?? user, "the credential's fromAddress");
    if ([input.to, input.cc, input.bcc].every((list) => !list?.length)) throw refuseInput("/to", "must name a recipient");
    const mail = {
      ...readBodies(input),
      from,
      to: readAddresses(input.to, "to"),
      cc: readAddresses(input.cc, "cc"),
      bcc: readAddresses(input.bcc, "bcc"),
      ...(input.replyTo === undefined ? {} : { replyTo: readAddress(input.replyTo, "/replyTo") }),
      subject: refuseLineBreaks(input.subject, "/subject"),
      attachments: readAttachments(input.attachments ?? []),
      date: clock.now(),
      // The same for every attempt, so that a mailbox can tell a repetition from a second mail.
      messageId: `<${createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 32)}@${from.address.split("@")[1]}>`,
    };
    const sent = await withSmtp(call, async (transport) => await transport.sendMail(mail));
    return [{ messageId: sent.messageId, accepted: sent.accepted.map(toText), rejected: sent.rejected.map(toText) }];
  },
});

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
  const [, name = "", bracketed, bare] = /^(?:(.*?)\s*<([^<>]*)>|([^<>]*))$/.exec(refuseLineBreaks(text.trim(), pointer)) ?? [];
  const address = bracketed ?? bare ?? "";
  if (!/^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/.test(address)) throw refuseInput(pointer, "is not an email address");
  return { name: name.replace(/^"(.*)"$/, "$1").replaceAll(/\\(.)/g, "$1"), address };
}

function readAttachments(attachments: z.output<typeof attachment>[]) {
  const files = attachments.map(({ filename, contentBase64, mimeType }, index) => {
    const content = Buffer.from(contentBase64, "base64");
    const isBase64 = content.toString("base64").replace(/=+$/, "") === contentBase64.replaceAll(/\s/g, "").replace(/=+$/, "");
    if (!isBase64) throw refuseInput(`/attachments/${index}/contentBase64`, "is not base64");
    const name = refuseLineBreaks(filename, `/attachments/${index}/filename`);
    return { filename: name, content, ...(mimeType === undefined ? {} : { contentType: mimeType }) };
  });
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > mostAttachedBytes) throw refuseInput("/attachments", "are larger than 20 MB together");
  return files;
}

function refuseLineBreaks(text: string, pointer: string): string {
  if (/[\r\n]/.test(text) || text.includes("\0")) throw refuseInput(pointer, "must not contain line breaks");
  return text;
}
