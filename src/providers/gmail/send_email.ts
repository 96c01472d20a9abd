import { randomUUID } from "node:crypto";
import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import type { Http } from "../../contract/http.ts";
import { textAt, textsAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { attachmentsInput, readAttachments } from "../_mail/attachments.ts";
import { gmailCredential } from "./credential.ts";
import { readThread } from "./read-thread.ts";

/** Of the mail as it is sent Gmail takes 25 MB; base64 makes a third more of the files. */
const mostAttachedBytes = 18 * 1024 * 1024;
/** Longer ones go to the address for uploads. */
const mostInlineBytes = 3 * 1024 * 1024;

export const action = defineAction({
  id: "gmail_send_email",
  title: "Send email",
  description: "Send an email from the connected account.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: gmailCredential,
  input: z.strictObject({
    to: z.array(z.string().min(1)).describe("Addresses of the recipients, e.g. ann@example.com."),
    subject: z.string().describe("Subject line. Leave it empty in a reply to have that of the conversation."),
    text: z.string().optional().describe("Body as plain text. Give text, html or both."),
    html: z.string().optional().describe("Body as HTML. Give text, html or both.").meta({ title: "HTML" }),
    cc: z.array(z.string().min(1)).optional().describe("Recipients of a copy."),
    bcc: z.array(z.string().min(1)).optional().describe("Recipients of a copy that the others do not see."),
    replyTo: z.string().min(1).optional().describe("Address for answers, when it is not that of the account."),
    threadId: z.string().optional().describe("Id of the conversation to reply in; gmail_search_emails finds it."),
    attachments: attachmentsInput(mostAttachedBytes),
  }),
  output: z.object({
    id: z.string().optional().describe("Message id."),
    threadId: z.string().optional().describe("Id of the conversation."),
    labelIds: z.array(z.string()).describe("Labels it has, e.g. SENT."),
  }),
  async run({ input: { threadId, subject, attachments, ...mail }, http, clock, idempotencyKey }) {
    const files = readAttachments(attachments, mostAttachedBytes);
    // Gmail puts a mail into a conversation only where it has the headers of a reply and the same subject.
    const thread = threadId ? await readThread(http, threadId) : undefined;
    const raw = await composeMail({
      ...mail,
      ...thread?.headers,
      subject: subject === "" ? (thread?.subject ?? "") : subject,
      attachments: files,
      date: clock.now(),
      messageId: `<${idempotencyKey}@mail.gmail.com>`,
    });
    const sent = await send(http, raw, threadId);
    return [
      {
        id: requireProof("Gmail", textAt(sent, "id"), "message id"),
        threadId: textAt(sent, "threadId"),
        labelIds: textsAt(sent, "labelIds"),
      },
    ];
  },
});

async function send(http: Http, raw: Buffer, threadId: string | undefined): Promise<unknown> {
  const place = "/gmail/v1/users/me/messages/send";
  if (raw.length <= mostInlineBytes)
    return await http.json({ method: "POST", path: place, json: { raw: raw.toString("base64url"), threadId } });
  const boundary = randomUUID();
  return await http.json({
    method: "POST",
    path: `/upload${place}`,
    query: { uploadType: "multipart" },
    headers: { "content-type": `multipart/related; boundary=${boundary}` },
    body: Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify({ threadId })}\r\n`,
      ),
      Buffer.from(`--${boundary}\r\nContent-Type: message/rfc822\r\n\r\n`),
      raw,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  });
}

type Mail = {
  to: string[];
  subject: string;
  text?: string | undefined;
  html?: string | undefined;
  cc?: string[] | undefined;
  bcc?: string[] | undefined;
  replyTo?: string | undefined;
  inReplyTo?: string;
  references?: string[];
  attachments: ReturnType<typeof readAttachments>;
  date: Date;
  messageId: string;
};

async function composeMail({ text, html, replyTo, ...mail }: Mail): Promise<Buffer> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const bodies = {
    ...(text === undefined && html !== undefined ? {} : { text: text ?? "" }),
    ...(html === undefined ? {} : { html }),
  };
  const further = replyTo === undefined ? {} : { replyTo };
  const message = new MailComposer({
    ...mail,
    ...bodies,
    ...further,
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  // Gmail reads the recipients from the message and takes this header out itself.
  message.keepBcc = true;
  return await message.build();
}
