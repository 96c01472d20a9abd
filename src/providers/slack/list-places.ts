import { Refusal } from "../../base/refusal.ts";
import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { collectPages } from "../../contract/pages.ts";
import { at, known, listAt, textAt } from "../../contract/read.ts";

const pageSize = 999;

/** An account that may see public channels only lists those. */
export async function listChannels(call: ChoicesCall): Promise<Choice[]> {
  const read = (types: string) => readAll(call, "/conversations.list", "channels", { types, exclude_archived: true });
  const channels = await read("public_channel,private_channel").catch((error: unknown) => {
    if (lacksScope(error)) return read("public_channel");
    throw error;
  });
  return toChoices(channels, (channel) => ({
    value: textAt(channel, "id"),
    title: `#${textAt(channel, "name") ?? ""}`,
  }));
}

/** Where a message can go: channels, and people where the account may see them. */
export async function listPlaces(call: ChoicesCall): Promise<Choice[]> {
  const channels = await listChannels(call);
  const people = await listPeople(call).catch((error: unknown) => {
    if (lacksScope(error)) return [];
    throw error;
  });
  return [...channels, ...people];
}

async function listPeople(call: ChoicesCall): Promise<Choice[]> {
  const members = await readAll(call, "/users.list", "members", {});
  const present = members.filter((member) => at(member, "deleted") !== true);
  return toChoices(present, (member) => {
    const shown = known([textAt(member, "profile", "display_name"), textAt(member, "real_name")])[0];
    return { value: textAt(member, "id"), title: `@${shown ?? textAt(member, "name") ?? ""}` };
  });
}

const readAll = async (
  { http, most }: ChoicesCall,
  path: string,
  list: string,
  query: Record<string, string | boolean>,
): Promise<unknown[]> =>
  await collectPages<unknown, string>(most, async (cursor) => {
    const answer = await http.json({ path, query: { ...query, limit: pageSize, cursor } });
    return { items: listAt(answer, list), next: textAt(answer, "response_metadata", "next_cursor") };
  });

const lacksScope = (error: unknown): boolean => error instanceof Refusal && error.provider?.missingScopes !== undefined;
