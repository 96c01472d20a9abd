import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lookWith } from "../../../test/support/browser/look-with.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { gmailCredential } from "./credential.ts";
import { newEmail } from "./poll-new-email.ts";

const now = new Date("2026-11-17T12:00:00.500Z");
const nowSeconds = Date.parse("2026-11-17T12:00:00Z") / 1000;
const twoHours = 2 * 60 * 60;

let provider: FakeProvider;
const gmail = lookWith(newEmail, {
  definition: gmailCredential,
  credential: () => ({ accessToken: "ya29.secret", baseUrl: provider.url }),
  now,
});

beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider.stop());

const listed = (ids: string[], nextPageToken?: string) => ({
  json: { messages: ids.map((id) => ({ id, threadId: `t-${id}` })), nextPageToken, resultSizeEstimate: ids.length },
});
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
const asked = () =>
  provider.requests().map(({ path }) => {
    const url = new URL(path, "https://gmail.test");
    return { place: url.pathname.replace("/gmail/v1/users/me/", ""), ...Object.fromEntries(url.searchParams) };
  });

describe("the first look", () => {
  it("gives the newest mails of the inbox, oldest first, and goes on two hours before now", async () => {
    provider.script([listed(["m3", "m2", "m1"])]);
    const page = await gmail.list(null);
    expect(page).toEqual({
      items: ["m1", "m2", "m3"].map((id) => ({ id, payload: { id, threadId: `t-${id}` } })),
      mark: String(nowSeconds - twoHours),
      hasMore: false,
    });
    expect(asked()).toEqual([{ place: "messages", q: "-in:drafts", labelIds: "INBOX", maxResults: "100" }]);
    expect(provider.requests()[0]?.headers.authorization).toBe("Bearer ya29.secret");
  });

  it("does not let the next look reach back to mails it did not note", async () => {
    const tenMinutesAgo = nowSeconds - 600;
    provider.script([listed(["new", "old"], "older"), { json: { internalDate: String(tenMinutesAgo * 1000 + 999) } }]);
    expect((await gmail.list(null)).mark).toBe(String(tenMinutesAgo + 2));
    expect(asked()[1]).toEqual({ place: "messages/old", format: "minimal", fields: "internalDate" });
    provider.script([
      listed(["new", "old"], "older"),
      { json: { internalDate: String((nowSeconds - 86_400) * 1000) } },
    ]);
    expect((await gmail.list(null)).mark).toBe(String(nowSeconds - twoHours));
    provider.script([listed(["new", "old"], "older"), { status: 404, json: { error: { code: 404 } } }]);
    expect((await gmail.list(null)).mark).toBe(String(nowSeconds + 2));
  });

  it("says where the next begins also in an empty mailbox", async () => {
    provider.script([{ json: { resultSizeEstimate: 0 } }]);
    expect(await gmail.list(null)).toEqual({ items: [], mark: String(nowSeconds - twoHours), hasMore: false });
  });
});

describe("a later look", () => {
  it("asks for what came since the last one, with both ends counted in, and moves the mark to two hours before now", async () => {
    provider.script([listed(["m2", "m1"])]);
    const from = nowSeconds - 8000;
    expect(await gmail.list(String(from))).toMatchObject({
      items: [{ id: "m1" }, { id: "m2" }],
      mark: String(nowSeconds - twoHours),
    });
    expect(asked()).toEqual([
      { place: "messages", q: `-in:drafts after:${from - 1}`, labelIds: "INBOX", maxResults: "500" },
    ]);
  });

  it("never sets the mark back", async () => {
    provider.script([listed([])]);
    expect((await gmail.list(String(nowSeconds - 60))).mark).toBe(String(nowSeconds - 60));
    provider.script([listed([])]);
    expect((await gmail.list(String(nowSeconds + 60))).mark).toBe(String(nowSeconds + 60));
  });

  it("gives the oldest of more than fit on a page first, and the others on the pages after", async () => {
    const from = nowSeconds - 4000;
    provider.script([listed(["m9"], "more"), listed(["m5"], "more"), listed(["m2", "m1"])]);
    const page = await gmail.list(String(from));
    expect([idsOf(page), page.mark, page.hasMore]).toEqual([["m1", "m2"], `${from + 1000} ${from}`, true]);
    expect(asked().map((request) => ("q" in request ? request.q : ""))).toEqual([
      `-in:drafts after:${from - 1}`,
      `-in:drafts after:${from - 1} before:${from + 2001}`,
      `-in:drafts after:${from - 1} before:${from + 1001}`,
    ]);
    provider.script([listed(["m9", "m2"])]);
    expect(await gmail.list(page.mark)).toMatchObject({ items: [{ id: "m2" }, { id: "m9" }], hasMore: false });
  });

  it("looks as far back after several pages as after one", async () => {
    for (const [from, next] of [
      [nowSeconds - 9000, nowSeconds - twoHours],
      [nowSeconds - 600, nowSeconds - 600],
    ] as const) {
      provider.script([listed(["m9"], "more"), listed(["m1"]), listed(["m9"])]);
      const page = await gmail.list(String(from));
      expect(await gmail.list(page.mark)).toMatchObject({ items: [{ id: "m9" }], mark: String(next), hasMore: false });
    }
  });

  it("takes all mails of one second, however many there are", async () => {
    const from = nowSeconds - 2;
    provider.script([listed(["m9"], "x"), listed(["m4"], "x"), listed(["m4", "m3"], "second"), listed(["m2", "m1"])]);
    const page = await gmail.list(String(from));
    expect([idsOf(page), page.mark, page.hasMore]).toEqual([["m1", "m2", "m3", "m4"], `${from + 1} ${from}`, true]);
    expect(asked()[3]).toMatchObject({ pageToken: "second", q: `-in:drafts after:${from - 1} before:${from + 2}` });
  });

  it("goes forward also when the clock was set back", async () => {
    const from = nowSeconds + 5000;
    provider.script([listed(["m9"], "x"), listed(["m1"])]);
    expect(await gmail.list(String(from))).toMatchObject({ mark: `${from + 1} ${from}`, hasMore: true });
  });
});

it("searches as the parameters say, and counts no draft unless it is asked for", async () => {
  const queryOf = async (parameters: Record<string, unknown>) => {
    provider.script([listed([])]);
    await gmail.list(null, { parameters });
    const { place: _, maxResults: __, ...query } = asked()[0] as Record<string, string>;
    return query;
  };
  expect(await queryOf({ labelId: "", query: " from:a@example.com OR to:b@example.com " })).toEqual({
    q: "(from:a@example.com OR to:b@example.com) -in:drafts",
  });
  expect(await queryOf({ labelId: "SPAM" })).toEqual({ q: "-in:drafts", labelIds: "SPAM", includeSpamTrash: "true" });
  expect(await queryOf({ labelId: "DRAFT" })).toEqual({ labelIds: "DRAFT" });
  expect(() => newEmail.parameters.parse({ label: "INBOX" })).toThrow();
});

describe("a mail", () => {
  const encode = (text: string) => Buffer.from(text).toString("base64url");

  it("is read with its text and the names of its files, as a search gives it", async () => {
    const headers = [
      { name: "From", value: '"Ann Lee" <Ann@Example.com>' },
      { name: "Subject", value: "Lunch" },
    ];
    const parts = [
      { mimeType: "text/plain", filename: "", body: { data: encode("At noon?") } },
      { mimeType: "application/pdf", filename: "menu.pdf", body: { attachmentId: "a1", size: 4000 } },
    ];
    provider.script([
      { json: { id: "m1", threadId: "t1", labelIds: ["INBOX"], snippet: "At", payload: { headers, parts } } },
    ]);
    const mail = await gmail.read({ id: "m1", payload: {} });
    expect(mail).toEqual({
      id: "m1",
      threadId: "t1",
      from: '"Ann Lee" <Ann@Example.com>',
      subject: "Lunch",
      snippet: "At",
      labelIds: ["INBOX"],
      body: "At noon?",
      attachments: [{ filename: "menu.pdf", mimeType: "application/pdf", size: 4000 }],
    });
    expect(asked()).toEqual([{ place: "messages/m1", format: "full" }]);
    expect(newEmail.promptOf(mail)).toBe("Lunch\n\nAt noon?");
    expect(newEmail.senderOf?.(mail)).toEqual({ id: "ann@example.com", name: "Ann Lee" });
    expect(newEmail.senderOf?.({ from: "bob@example.com" })).toEqual({ id: "bob@example.com", name: undefined });
    expect([newEmail.promptOf({}), newEmail.senderOf?.({})]).toEqual([undefined, { id: undefined, name: undefined }]);
  });

  it("that is gone before it is read is nothing", async () => {
    provider.script([{ status: 404, json: { error: { code: 404, message: "Requested entity was not found." } } }]);
    expect(await gmail.read({ id: "m1", payload: {} })).toBeUndefined();
  });
});

it("tells what Gmail refused", async () => {
  provider.script([
    {
      status: 400,
      json: { error: { code: 400, message: "Invalid label: Label_9", errors: [{ reason: "invalidArgument" }] } },
    },
  ]);
  await expect(gmail.list(null)).rejects.toThrow(
    "Gmail refused the call (400 invalidArgument): Invalid label: Label_9",
  );
});

it("offers the labels of the account", async () => {
  let choices: unknown;
  const answer = {
    json: {
      labels: [{ id: "INBOX", name: "INBOX", type: "system" }, { id: "Label_12", name: "Orders", type: "user" }, {}],
    },
  };
  const requests = await useCredential(gmailCredential, { accessToken: "ya29.secret" }, [answer], async (call) => {
    choices = await gmailCredential.choices.labels?.load({ ...call, given: {}, search: "", most: 100 });
  });
  expect(requests).toMatchObject([{ method: "GET", path: "/gmail/v1/users/me/labels" }]);
  expect(choices).toEqual([
    { value: "INBOX", title: "INBOX" },
    { value: "Label_12", title: "Orders" },
  ]);
});
