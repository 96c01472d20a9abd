import { eachInParallel } from "../../base/each-in-parallel.ts";
import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { path } from "../../contract/http.ts";
import { integerAt, known, listAt, textAt } from "../../contract/read.ts";

/** Of so many servers; a bot that is in more gives its channels by their ids. */
const mostGuilds = 20;
const atOnce = 4;
/** Those that take messages: of text, of news, and the text beside a voice channel. */
const takesMessages = new Set([0, 5, 2]);

/** The channels of all servers that the bot is in, with the name of the server where there are several. */
export async function listChannels({ http }: ChoicesCall): Promise<Choice[]> {
  const guilds = listAt(await http.json({ path: "/users/@me/guilds", query: { limit: mostGuilds } }));
  const lists = await eachInParallel(
    guilds,
    async (guild) => listAt(await http.json({ path: path`/guilds/${textAt(guild, "id") ?? ""}/channels` })),
    { most: atOnce },
  );
  return lists.flatMap((list, index) => {
    if (list.status === "rejected") throw list.reason;
    const server = guilds.length > 1 ? textAt(guilds[index], "name") : undefined;
    const channels = list.value.filter((channel) => takesMessages.has(integerAt(channel, "type") ?? -1));
    return toChoices(channels, (channel) => ({
      value: textAt(channel, "id"),
      title: known([`#${textAt(channel, "name") ?? ""}`, server]).join(" · "),
    }));
  });
}
