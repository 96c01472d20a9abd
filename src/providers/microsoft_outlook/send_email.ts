import { z } from "zod";
import { defineTool } from "../../contract/tool.ts";
import { microsoftOutlookCredential } from "./credential.ts";

export const tool = defineTool({
  id: "microsoft_outlook_send_email",
  title: "Send email",
  description: "Send an email from the connected mailbox.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: microsoftOutlookCredential,
  input: z.strictObject({
    to: z.array(z.string().min(1)).describe("Addresses of the recipients."),
    subject: z.string().describe("Subject line."),
    body: z.string().describe("Body, in the form that bodyType names."),
    bodyType: z.enum(["text", "html"]).default("text").describe("Whether the body is plain text or HTML."),
    cc: z.array(z.string().min(1)).optional().describe("Addresses that get a copy."),
    bcc: z.array(z.string().min(1)).optional().describe("Addresses that get a copy the others do not see."),
    saveToSentItems: z.boolean().default(true).describe("Whether to keep a copy in Sent Items."),
  }),
  output: z.object({
    accepted: z.boolean().describe("Graph answers 202 without a body."),
    recipients: z.array(z.string()).describe("Everybody it was sent to."),
  }),
  async run({ input: { to, subject, body, bodyType, cc, bcc, saveToSentItems }, http }) {
    const message = {
      subject,
      body: { contentType: bodyType, content: body },
      toRecipients: toRecipients(to),
      ccRecipients: cc && toRecipients(cc),
      bccRecipients: bcc && toRecipients(bcc),
    };
    await http.text({ method: "POST", path: "/me/sendMail", json: { message, saveToSentItems } });
    return [{ accepted: true, recipients: [to, cc ?? [], bcc ?? []].flat() }];
  },
});

const toRecipients = (addresses: string[]) => addresses.map((address) => ({ emailAddress: { address } }));
