import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { defineTool } from "../../contract/tool.ts";
import { sendMessage } from "./client.ts";
import { whatsappCredential } from "./credential.ts";

export const tool = defineTool({
  id: "whatsapp_send_template_message",
  title: "Send template message",
  description: "Send an approved template message.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: whatsappCredential,
  input: z.strictObject({
    to: z.string().min(1).describe("Number with country code, digits."),
    templateName: z.string().min(1),
    languageCode: z.string().min(1).describe("e.g. en_US"),
    bodyParameters: z.array(z.string()).optional().describe("Values of {{1}}, {{2}} …"),
    components: z.array(z.record(z.string(), z.unknown())).optional().describe("Full components, instead of bodyParameters."),
  }),
  output: z.object({
    messageId: z.string().optional().describe("wamid…"),
    to: z.string().optional(),
    status: z.string().optional(),
  }),
  async run({ input: { to, templateName, languageCode, bodyParameters = [], components }, credential, http }) {
    if (components && bodyParameters.length > 0) {
      throw new Refusal("validation_failed", "Give either bodyParameters or components.", {
        errors: [{ pointer: "/components", detail: "cannot be together with bodyParameters" }],
      });
    }
    const withoutType = components?.findIndex(({ type }) => typeof type !== "string") ?? -1;
    if (withoutType >= 0) throw refuseInput(`/components/${withoutType}/type`, "must be a text such as header, body or button");
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
        status: textAt(sent, "messages", 0, "message_status"),
      },
    ];
  },
});
