import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import { type HttpRequest, path } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { discordCredential } from "./credential.ts";

const embedFields = new Set([
  ...["type", "url", "title", "color", "timestamp", "description", "author"],
  ...["image", "thumbnail", "footer", "fields", "provider", "video"],
]);

export const action = defineAction({
  id: "discord_send_message",
  title: "Send message",
  description: "Post a message to a channel.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: discordCredential,
  input: z.strictObject({
    channelId: z
      .string()
      .min(1)
      .describe(
        "Id of the channel, which has only digits: switch on Developer Mode in Discord and choose Copy Channel ID.",
      )
      .meta({ choices: "channels" }),
    content: z.string().max(2000).optional().describe("Text, at most 2000 characters. Give content, embeds or both."),
    embeds: z
      .array(z.record(z.string(), z.unknown()))
      .max(10)
      .optional()
      .describe(
        'Rich embeds, at most 10, e.g. [{"title": "Done", "url": "https://example.com"}]. Give content, embeds or both.',
      ),
    mentions: z
      .array(z.enum(["users", "roles", "everyone"]))
      .optional()
      .describe("Whom the text may ping with <@id>, <@&id> and @everyone or @here; nobody when absent."),
    replyToMessageId: z
      .string()
      .optional()
      .describe("Id of the message to reply to, which has only digits, as in the last part of its link."),
    interactionToken: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Answer an interaction with this token, e.g. $trigger.payload.token, within 15 minutes; not with replyToMessageId.",
      ),
    applicationId: z
      .string()
      .optional()
      .describe(
        "Id of the application of the interaction, e.g. $trigger.payload.application_id; with interactionToken.",
      ),
  }),
  output: z.object({
    id: z.string().optional().describe("Message id."),
    channelId: z.string().optional().describe("Channel id."),
    timestamp: z.string().optional().describe("Time sent."),
  }),
  async run({ input: { content, embeds, mentions = [], ...input }, http }) {
    if (!content && !embeds?.length) {
      throw new Refusal("validation_failed", "A message needs content or embeds.", {
        errors: [{ pointer: "/content", detail: "is missing, and so are embeds" }],
      });
    }
    embeds?.forEach(requireKnownFields);
    const { replyToMessageId } = input;
    const sent = await http.json({
      ...findPlace(input),
      json: {
        content,
        embeds,
        // Text that comes from elsewhere must not be able to call everyone, unless somebody wants it to.
        allowed_mentions: { parse: [...new Set(mentions)] },
        message_reference: replyToMessageId ? { message_id: replyToMessageId } : undefined,
      },
    });
    return [
      {
        id: requireProof("Discord", textAt(sent, "id"), "message id"),
        channelId: textAt(sent, "channel_id"),
        timestamp: textAt(sent, "timestamp"),
      },
    ];
  },
});

type Place = {
  channelId: string;
  replyToMessageId?: string | undefined;
  interactionToken?: string | undefined;
  applicationId?: string | undefined;
};

/** A channel, or the answer that an interaction waits for since it was delivered. */
function findPlace({
  channelId,
  replyToMessageId,
  interactionToken,
  applicationId,
}: Place): Pick<HttpRequest, "method" | "path"> {
  requireSnowflake("/channelId", channelId);
  if (replyToMessageId) requireSnowflake("/replyToMessageId", replyToMessageId);
  if (interactionToken === undefined) {
    if (applicationId !== undefined) throw refuseInput("/interactionToken", "must be given with applicationId");
    return { method: "POST", path: path`/channels/${channelId}/messages` };
  }
  requireSnowflake("/applicationId", applicationId ?? "");
  if (replyToMessageId) throw refuseInput("/replyToMessageId", "cannot be given with interactionToken");
  return { method: "PATCH", path: path`/webhooks/${applicationId ?? ""}/${interactionToken}/messages/@original` };
}

function requireSnowflake(pointer: string, id: string): void {
  if (!/^(?:0|[1-9]\d*)$/.test(id)) throw refuseInput(pointer, "must be an id, which has only digits");
}

/** Discord drops what it does not know, and then finds the message empty. */
function requireKnownFields(embed: Record<string, unknown>, index: number): void {
  const unknown = Object.keys(embed).find((name) => !embedFields.has(name));
  if (unknown !== undefined)
    throw refuseInput(`/embeds/${index}/${unknown}`, `is not a field of an embed: ${[...embedFields].join(", ")}`);
}
