import { z } from "zod";
import { type Http, path } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { definePoll, type PollItem, type PollPage } from "../../contract/poll.ts";
import { listAt, numberAt, textAt } from "../../contract/read.ts";
import { promptOfMail, senderOfMail } from "../_mail/tell-mail.ts";
import { readMessage } from "./read-message.ts";

const mostAtFirst = 100;
const mostOnPage = 500;
const mostInAMoment = 10_000;
/** What Gmail finds late, what was long on its way, and what clocks differ by. Only ids are listed, so that it costs next to nothing. */
const overlapSeconds = 2 * 60 * 60;

const parameters = z.strictObject({
  labelId: z
    .string()
    .default("INBOX")
    .meta({ title: "Label", choices: "labels" })
    .describe(
      "Only mail with this label, e.g. INBOX or Label_12, at the time it is looked for. When it is empty, all mail but drafts, spam and trash counts, also what you send.",
    ),
  query: z
    .string()
    .optional()
    .describe("Only mail that Gmail finds with this search, e.g. from:ann@example.com has:attachment."),
});

export const newEmail = definePoll({
  id: "new_email",
  title: "New email",
  description:
    "Starts a run for each mail that arrives. What counts is when Gmail received it: a mail that gets the label, or begins to fit the search, more than two hours later starts nothing.",
  parameters,
  // A list costs 5 of the 15,000 quota units a user has each minute, reading a mail 5 more.
  everySeconds: { least: 30, usual: 120 },
  list: async ({ http }, { parameters: wanted, mark, now }) => {
    const nowSeconds = Math.floor(now.getTime() / 1000);
    return mark === null
      ? await listNewest(http, wanted, nowSeconds)
      : await listSince(http, wanted, { ...readMark(mark), nowSeconds });
  },
  read: async ({ http }, { id }) => {
    const [message] = await readMessage(http, id, { includeBody: true, isFull: true, hasRoom: () => false });
    return message;
  },
  promptOf: promptOfMail,
  senderOf: senderOfMail,
  findOwnSender: async ({ http }) => textAt(await http.json({ path: "/gmail/v1/users/me/profile" }), "emailAddress"),
});

type Wanted = z.output<typeof parameters>;

async function listNewest(http: Http, wanted: Wanted, nowSeconds: number): Promise<PollPage> {
  const { items, next } = await listPage(http, { ...searchFor(wanted), maxResults: mostAtFirst });
  const [oldest] = items;
  // What is older than these was not noted, so the next look must not reach back to it.
  const notBefore = oldest && next !== undefined ? ((await readArrival(http, oldest)) ?? nowSeconds) + 2 : 0;
  return { items, mark: String(Math.max(nowSeconds - overlapSeconds, notBefore)), hasMore: false };
}

/** `floor` is where the listing began, on pages after its first one: the next begins no earlier. */
type Span = { from: number; floor: number; nowSeconds: number };

function readMark(mark: string): Pick<Span, "from" | "floor"> {
  const [from = 0, floor = from] = mark.split(" ").map(Number);
  return { from, floor };
}

/** Gmail lists the newest first. Where there are more than fit, the time is halved until the oldest of them do. */
async function listSince(http: Http, wanted: Wanted, { from, floor, nowSeconds }: Span): Promise<PollPage> {
  let until: number | undefined;
  for (;;) {
    const query = { ...searchFor(wanted, from, until), maxResults: mostOnPage };
    const { items, next } = await listPage(http, query);
    const isMoment = until !== undefined && until <= from + 1;
    if (next === undefined || isMoment) {
      const all = next === undefined ? items : await listMoment(http, query);
      if (until !== undefined) return { items: all, mark: `${until} ${floor}`, hasMore: true };
      return { items: all, mark: String(Math.max(floor, nowSeconds - overlapSeconds)), hasMore: false };
    }
    until = from + Math.ceil(((until ?? Math.max(nowSeconds, from + 2)) - from) / 2);
  }
}

type Query = Record<string, string | number | boolean | undefined>;

/** A second more at both ends: whether Gmail counts the ends in is not said. */
function searchFor({ labelId, query }: Wanted, from?: number, until?: number): Query {
  // A draft is a new message whenever it is saved.
  const words = [
    query?.trim() ? `(${query.trim()})` : "",
    labelId === "DRAFT" ? "" : "-in:drafts",
    from === undefined ? "" : `after:${from - 1}`,
    until === undefined ? "" : `before:${until + 1}`,
  ];
  const isHidden = labelId === "SPAM" || labelId === "TRASH";
  return {
    q: words.filter(Boolean).join(" ") || undefined,
    labelIds: labelId || undefined,
    includeSpamTrash: isHidden || undefined,
  };
}

/** Oldest first. */
async function listPage(http: Http, query: Query): Promise<{ items: PollItem[]; next: string | undefined }> {
  const answer = await http.json({ path: "/gmail/v1/users/me/messages", query });
  const items = listAt(answer, "messages").flatMap((message) => {
    const id = textAt(message, "id");
    return id === undefined ? [] : [{ id, payload: { id, threadId: textAt(message, "threadId") } }];
  });
  return { items: items.reverse(), next: textAt(answer, "nextPageToken") };
}

/** So many mails of one second that they fit on no page. */
async function listMoment(http: Http, query: Query): Promise<PollItem[]> {
  const newestFirst = await collectPages<PollItem, string>(mostInAMoment, async (pageToken) => {
    const { items, next } = await listPage(http, { ...query, pageToken });
    return { items: items.reverse(), next };
  });
  return newestFirst.reverse();
}

async function readArrival(http: Http, { id }: PollItem): Promise<number | undefined> {
  const query = { format: "minimal", fields: "internalDate" };
  const milliseconds = numberAt(
    await http.json({ path: path`/gmail/v1/users/me/messages/${id}`, query, alsoAccept: [404] }),
    "internalDate",
  );
  return milliseconds === undefined ? undefined : Math.floor(milliseconds / 1000);
}
