import { z } from "zod";
import { textAt, textsAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { defineTool } from "../../contract/tool.ts";
import { gmailCredential } from "./credential.ts";

export const tool = defineTool({
  id: "gmail_send_email",
  title: "Send email",
  description: "Send an email from the connected account.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: gmailCredential,
  input: z.strictObject({
    to: z.array(z.string().min(1)).describe("Addresses of the recipients, e.g. ann@example.com."),
    subject: z.string().describe("Subject line."),
    text: z.string().optional().describe("Body as plain text. Give text, html or both."),
    html: z.string().optional().describe("Body as HTML. Give text, html or both.").meta({ title: "HTML" }),
    cc: z.array(z.string().min(1)).optional().describe("Recipients of a copy."),
    bcc: z.array(z.string().min(1)).optional().describe("Recipients of a copy that the others do not see."),
    threadId: z.string().optional().describe("Id of the conversation to reply in; gmail_search_emails finds it."),
  }),
  output: z.object({
    id: z.string().optional().describe("Message id."),
    threadId: z.string().optional().describe("Id of the conversation."),
    labelIds: z.array(z.string()).describe("Labels it has, e.g. SENT."),
  }),
  async run({ input: { threadId, ...mail }, http, clock, idempotencyKey }) {
    const raw = await composeMail({ ...mail, date: clock.now(), messageId: `<${idempotencyKey}@mail.gmail.com>` });
    const json = { raw: raw.toString("base64url"), threadId };
    const sent = await http.json({ method: "POST", path: "/gmail/v1/users/me/messages/send", json });
    return [
      {
        id: requireProof("Gmail", textAt(sent, "id"), "message id"),
        threadId: textAt(sent, "threadId"),
        labelIds: textsAt(sent, "labelIds"),
      },
    ];
  },
});

type Mail = {
  to: string[];
  subject: string;
  text?: string | undefined;
  html?: string | undefined;
  cc?: string[] | undefined;
  bcc?: string[] | undefined;
  date: Date;
  messageId: string;
};

async function composeMail({ text, html, ...mail }: Mail): Promise<Buffer> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const bodies = { ...(text === undefined && html !== undefined ? {} : { text: text ?? "" }), ...(html === undefined ? {} : { html }) };
  const message = new MailComposer({ ...mail, ...bodies, disableFileAccess: true, disableUrlAccess: true }).compile();
  // Gmail reads the recipients from the message and takes this header out itself.
  message.keepBcc = true;
  return await message.build();
}
