import { z } from "zod";
import { textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { defineTool } from "../../contract/tool.ts";
import { slackCredential } from "./credential.ts";

export const tool = defineTool({
  id: "slack_send_message",
  title: "Send message",
  description: "Post a message to a channel, thread or user.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: slackCredential,
  input: z.strictObject({
    channel: z
      .string()
      .min(1)
      .describe(
        "Id of a channel, e.g. C0123ABCD (slack_list_channels finds it), or of a user, e.g. U0123ABCD (in their profile under Copy member ID).",
      ),
    text: z.string().min(1).describe("Text (mrkdwn)."),
    threadTs: z
      .string()
      .optional()
      .meta({ title: "Thread timestamp" })
      .describe("Timestamp id of the message to reply to in its thread, e.g. 1503435956.000247."),
    blocks: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe('Block Kit blocks, e.g. [{"type": "divider"}]; the text is then shown in notifications.'),
  }),
  output: z.object({
    ts: z.string().optional().describe("Message timestamp id."),
    channel: z.string().optional().describe("Id of the channel it was posted to."),
  }),
  async run({ input: { channel, text, threadTs, blocks }, http }) {
    const sent = await http.json({ method: "POST", path: "/chat.postMessage", json: { channel, text, thread_ts: threadTs, blocks } });
    return [{ ts: requireProof("Slack", textAt(sent, "ts"), "timestamp"), channel: textAt(sent, "channel") }];
  },
});
