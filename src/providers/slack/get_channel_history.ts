import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import type { Http } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { at, integerAt, listAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { slackCredential } from "./credential.ts";
import { findChannel } from "./find-place.ts";

export const action = defineAction({
  id: "slack_get_channel_history",
  title: "Get channel history",
  description: "Read recent messages of a channel.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: slackCredential,
  input: z.strictObject({
    channel: z
      .string()
      .min(1)
      .describe("Id of the channel, e.g. C0123ABCD (slack_list_channels finds it), or its name, e.g. #general.")
      .meta({ choices: "channels" }),
    oldest: z.string().optional().describe("Only messages after this time in Unix seconds, e.g. 1767225600."),
    latest: z.string().optional().describe("Only messages before this time in Unix seconds, e.g. 1767225600."),
    threadTs: z
      .string()
      .min(1)
      .optional()
      .meta({ title: "Thread timestamp" })
      .describe("Only the thread below this message, oldest first: its timestamp id, e.g. 1503435956.000247."),
    includeNames: z.boolean().default(false).describe("Return the names of who wrote; needs the scope users:read."),
    limit: z.int().min(1).max(200).default(20).describe("Most items to return (1-200)."),
  }),
  output: z.object({
    ts: z.string().optional().describe("Message timestamp id."),
    user: z.string().optional().describe("Id of who wrote it."),
    userName: z.string().optional().describe("Name of who wrote it, when asked for."),
    text: z.string().optional().describe("Text of the message."),
    threadTs: z.string().optional().describe("Timestamp id of the thread it belongs to."),
    replyCount: z.int().optional().describe("How many replies its thread has."),
  }),
  async run({ input: { limit, threadTs, includeNames, ...input }, http }) {
    const oldest = readSeconds("/oldest", input.oldest);
    const latest = readSeconds("/latest", input.latest);
    const channel = await findChannel(http, input.channel);
    const messages = await collectPages<unknown, string>(limit, async (cursor, wanted) => {
      try {
        const place = threadTs === undefined ? "/conversations.history" : "/conversations.replies";
        const answer = await http.json({
          path: place,
          query: { channel, ts: threadTs, oldest, latest, limit: wanted, cursor },
        });
        return { items: listAt(answer, "messages"), next: textAt(answer, "response_metadata", "next_cursor") };
      } catch (error) {
        if (cursor !== undefined && isRateLimited(error)) return { items: [], next: undefined };
        throw error;
      }
    });
    const names = includeNames ? await readNames(http, messages) : new Map<string, string | undefined>();
    return messages.map((message) => ({
      ts: textAt(message, "ts"),
      user: textAt(message, "user"),
      userName: names.get(textAt(message, "user") ?? "") ?? (includeNames ? textAt(message, "username") : undefined),
      text: textAt(message, "text"),
      threadTs: textAt(message, "thread_ts"),
      replyCount: integerAt(message, "reply_count"),
    }));
  },
});

/** Asked for each person once. */
async function readNames(http: Http, messages: unknown[]): Promise<Map<string, string | undefined>> {
  const names = new Map<string, string | undefined>();
  for (const user of new Set(messages.flatMap((message) => textAt(message, "user") ?? []))) {
    const profile = at(await http.json({ path: "/users.info", query: { user } }).catch(leaveOutUnknown), "user");
    names.set(
      user,
      textAt(profile, "profile", "display_name") || textAt(profile, "real_name") || textAt(profile, "name"),
    );
  }
  return names;
}

/** People of other workspaces, and those who left, may not be shown: then the messages are worth more than the names. */
function leaveOutUnknown(error: unknown): undefined {
  if (error instanceof Refusal && ["user_not_found", "user_not_visible"].includes(error.provider?.code ?? ""))
    return undefined;
  throw error;
}

function readSeconds(pointer: string, text = ""): string | undefined {
  const seconds = text.trim();
  if (!/^(?:\d+(?:\.\d+)?)?$/.test(seconds))
    throw refuseInput(pointer, "must be Unix seconds such as 1767225600 or 1767225600.123456");
  return seconds === "" ? undefined : seconds;
}

// Some apps get 15 messages and one request a minute: the newest messages are then worth more than none.
const isRateLimited = (error: unknown): boolean => error instanceof Refusal && error.provider?.status === 429;
