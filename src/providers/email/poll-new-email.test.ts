import { expect, it } from "vitest";
import { lookWith } from "../../../test/support/browser/look-with.ts";
import { useImapServer } from "../../../test/support/providers/imap-server.ts";
import { describeWithProgram } from "../../../test/support/providers/real-servers.ts";
import { emailCredential } from "./credential.ts";
import { newEmail } from "./poll-new-email.ts";

const login = { user: "ann@example.com", password: "pass word" };

describeWithProgram("dovecot", "looking for new mail over IMAP", () => {
  const { admin, server } = useImapServer(login);
  const hosts = () => ({ imapHost: "localhost", imapPort: server().port, imapSecurity: "none", smtpHost: "localhost" });
  const mailbox = lookWith(newEmail, { definition: emailCredential, credential: () => ({ ...login, ...hosts() }) });
  const subjectsOf = ({ items }: { items: { payload: unknown }[] }) =>
    items.map(({ payload }) => (payload as { subject: string }).subject);

  const store = async (subject: string, { place = "INBOX", body = "Hello" } = {}) =>
    await admin().append(
      place,
      `From: Bob <bob@example.com>\r\nSubject: ${subject}\r\nContent-Type: text/plain\r\n\r\n${body}`,
      [],
    );

  it("gives the newest mails at first, oldest first, and then only those that come after, each whole and none marked as seen", async () => {
    for (const number of Array.from({ length: 27 }, (_, index) => index)) await store(`old ${number}`);
    const first = await mailbox.list(null);
    expect(subjectsOf(first)).toEqual(Array.from({ length: 25 }, (_, index) => `old ${index + 2}`));
    expect(first.hasMore).toBe(false);
    const nothing = await mailbox.list(first.mark);
    expect(nothing).toEqual({ items: [], mark: first.mark, hasMore: false });
    await store("new", { body: "At noon?" });
    const next = await mailbox.list(first.mark);
    expect(next.items).toMatchObject([
      {
        id: next.mark,
        payload: { from: "Bob <bob@example.com>", subject: "new", body: "At noon?", seen: false, attachments: [] },
      },
    ]);
    expect(newEmail.promptOf(next.items[0]?.payload)).toBe("new\n\nAt noon?");
    expect(newEmail.senderOf?.(next.items[0]?.payload)).toEqual({ id: "bob@example.com", name: "Bob" });
    expect(await mailbox.list(next.mark)).toEqual({ items: [], mark: next.mark, hasMore: false });
    await admin().mailboxOpen("INBOX");
    expect(await admin().search({ seen: true })).toEqual([]);
  });

  it("begins in an empty mailbox, and misses nothing when the newest mail is deleted", async () => {
    const { items, mark } = await mailbox.list(null);
    expect(items).toEqual([]);
    await store("a");
    const page = await mailbox.list(mark);
    expect(subjectsOf(page)).toEqual(["a"]);
    await admin().messageDelete("1:*");
    expect(await mailbox.list(page.mark)).toEqual({ items: [], mark: page.mark, hasMore: false });
    await store("b");
    expect(subjectsOf(await mailbox.list(page.mark))).toEqual(["b"]);
  });

  it("goes on page by page when many came", async () => {
    const { mark } = await mailbox.list(null);
    for (const number of Array.from({ length: 30 }, (_, index) => index)) await store(`mail ${number}`);
    const first = await mailbox.list(mark);
    expect([first.items.length, subjectsOf(first)[0], first.hasMore]).toEqual([25, "mail 0", true]);
    const second = await mailbox.list(first.mark);
    expect([subjectsOf(second), second.hasMore]).toEqual([
      [25, 26, 27, 28, 29].map((number) => `mail ${number}`),
      false,
    ]);
  });

  it("takes what is moved into the mailbox for new", async () => {
    await admin().mailboxCreate("Orders");
    const orders = { parameters: { mailbox: "Orders" } };
    const { mark } = await mailbox.list(null, orders);
    await store("moved");
    await admin().messageMove("1", "Orders");
    expect(subjectsOf(await mailbox.list(mark, orders))).toEqual(["moved"]);
  });

  it("begins anew, without what is there, when the server numbers the mailbox anew", async () => {
    const other = { parameters: { mailbox: "Archive" } };
    await admin().mailboxCreate("Archive");
    await store("before", { place: "Archive" });
    const { mark } = await mailbox.list(null, other);
    await admin().mailboxDelete("Archive");
    // UIDVALIDITY is a time in seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await admin().mailboxCreate("Archive");
    for (const subject of ["restored 1", "restored 2"]) await store(subject, { place: "Archive" });
    const anew = await mailbox.list(mark, other);
    expect(anew).toMatchObject({ items: [], hasMore: false });
    expect(anew.mark.split(":")[0]).not.toBe(mark.split(":")[0]);
    await store("after", { place: "Archive" });
    const next = await mailbox.list(anew.mark, other);
    expect(subjectsOf(next)).toEqual(["after"]);
    expect(next.items[0]?.id).toBe(next.mark);
  });

  it("says when there is no such mailbox", async () => {
    await expect(mailbox.list(null, { parameters: { mailbox: "nowhere" } })).rejects.toThrow(/Mailbox doesn't exist/);
  });
});
