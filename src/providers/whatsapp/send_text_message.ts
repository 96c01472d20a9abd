import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { receiverText, sendMessage } from "./client.ts";
import { whatsappCredential } from "./credential.ts";

export const action = defineAction({
  id: "whatsapp_send_text_message",
  title: "Send text message",
  description: "Send a text message inside the 24-hour window.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: whatsappCredential,
  input: z.strictObject({
    to: z.string().min(1).describe(receiverText),
    text: z.string().min(1).max(4096).describe("At most 4096 characters."),
    previewUrl: z.boolean().default(false).meta({ title: "Preview URL" }).describe("Show a preview of the first link."),
    replyToMessageId: z.string().optional().describe("Id of the message to reply to, which begins with wamid."),
  }),
  output: z.object({
    messageId: z.string().optional().describe("Message id, which begins with wamid."),
    to: z.string().optional().describe("Number or user id it was sent to."),
    userId: z.string().optional().describe("Id of the receiver for your business, where WhatsApp says it."),
    waId: z.string().optional().describe("WhatsApp id of the receiver."),
  }),
  async run({ input: { to, text, previewUrl, replyToMessageId }, credential, http }) {
    const sent = await sendMessage(http, credential.phoneNumberId, {
      to,
      type: "text",
      text: { body: text, preview_url: previewUrl },
      context: replyToMessageId ? { message_id: replyToMessageId } : undefined,
    });
    return [
      {
        messageId: requireProof("WhatsApp", textAt(sent, "messages", 0, "id"), "message id"),
        to: textAt(sent, "contacts", 0, "input"),
        userId: textAt(sent, "contacts", 0, "user_id"),
        waId: textAt(sent, "contacts", 0, "wa_id"),
      },
    ];
  },
});
