import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { booleanAt, integerAt, listAt, textAt } from "../../contract/read.ts";
import { slackCredential } from "./credential.ts";

const pageSize = 200;

export const action = defineAction({
  id: "slack_list_channels",
  title: "List channels",
  description: "List channels the app can see.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: slackCredential,
  input: z.strictObject({
    types: z
      .string()
      .default("public_channel,private_channel")
      .describe("Kinds with commas between: public_channel, private_channel, mpim, im."),
    excludeArchived: z.boolean().default(true).describe("Whether to leave out archived channels."),
    limit: z.int().min(1).max(1000).default(100).describe("Most items to return (1-1000)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Channel id."),
    name: z.string().optional().describe("Name without the #."),
    isPrivate: z.boolean().optional().describe("Whether only invited people see it."),
    isMember: z.boolean().optional().describe("Whether the app is in it."),
    topic: z.string().optional().describe("Topic of the channel."),
    memberCount: z.int().optional().describe("How many people are in it."),
  }),
  async run({ input: { types, excludeArchived, limit }, http }) {
    const channels = await collectPages<unknown, string>(limit, async (cursor, wanted) => {
      const query = { types, exclude_archived: excludeArchived, limit: Math.min(wanted, pageSize), cursor };
      const answer = await http.json({ path: "/conversations.list", query });
      return { items: listAt(answer, "channels"), next: textAt(answer, "response_metadata", "next_cursor") };
    });
    return channels.map((channel) => ({
      id: textAt(channel, "id"),
      name: textAt(channel, "name"),
      isPrivate: booleanAt(channel, "is_private"),
      isMember: booleanAt(channel, "is_member"),
      topic: textAt(channel, "topic", "value"),
      memberCount: integerAt(channel, "num_members"),
    }));
  },
});
