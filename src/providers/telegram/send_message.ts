import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { at, integerAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { buttons, chatId, messageThreadId, toReplyMarkup } from "./client.ts";
import { telegramCredential } from "./credential.ts";

export const action = defineAction({
  id: "telegram_send_message",
  title: "Send message",
  description: "Send a text message to a chat.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: telegramCredential,
  input: z.strictObject({
    chatId,
    text: z.string().min(1).max(4096).describe("At most 4096 characters."),
    parseMode: z.enum(["HTML", "MarkdownV2"]).optional().describe("How the text is formatted; plain text if absent."),
    replyToMessageId: z
      .int()
      .optional()
      .describe("Id of the message to reply to, e.g. 77, as in messageId of one that was sent."),
    messageThreadId,
    buttons,
    disablePreview: z.boolean().optional().describe("Show no preview of the first link."),
    disableNotification: z.boolean().optional().describe("Send without a sound."),
  }),
  output: z.object({
    messageId: z.int().optional().describe("Message id."),
    chatId: z.string().optional().describe("Id of the chat."),
    date: z.string().optional().describe("Time sent."),
  }),
  async run({ input: { chatId: chat, text, parseMode, replyToMessageId, disableNotification, ...input }, http }) {
    const answer = await http.json({
      method: "POST",
      path: "/sendMessage",
      json: {
        chat_id: String(chat),
        text,
        parse_mode: parseMode,
        reply_parameters: replyToMessageId === undefined ? undefined : { message_id: replyToMessageId },
        disable_notification: disableNotification,
        message_thread_id: input.messageThreadId,
        link_preview_options: input.disablePreview ? { is_disabled: true } : undefined,
        reply_markup: toReplyMarkup(input.buttons),
      },
    });
    const sent = at(answer, "result");
    return [
      {
        messageId: requireProof("Telegram", integerAt(sent, "message_id"), "message id"),
        chatId: textAt(sent, "chat", "id"),
        date: toIsoTime(integerAt(sent, "date")),
      },
    ];
  },
});

function toIsoTime(seconds: number | undefined): string | undefined {
  const time = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
