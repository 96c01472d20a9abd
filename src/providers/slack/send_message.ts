import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import type { Http } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { slackCredential } from "./credential.ts";
import { channelName, findChannelNamed, findPerson } from "./find-place.ts";

export const action = defineAction({
  id: "slack_send_message",
  title: "Send message",
  synonyms: ["post", "notify"],
  description: "Post a message to a channel, thread or user.",
  guide:
    "A channel may be given by its name with # or by its id. Answer in a thread with the `ts` of the message it begins with.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: slackCredential,
  input: z.strictObject({
    channel: z
      .string()
      .min(1)
      .describe(
        "Channel: #name or id, e.g. C0123ABCD (slack_list_channels finds it). Person: @name, email (needs the scope users:read.email) or id, e.g. U0123ABCD.",
      )
      .meta({ choices: "places" }),
    text: z.string().min(1).describe("Text in Slack's mrkdwn, e.g. *bold* and <https://example.com|a link>."),
    threadTs: z
      .string()
      .optional()
      .meta({ title: "Thread timestamp" })
      .describe("Timestamp id of the message to reply to in its thread, e.g. 1503435956.000247."),
    replyBroadcast: z
      .boolean()
      .optional()
      .describe("Whether to show the reply in the channel too; only with threadTs."),
    username: z
      .string()
      .min(1)
      .optional()
      .describe("Name to post under instead of the app's; needs the scope chat:write.customize."),
    iconEmoji: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Emoji to post with instead of the app's picture, e.g. :robot_face:; needs the scope chat:write.customize.",
      ),
    unfurlLinks: z
      .boolean()
      .optional()
      .describe("Whether to show previews of links; what Slack thinks right when absent."),
    blocks: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe('Block Kit blocks, e.g. [{"type": "divider"}]; the text is then shown in notifications.'),
  }),
  output: z.object({
    ts: z.string().optional().describe("Message timestamp id."),
    channel: z.string().optional().describe("Id of the channel it was posted to."),
  }),
  async run({ input: { channel, text, threadTs, blocks, replyBroadcast, username, iconEmoji, unfurlLinks }, http }) {
    if (replyBroadcast && threadTs === undefined)
      throw refuseInput("/replyBroadcast", "needs threadTs: only a reply is shown in the channel too");
    const further = { reply_broadcast: replyBroadcast, username, icon_emoji: iconEmoji, unfurl_links: unfurlLinks };
    const json = { text, thread_ts: threadTs, blocks, ...further };
    const sent = await postTo(http, channel, (place) => ({ channel: place, ...json }));
    return [{ ts: requireProof("Slack", textAt(sent, "ts"), "timestamp"), channel: textAt(sent, "channel") }];
  },
});

/** Slack knows channels by name itself, but not all of those that the app is in; a channel that is not found was not posted to. */
async function postTo(http: Http, channel: string, write: (place: string) => object): Promise<unknown> {
  const post = (place: string) => http.json({ method: "POST", path: "/chat.postMessage", json: write(place) });
  const name = channelName(channel);
  if (name === undefined) return await post((await findPerson(http, channel)) ?? channel);
  try {
    return await post(`#${name}`);
  } catch (error) {
    if (!(error instanceof Refusal && error.provider?.code === "channel_not_found")) throw error;
  }
  return await post(await findChannelNamed(http, name));
}
