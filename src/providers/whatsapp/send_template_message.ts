import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { receiverText, sendMessage } from "./client.ts";
import { whatsappCredential } from "./credential.ts";

export const action = defineAction({
  id: "whatsapp_send_template_message",
  title: "Send template message",
  description: "Send an approved template message.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: whatsappCredential,
  input: z.strictObject({
    to: z.string().min(1).describe(receiverText),
    templateName: z
      .string()
      .min(1)
      .describe("Name of the template, as in the WhatsApp Manager under Message templates."),
    languageCode: z.string().min(1).describe("Language of the template, e.g. en_US."),
    bodyParameters: z
      .array(z.string())
      .optional()
      .describe("Values of {{1}}, {{2}} … in the body. Give this or components."),
    components: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe(
        'All components in WhatsApp form, e.g. [{"type": "body", "parameters": [{"type": "text", "text": "Ann"}]}]. Give this or bodyParameters.',
      ),
  }),
  output: z.object({
    messageId: z.string().optional().describe("Message id, which begins with wamid."),
    to: z.string().optional().describe("Number or user id it was sent to."),
    userId: z.string().optional().describe("Id of the receiver for your business, where WhatsApp says it."),
    status: z.string().optional().describe("How far it is, e.g. accepted."),
  }),
  async run({ input: { to, templateName, languageCode, bodyParameters = [], components }, credential, http }) {
    if (components && bodyParameters.length > 0) {
      throw new Refusal("validation_failed", "Give either bodyParameters or components.", {
        errors: [{ pointer: "/components", detail: "cannot be together with bodyParameters" }],
      });
    }
    const withoutType = components?.findIndex(({ type }) => typeof type !== "string") ?? -1;
    if (withoutType >= 0)
      throw refuseInput(`/components/${withoutType}/type`, "must be a text such as header, body or button");
    const parameters = bodyParameters.map((text) => ({ type: "text", text }));
    const sent = await sendMessage(http, credential.phoneNumberId, {
      to,
      type: "template",
      template: {
        name: templateName,
        language: { policy: "deterministic", code: languageCode },
        components: parameters.length > 0 ? [{ type: "body", parameters }] : components,
      },
    });
    return [
      {
        messageId: requireProof("WhatsApp", textAt(sent, "messages", 0, "id"), "message id"),
        to: textAt(sent, "contacts", 0, "input"),
        userId: textAt(sent, "contacts", 0, "user_id"),
        status: textAt(sent, "messages", 0, "message_status"),
      },
    ];
  },
});
