import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { attachmentsInput, readAttachments } from "../_mail/attachments.ts";
import { microsoftOutlookCredential } from "./credential.ts";

/** A request to Graph has 4 MB, and base64 makes a third more of the files. */
const mostAttachedBytes = 2.5 * 1024 * 1024;

export const action = defineAction({
  id: "microsoft_outlook_send_email",
  title: "Send email",
  description: "Send an email from the connected mailbox.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: microsoftOutlookCredential,
  input: z.strictObject({
    to: z.array(z.string().min(1)).describe("Addresses of the recipients."),
    subject: z.string().describe("Subject line. Leave it empty in a reply to have that of the mail."),
    body: z.string().describe("Body, in the form that bodyType names."),
    bodyType: z.enum(["text", "html"]).default("text").describe("Whether the body is plain text or HTML."),
    cc: z.array(z.string().min(1)).optional().describe("Addresses that get a copy."),
    bcc: z.array(z.string().min(1)).optional().describe("Addresses that get a copy the others do not see."),
    replyTo: z
      .array(z.string().min(1))
      .optional()
      .describe("Addresses for answers, when it is not that of the mailbox."),
    replyToMessageId: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Id of the mail this answers; microsoft_outlook_search_emails finds it. Such a mail is always kept in Sent Items.",
      ),
    attachments: attachmentsInput(mostAttachedBytes),
    saveToSentItems: z.boolean().default(true).describe("Whether to keep a copy in Sent Items."),
  }),
  output: z.object({
    accepted: z.boolean().describe("Graph answers 202 without a body."),
    recipients: z.array(z.string()).describe("Everybody it was sent to."),
  }),
  async run({
    input: { to, subject, body, bodyType, cc, bcc, replyTo, replyToMessageId, attachments, saveToSentItems },
    http,
  }) {
    const files = readAttachments(attachments, mostAttachedBytes);
    const message = {
      subject: subject === "" && replyToMessageId !== undefined ? undefined : subject,
      body: { contentType: bodyType, content: body },
      toRecipients: toRecipients(to),
      ccRecipients: cc && toRecipients(cc),
      bccRecipients: bcc && toRecipients(bcc),
      replyTo: replyTo && toRecipients(replyTo),
      attachments: files.length === 0 ? undefined : files.map(toAttachment),
    };
    if (replyToMessageId === undefined)
      await http.text({ method: "POST", path: "/me/sendMail", json: { message, saveToSentItems } });
    else await http.text({ method: "POST", path: path`/me/messages/${replyToMessageId}/reply`, json: { message } });
    return [{ accepted: true, recipients: [to, cc ?? [], bcc ?? []].flat() }];
  },
});

const toRecipients = (addresses: string[]) => addresses.map((address) => ({ emailAddress: { address } }));

const toAttachment = ({
  filename,
  content,
  contentType,
}: {
  filename: string;
  content: Buffer;
  contentType?: string;
}) => ({
  "@odata.type": "#microsoft.graph.fileAttachment",
  name: filename,
  contentType,
  contentBytes: content.toString("base64"),
});
