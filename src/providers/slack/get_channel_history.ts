import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { collectPages } from "../../contract/pages.ts";
import { integerAt, listAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { defineTool } from "../../contract/tool.ts";
import { slackCredential } from "./credential.ts";

export const tool = defineTool({
  id: "slack_get_channel_history",
  title: "Get channel history",
  description: "Read recent messages of a channel.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: slackCredential,
  input: z.strictObject({
    channel: z.string().min(1).describe("Id of the channel, e.g. C0123ABCD; slack_list_channels finds it."),
    oldest: z.string().optional().describe("Only messages after this time in Unix seconds, e.g. 1767225600."),
    latest: z.string().optional().describe("Only messages before this time in Unix seconds, e.g. 1767225600."),
    limit: z.int().min(1).max(200).default(20).describe("Most items to return (1-200)."),
  }),
  output: z.object({
    ts: z.string().optional().describe("Message timestamp id."),
    user: z.string().optional().describe("Id of who wrote it."),
    text: z.string().optional().describe("Text of the message."),
    threadTs: z.string().optional().describe("Timestamp id of the thread it belongs to."),
    replyCount: z.int().optional().describe("How many replies its thread has."),
  }),
  async run({ input: { channel, limit, ...input }, http }) {
    const oldest = readSeconds("/oldest", input.oldest);
    const latest = readSeconds("/latest", input.latest);
    const messages = await collectPages<unknown, string>(limit, async (cursor, wanted) => {
      try {
        const answer = await http.json({ path: "/conversations.history", query: { channel, oldest, latest, limit: wanted, cursor } });
        return { items: listAt(answer, "messages"), next: textAt(answer, "response_metadata", "next_cursor") };
      } catch (error) {
        if (cursor !== undefined && isRateLimited(error)) return { items: [], next: undefined };
        throw error;
      }
    });
    return messages.map((message) => ({
      ts: textAt(message, "ts"),
      user: textAt(message, "user"),
      text: textAt(message, "text"),
      threadTs: textAt(message, "thread_ts"),
      replyCount: integerAt(message, "reply_count"),
    }));
  },
});

function readSeconds(pointer: string, text = ""): string | undefined {
  const seconds = text.trim();
  if (!/^(?:\d+(?:\.\d+)?)?$/.test(seconds)) throw refuseInput(pointer, "must be Unix seconds such as 1767225600 or 1767225600.123456");
  return seconds === "" ? undefined : seconds;
}

// Some apps get 15 messages and one request a minute: the newest messages are then worth more than none.
const isRateLimited = (error: unknown): boolean => error instanceof Refusal && error.provider?.status === 429;
