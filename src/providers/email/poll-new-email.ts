import type { ImapFlow, MailboxObject } from "imapflow";
import { z } from "zod";
import { definePoll, type PollItem, type PollPage } from "../../contract/poll.ts";
import { textAt } from "../../contract/read.ts";
import { promptOfMail, senderOfMail } from "../_mail/tell-mail.ts";
import { toEmailCall, withImap } from "./client.ts";
import { readMails } from "./read-mails.ts";

/** Each comes with up to 256 kB of its source. */
const mostOnPage = 25;

export const newEmail = definePoll({
  id: "new_email",
  title: "New email",
  description:
    "Starts a run for each mail that comes into a mailbox, also by being moved there. When the server numbers the mailbox anew, what is in it by then starts nothing.",
  parameters: z.strictObject({
    mailbox: z
      .string()
      .min(1)
      .default("INBOX")
      .describe("Name of the mailbox, e.g. INBOX or Archive/2026. Mailboxes inside of it do not count."),
  }),
  // Each look is a login of its own. No limit for them is known that is the same everywhere, so they are no more frequent than those of mail programs.
  everySeconds: { least: 60, usual: 300 },
  list: async (call, { parameters: { mailbox }, mark }) =>
    await withImap(toEmailCall(call), async (client) => {
      // Opened with EXAMINE: nothing is marked as seen.
      const opened = await client.mailboxOpen(mailbox, { readOnly: true });
      const [validity, last] = mark === null ? [] : readMark(mark);
      if (last !== undefined && validity === String(opened.uidValidity)) return await listAfter(client, opened, last);
      const items = mark === null ? await listNewest(client, opened) : [];
      // What the numbers were given for is told by their validity: with another one, those seen before mean nothing.
      return { items, mark: toMark(opened, await findLast(client, opened)), hasMore: false };
    }),
  promptOf: promptOfMail,
  senderOf: senderOfMail,
  isNamed: (name, { payload }) => name === textAt(payload, "messageId"),
  findOwnSender: async (call) =>
    senderOfMail({ from: textAt(call.credential, "fromAddress") ?? textAt(call.credential, "user") }).id,
});

async function listNewest(client: ImapFlow, opened: MailboxObject): Promise<PollItem[]> {
  if (opened.exists === 0) return [];
  const range = `${Math.max(1, opened.exists - mostOnPage + 1)}:${opened.exists}`;
  return await readItems(client, opened, { range, isUid: false });
}

/** UIDs only grow, in the order in which mails come into the mailbox: there is nothing to look at twice. */
async function listAfter(client: ImapFlow, opened: MailboxObject, last: number): Promise<PollPage> {
  // The server gives the newest one also where it comes before the range.
  const found = (await client.search({ uid: `${last + 1}:*` }, { uid: true })) || [];
  const uids = found.filter((uid) => uid > last).sort((one, other) => one - other);
  const some = uids.slice(0, mostOnPage);
  const items = some.length === 0 ? [] : await readItems(client, opened, { range: some.join(","), isUid: true });
  return { items, mark: toMark(opened, some.at(-1) ?? last), hasMore: uids.length > some.length };
}

/** The list is complete, because a connection for each mail that is read would be one login for each. */
async function readItems(
  client: ImapFlow,
  opened: MailboxObject,
  which: { range: string; isUid: boolean },
): Promise<PollItem[]> {
  const mails = await readMails(client, which, { includeBody: true, hasRoom: () => false, newestFirst: false });
  return mails.map((mail) => ({ id: toMark(opened, mail.uid), payload: mail }));
}

/** The UID that the newest mail has or had; a server that does not tell which comes next is asked for the one that is there. */
async function findLast(client: ImapFlow, { uidNext, exists }: MailboxObject): Promise<number> {
  if (uidNext) return uidNext - 1;
  const found = exists === 0 ? [] : (await client.search({ uid: "*" }, { uid: true })) || [];
  return Math.max(0, ...found);
}

const toMark = ({ uidValidity }: MailboxObject, uid: number): string => `${uidValidity}:${uid}`;

const readMark = (mark: string): [string, number] => [
  mark.slice(0, mark.lastIndexOf(":")),
  Number(mark.slice(mark.lastIndexOf(":") + 1)),
];
