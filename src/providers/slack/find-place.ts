import { Refusal } from "../../base/refusal.ts";
import type { Http } from "../../contract/http.ts";
import { at, listAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";

const pageSize = 999;
const mostPages = 10;

/** The name in "#general" or "general"; undefined of an id, which has capitals, and no name has. */
export function channelName(text: string): string | undefined {
  const name = text.trim();
  if (name.startsWith("#") && name.length > 1) return name.slice(1).toLowerCase();
  return /^[\p{Ll}\p{Lo}\p{M}\p{N}_-]+$/u.test(name) ? name : undefined;
}

/** The id of a channel that is given by its id, as #name or by its bare name. */
export async function findChannel(http: Http, text: string): Promise<string> {
  const name = channelName(text);
  return name === undefined ? text.trim() : await findChannelNamed(http, name);
}

/** An account that may see public channels only is worth asking for them; what it lacks is said when that does not help. */
export async function findChannelNamed(http: Http, name: string): Promise<string> {
  try {
    return await lookForChannel(http, name, "public_channel,private_channel");
  } catch (lacking) {
    if (!lacksScope(lacking)) throw lacking;
    return await lookForChannel(http, name, "public_channel").catch((error: unknown) => {
      throw isMissing(error) ? lacking : error;
    });
  }
}

async function lookForChannel(http: Http, name: string, types: string): Promise<string> {
  const pages = readPages(http, "/conversations.list", "channels", { types, exclude_archived: true });
  for await (const channels of pages) {
    const id = textAt(
      channels.find((channel) => textAt(channel, "name") === name),
      "id",
    );
    if (id !== undefined) return id;
  }
  throw refuseInput(
    "/channel",
    `names #${name}, but Slack shows the app no channel of that name. A private one has to invite the app first`,
  );
}

/** The id of the person in "@ann", by handle or else by the name that is shown, or in "ann@example.test"; undefined of anything else. */
export async function findPerson(http: Http, text: string): Promise<string | undefined> {
  const name = text.trim();
  if (/^[^\s@]+@[^\s@]+$/.test(name)) return await findByEmail(http, name);
  return name.startsWith("@") && name.length > 1
    ? await findByName(http, name.slice(1).toLowerCase(), name)
    : undefined;
}

async function findByEmail(http: Http, email: string): Promise<string> {
  const nobody = () => refuseInput("/channel", `names ${email}, but Slack shows the app nobody with that email`);
  const answer = await http.json({ path: "/users.lookupByEmail", query: { email } }).catch((error: unknown) => {
    throw error instanceof Refusal && ["users_not_found", "user_not_found"].includes(error.provider?.code ?? "")
      ? nobody()
      : error;
  });
  const id = textAt(answer, "user", "id");
  if (id === undefined) throw nobody();
  return id;
}

/** Handles are unique; names that people give themselves are not, so all have to be read. */
async function findByName(http: Http, name: string, written: string): Promise<string> {
  const found: string[] = [];
  for await (const members of readPages(http, "/users.list", "members", {})) {
    const present = members.filter((member) => at(member, "deleted") !== true);
    const idsOf = (isWanted: (member: unknown) => boolean) =>
      present.filter(isWanted).flatMap((member) => textAt(member, "id") ?? []);
    const [known] = idsOf((member) => textAt(member, "name") === name);
    if (known !== undefined) return known;
    found.push(...idsOf((member) => shownNames(member).includes(name)));
  }
  const [only, ...others] = found;
  if (only === undefined)
    throw refuseInput("/channel", `names ${written}, but Slack shows the app nobody of that name`);
  if (others.length > 0)
    throw refuseInput(
      "/channel",
      `names ${written}, and ${found.length} people are called so: ${found.slice(0, 5).join(", ")}`,
    );
  return only;
}

const shownNames = (member: unknown): (string | undefined)[] =>
  [textAt(member, "profile", "display_name"), textAt(member, "real_name"), textAt(member, "profile", "real_name")].map(
    (name) => name?.toLowerCase(),
  );

/** Slack has no search by name. Who has more than this is told to give the id rather than made to wait. */
async function* readPages(
  http: Http,
  path: string,
  list: string,
  query: Record<string, string | boolean>,
): AsyncGenerator<unknown[]> {
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const answer = await http.json({ path, query: { ...query, limit: pageSize, cursor } });
    yield listAt(answer, list);
    cursor = textAt(answer, "response_metadata", "next_cursor");
    if (cursor === undefined || cursor === "") return;
  }
  const what = list === "channels" ? "channels" : "people";
  throw refuseInput(
    "/channel",
    `is not among the first ${(mostPages * pageSize).toLocaleString("en")} ${what} of Slack's list. Give its id`,
  );
}

const lacksScope = (error: unknown): boolean => error instanceof Refusal && error.provider?.missingScopes !== undefined;
const isMissing = (error: unknown): boolean => error instanceof Refusal && error.code === "validation_failed";
