import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lookWith } from "../../../test/support/browser/look-with.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { microsoftOutlookCredential } from "./credential.ts";
import { newEmail } from "./poll-new-email.ts";

const now = new Date("2026-11-17T12:00:00Z");
const anHourAgo = "2026-11-17T11:00:00.000Z";

let provider: FakeProvider;
const outlook = lookWith(newEmail, {
  definition: microsoftOutlookCredential,
  credential: () => ({ accessToken: "eyJ.secret", baseUrl: provider.url }),
  now,
});

beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider.stop());

const mail = (name: string, time: string) => ({
  "@odata.etag": 'W/"CQAAABYAAAA"',
  id: `AAMk-${name}`,
  internetMessageId: `<${name}@example.com>`,
  receivedDateTime: `2026-11-17T${time}Z`,
  subject: name,
  from: { emailAddress: { name: "Ann", address: "Ann@example.com" } },
  toRecipients: [],
  isRead: false,
});
const listed = (mails: unknown[], nextLink?: string) => ({
  json: { value: mails, ...(nextLink ? { "@odata.nextLink": nextLink } : {}) },
});
const subjectsOf = ({ items }: { items: { payload: unknown }[] }) =>
  items.map(({ payload }) => (payload as { subject: string }).subject);
const asked = () =>
  provider.requests().map(({ path }) => {
    const url = new URL(path, "https://graph.test");
    return { place: decodeURIComponent(url.pathname), ...Object.fromEntries(url.searchParams) } as Record<
      string,
      string
    >;
  });

describe("the first look", () => {
  it("gives the newest mails of the inbox, oldest first, and goes on an hour before now", async () => {
    provider.script([listed([mail("b", "11:59:00"), mail("a", "09:00:00")])]);
    const page = await outlook.list(null);
    expect(page).toMatchObject({ mark: anHourAgo, hasMore: false });
    expect(page.items[0]).toEqual({
      id: "<a@example.com> 2026-11-17T09:00:00Z",
      payload: {
        id: "AAMk-a",
        subject: "a",
        from: "Ann@example.com",
        to: [],
        receivedDateTime: "2026-11-17T09:00:00Z",
        isRead: false,
      },
    });
    expect(subjectsOf(page)).toEqual(["a", "b"]);
    expect(asked()).toEqual([
      {
        place: "/me/mailFolders/inbox/messages",
        $filter: "receivedDateTime ge 1900-01-01T00:00:00Z",
        $orderby: "receivedDateTime desc",
        $select: expect.stringMatching(/^id,.*,internetMessageId$/),
        $top: "100",
      },
    ]);
  });

  it("does not let the next look reach back to mails it did not note", async () => {
    provider.script([listed([mail("b", "11:59:00"), mail("a", "11:40:00")], "https://graph.microsoft.com/v1.0/next")]);
    expect((await outlook.list(null)).mark).toBe("2026-11-17T11:40:01.000Z");
    provider.script([listed([mail("b", "11:59:00"), mail("a", "08:00:00")], "https://graph.microsoft.com/v1.0/next")]);
    expect((await outlook.list(null)).mark).toBe(anHourAgo);
    provider.script([listed([])]);
    expect(await outlook.list(null)).toEqual({ items: [], mark: anHourAgo, hasMore: false });
  });
});

describe("a later look", () => {
  it("lists what was received since the mark, oldest first, and never sets the mark back", async () => {
    provider.script([listed([mail("a", "10:30:00"), mail("b", "11:59:00")])]);
    const page = await outlook.list("2026-11-17T10:00:00.000Z", {
      parameters: { folder: "AQMk/ä=", unreadOnly: true },
    });
    expect([subjectsOf(page), page.mark, page.hasMore]).toEqual([["a", "b"], anHourAgo, false]);
    expect(asked()[0]).toMatchObject({
      place: "/me/mailFolders/AQMk/ä=/messages",
      $filter: "receivedDateTime ge 2026-11-17T10:00:00.000Z and isRead eq false",
      $orderby: "receivedDateTime asc",
    });
    provider.script([listed([])]);
    expect((await outlook.list("2026-11-17T11:40:01.000Z")).mark).toBe("2026-11-17T11:40:01.000Z");
  });

  it("goes on with the second a full page ends with", async () => {
    provider.script([
      listed([mail("a", "10:00:00"), mail("b", "10:00:05")], "https://graph.microsoft.com/v1.0/x?$skip=2"),
    ]);
    const page = await outlook.list("2026-11-17T10:00:00.000Z");
    const ends = "2026-11-17T10:00:05.000Z 2026-11-17T10:00:00.000Z";
    expect([subjectsOf(page), page.mark, page.hasMore]).toEqual([["a", "b"], ends, true]);
    provider.script([listed([])]);
    await outlook.list(page.mark);
    expect(asked()[0]?.$filter).toBe("receivedDateTime ge 2026-11-17T10:00:05.000Z");
  });

  it("looks as far back after several pages as after one", async () => {
    for (const [from, next] of [
      ["2026-11-17T10:00:00.000Z", anHourAgo],
      ["2026-11-17T11:30:00.000Z", "2026-11-17T11:30:00.000Z"],
    ] as const) {
      provider.script([
        listed([mail("a", "11:55:00")], "https://graph.microsoft.com/v1.0/x?$skip=1"),
        listed([mail("b", "11:56:00")]),
      ]);
      const page = await outlook.list(from);
      expect(await outlook.list(page.mark)).toMatchObject({ mark: next, hasMore: false });
    }
  });

  it("takes all mails of one second, however many there are, and sends the token to no other host", async () => {
    provider.script([
      listed([mail("a", "10:00:00")], "https://evil.example/v1.0/x?$skip=1&$top=100"),
      listed([mail("b", "10:00:00")], "https://graph.microsoft.com/v1.0/x?$skip=2"),
      listed([mail("c", "10:00:01")], "https://graph.microsoft.com/v1.0/x?$skip=3"),
    ]);
    const page = await outlook.list("2026-11-17T10:00:00.000Z");
    expect([subjectsOf(page), page.mark, page.hasMore]).toEqual([
      ...[["a", "b", "c"], "2026-11-17T10:00:01.000Z 2026-11-17T10:00:00.000Z", true],
    ]);
    expect(asked().slice(1)).toEqual([
      { place: "/me/mailFolders/inbox/messages", $skip: "1", $top: "100" },
      { place: "/me/mailFolders/inbox/messages", $skip: "2" },
    ]);
  });

  it("knows a mail that was moved away and back, and so has another id, and tells a second one of the same name apart", async () => {
    const idOf = async (entry: unknown) => {
      provider.script([listed([entry])]);
      return (await outlook.list(anHourAgo)).items[0]?.id;
    };
    const known = await idOf(mail("a", "11:30:00"));
    expect(await idOf({ ...mail("a", "11:30:00"), id: "AAMk-after-the-move" })).toBe(known);
    expect(await idOf(mail("a", "11:30:09"))).not.toBe(known);
    expect(await idOf({ ...mail("a", "11:30:00"), internetMessageId: undefined })).toBe("AAMk-a");
  });
});

it("reads a mail with its text and the names of its files, as a search gives it", async () => {
  const whole = { ...mail("a", "11:30:00"), body: { contentType: "text", content: "At noon?" }, hasAttachments: true };
  const file = {
    "@odata.type": "#microsoft.graph.fileAttachment",
    id: "f1",
    name: "menu.pdf",
    contentType: "application/pdf",
    size: 4000,
  };
  provider.script([{ json: whole }, listed([file])]);
  const read = await outlook.read({ id: "<a@example.com> 2026-11-17T11:30:00Z", payload: { id: "AAMk-a" } });
  expect(read).toMatchObject({
    id: "AAMk-a",
    body: "At noon?",
    attachments: [{ filename: "menu.pdf", mimeType: "application/pdf", size: 4000 }],
  });
  expect(asked().map(({ place }) => place)).toEqual(["/me/messages/AAMk-a", "/me/messages/AAMk-a/attachments"]);
  expect(provider.requests()[0]?.headers.prefer).toBe('outlook.body-content-type="text"');
  expect(newEmail.promptOf(read)).toBe("a\n\nAt noon?");
  expect(newEmail.senderOf?.(read)).toEqual({ id: "ann@example.com", name: undefined });
});

it("gives nothing for a mail that is gone before it is read", async () => {
  const error = { code: "ErrorItemNotFound", message: "The specified object was not found in the store." };
  provider.script([{ status: 404, json: { error } }]);
  expect(await outlook.read({ id: "<a@example.com> 2026-11-17T11:30:00Z", payload: { id: "AAMk-a" } })).toBeUndefined();
});

it("tells what Graph refused", async () => {
  const error = { code: "ErrorInvalidIdMalformed", message: "Id is malformed." };
  provider.script([{ status: 400, json: { error } }]);
  await expect(outlook.list(null)).rejects.toThrow("(400 ErrorInvalidIdMalformed): Id is malformed.");
});

it("offers the folders of the account", async () => {
  let choices: unknown;
  const answers = [
    listed([{ id: "AQ1", displayName: "Inbox" }, {}], "https://graph.microsoft.com/v1.0/me/mailFolders?$skip=2"),
    listed([{ id: "AQ2", displayName: "Orders" }]),
  ];
  await useCredential(microsoftOutlookCredential, { accessToken: "eyJ.secret" }, answers, async (call) => {
    choices = await microsoftOutlookCredential.choices.folders?.load({ ...call, given: {}, search: "", most: 100 });
  });
  expect(choices).toEqual([
    { value: "AQ1", title: "Inbox" },
    { value: "AQ2", title: "Orders" },
  ]);
});
