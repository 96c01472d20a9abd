import { z } from "zod";
import { type Http, path } from "../../contract/http.ts";
import { definePoll, type PollItem, type PollPage } from "../../contract/poll.ts";
import { at, booleanAt, known, listAt, textAt } from "../../contract/read.ts";
import { promptOfMail, senderOfMail } from "../_mail/tell-mail.ts";
import { bodyAsText, messageFields, readFiles, readParameters, toItem } from "./read-message.ts";

const mostOnPage = 100;
const mostPagesOfAMoment = 50;
/** For mail that was received and is held back, moved by a rule or shown late, and for what clocks differ by. */
const overlapMs = 60 * 60 * 1000;

const parameters = z.strictObject({
  folder: z
    .string()
    .min(1)
    .default("inbox")
    .meta({ choices: "folders" })
    .describe(
      "Folder to look at: its id, or one of Outlook's own names, e.g. inbox, junkemail or sentitems. Folders inside of it do not count.",
    ),
  unreadOnly: z
    .boolean()
    .default(false)
    .meta({ title: "Only unread" })
    .describe("Only mail that is unread when it is looked for."),
});

export const newEmail = definePoll({
  id: "new_email",
  title: "New email",
  description:
    "Starts a run for each mail that arrives in a folder. What counts is when it was received: a mail that you move into the folder more than an hour later starts nothing.",
  parameters,
  // Graph takes 10,000 requests in ten minutes for each app and mailbox, and four at a time.
  everySeconds: { least: 30, usual: 120 },
  list: async ({ http }, { parameters: wanted, mark, now }) =>
    mark === null ? await listNewest(http, wanted, now) : await listSince(http, wanted, { ...readMark(mark), now }),
  read: async ({ http }, { payload }) => {
    const id = textAt(payload, "id") ?? "";
    const query = { $select: `${messageFields},body` };
    const message = await http.json({ path: path`/me/messages/${id}`, query, headers: bodyAsText, alsoAccept: [404] });
    if (at(message, "error") !== undefined) return undefined;
    const hasFiles = booleanAt(message, "hasAttachments") === true;
    return { ...toItem(message), ...(hasFiles ? { attachments: await readFiles(http, id, () => false) } : {}) };
  },
  promptOf: promptOfMail,
  senderOf: senderOfMail,
  findOwnSender: async ({ http }) => {
    const me = await http.json({ path: "/me", query: { $select: "mail,userPrincipalName" } });
    return textAt(me, "mail") ?? textAt(me, "userPrincipalName");
  },
});

type Wanted = z.output<typeof parameters>;
type Listed = { messages: unknown[]; next: string | undefined };

async function listNewest(http: Http, wanted: Wanted, now: Date): Promise<PollPage> {
  const { messages, next } = await listPage(http, wanted, choose(wanted, "1900-01-01T00:00:00Z", "desc"));
  const oldest = Date.parse(receivedOf(messages.at(-1)) ?? "");
  // What is older than these was not noted, so the next look must not reach back to it.
  const notBefore = next === undefined || Number.isNaN(oldest) ? 0 : oldest + 1000;
  return {
    items: messages.reverse().flatMap(toPollItem),
    mark: toMark(Math.max(now.getTime() - overlapMs, notBefore)),
    hasMore: false,
  };
}

/** `floor` is where the listing began, on pages after its first one: the next begins no earlier. */
type Span = { from: string; floor: string; now: Date };

function readMark(mark: string): Pick<Span, "from" | "floor"> {
  const [from = mark, floor = from] = mark.split(" ");
  return { from, floor };
}

async function listSince(http: Http, wanted: Wanted, { from, floor, now }: Span): Promise<PollPage> {
  const listed = await listPage(http, wanted, choose(wanted, from, "asc"));
  const messages = [...listed.messages];
  let next = listed.next;
  // The next page begins at the second this one ends with. Where that is no step forward, all mail of the second belongs on this page.
  for (let pages = 1; next !== undefined && !isAfter(messages, from) && pages < mostPagesOfAMoment; pages++) {
    const more = await listPage(http, wanted, readParameters(next));
    messages.push(...more.messages);
    next = more.next;
  }
  const items = messages.flatMap(toPollItem);
  const last = Date.parse(receivedOf(messages.at(-1)) ?? "");
  if (next !== undefined && !Number.isNaN(last)) return { items, mark: `${toMark(last)} ${floor}`, hasMore: true };
  return { items, mark: toMark(Math.max(Date.parse(floor), now.getTime() - overlapMs)), hasMore: false };
}

const isAfter = (messages: unknown[], from: string): boolean =>
  Date.parse(receivedOf(messages.at(-1)) ?? "") > Date.parse(from);

/** Graph sorts only by what is filtered first. */
const choose = ({ unreadOnly }: Wanted, from: string, direction: "asc" | "desc") => ({
  $filter: `receivedDateTime ge ${from}${unreadOnly ? " and isRead eq false" : ""}`,
  $orderby: `receivedDateTime ${direction}`,
  $select: `${messageFields},internetMessageId`,
  $top: mostOnPage,
});

async function listPage(http: Http, { folder }: Wanted, query: Record<string, string | number>): Promise<Listed> {
  const answer = await http.json({ path: path`/me/mailFolders/${folder}/messages`, query });
  return { messages: listAt(answer, "value"), next: textAt(answer, "@odata.nextLink") };
}

/** Outlook gives a mail another id when it is moved: what the sender's server called it, with the time it was received, stays. */
function toPollItem(message: unknown): PollItem[] {
  const sent = textAt(message, "internetMessageId");
  const id = sent ? known([sent, receivedOf(message)]).join(" ") : textAt(message, "id");
  return id === undefined ? [] : [{ id, payload: toItem(message) }];
}

const receivedOf = (message: unknown): string | undefined => textAt(message, "receivedDateTime");

const toMark = (milliseconds: number): string => new Date(milliseconds).toISOString();
