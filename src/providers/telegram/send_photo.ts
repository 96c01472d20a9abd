import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { fileInput, readFileInput } from "../../contract/file-input.ts";
import { at, integerAt, listAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { buttons, chatId, messageThreadId, toReplyMarkup } from "./client.ts";
import { telegramCredential } from "./credential.ts";

export const action = defineAction({
  id: "telegram_send_photo",
  title: "Send photo",
  description: "Send a photo by address or from base64 content.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: telegramCredential,
  input: z.strictObject({
    chatId,
    photoUrl: z
      .string()
      .min(1)
      .optional()
      .meta({ title: "Photo URL" })
      .describe("Address Telegram gets the photo from; this or photoBase64."),
    photoBase64: fileInput("Photo as base64")
      .min(1)
      .optional()
      .describe("The photo as base64, in a workflow also the handle of a file; this or photoUrl."),
    caption: z.string().max(1024).optional().describe("At most 1024 characters."),
    parseMode: z
      .enum(["HTML", "MarkdownV2"])
      .optional()
      .describe("How the caption is formatted; plain text if absent."),
    replyToMessageId: z
      .int()
      .optional()
      .describe("Id of the message to reply to, e.g. 77, as in messageId of one that was sent."),
    messageThreadId,
    buttons,
    disableNotification: z.boolean().optional().describe("Send without a sound."),
  }),
  output: z.object({
    messageId: z.int().optional().describe("Message id."),
    chatId: z.string().optional().describe("Id of the chat."),
    fileId: z.string().optional().describe("Of the largest size."),
  }),
  async run({ input: { chatId: chat, photoUrl, photoBase64, caption, parseMode, ...input }, http }) {
    if ((photoUrl === undefined) === (photoBase64 === undefined)) {
      throw new Refusal("validation_failed", "Give either photoUrl or photoBase64.", {
        errors: [{ pointer: "/photoUrl", detail: "exactly one of photoUrl and photoBase64 is needed" }],
      });
    }
    const fields = {
      chat_id: String(chat),
      caption,
      parse_mode: parseMode,
      reply_parameters: input.replyToMessageId === undefined ? undefined : { message_id: input.replyToMessageId },
      message_thread_id: input.messageThreadId,
      disable_notification: input.disableNotification,
      reply_markup: toReplyMarkup(input.buttons),
    };
    const body =
      photoBase64 === undefined
        ? { json: { ...fields, photo: photoUrl } }
        : { body: toForm(fields, readFileInput("/photoBase64", photoBase64)) };
    const answer = await http.json({ method: "POST", path: "/sendPhoto", ...body });
    const sent = at(answer, "result");
    return [
      {
        messageId: requireProof("Telegram", integerAt(sent, "message_id"), "message id"),
        chatId: textAt(sent, "chat", "id"),
        fileId: textAt(listAt(sent, "photo").at(-1), "file_id"),
      },
    ];
  },
});

/** What is no text goes into a form as JSON. */
function toForm(fields: Record<string, unknown>, photo: Buffer): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  form.set("photo", new Blob([new Uint8Array(photo)]), "photo.jpg");
  return form;
}
