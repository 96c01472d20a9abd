import { isAscii } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { shortestTime } from "../../../test/support/shortest-time.ts";
import type { Action } from "../../contract/action.ts";
import { htmlToText } from "../_mail/html-to-text.ts";
import { gmailCredential } from "./credential.ts";
import { action as modifyLabels } from "./modify_labels.ts";
import { readBody } from "./read-body.ts";
import { action as searchEmails } from "./search_emails.ts";
import { action as sendEmail } from "./send_email.ts";

const credential = { accessToken: "ya29.secret" };
const headers = { authorization: "Bearer ya29.secret" };
const failure = {
  answer: {
    status: 400,
    json: {
      error: {
        code: 400,
        message: "Invalid To header",
        status: "INVALID_ARGUMENT",
        errors: [{ reason: "invalidArgument" }],
      },
    },
  },
  says: /Gmail refused the call \(400 invalidArgument\): Invalid To header/,
};
const encode = (text: string | Buffer) => Buffer.from(text).toString("base64url");

describeHttpTool(sendEmail, {
  credential,
  failure,
  cases: [
    {
      name: "sends a mail",
      input: { to: ["ann@example.com"], subject: "Hello" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/gmail/v1/users/me/messages/send",
            headers: { ...headers, "content-type": "application/json" },
            json: { raw: expect.stringMatching(/^[\w-]+$/) },
          },
          answer: { json: { id: "m1", threadId: "t1", labelIds: ["SENT"] } },
        },
      ],
      items: [{ id: "m1", threadId: "t1", labelIds: ["SENT"] }],
    },
    {
      name: "replies in a thread",
      input: { to: ["ann@example.com"], subject: "Re: Hello", text: "Yes.", threadId: "t1" },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/gmail/v1/users/me/messages/t1?format=metadata&metadataHeaders=Message-ID&metadataHeaders=References&metadataHeaders=Subject",
            headers,
          },
          answer: { json: { id: "t1", threadId: "t1", payload: { headers: [] } } },
        },
        {
          request: {
            method: "POST",
            path: "/gmail/v1/users/me/messages/send",
            json: { raw: expect.any(String), threadId: "t1" },
          },
          answer: { json: { id: "m2", threadId: "t1" } },
        },
      ],
      items: [{ id: "m2", threadId: "t1", labelIds: [] }],
    },
  ],
});

const listed = (ids: string[], nextPageToken?: string) => ({
  json: { messages: ids.map((id) => ({ id, threadId: `t-${id}` })), nextPageToken },
});

describeHttpTool(searchEmails, {
  credential,
  failure,
  cases: [
    {
      name: "finds messages and reads their headers",
      input: {},
      exchanges: [
        {
          request: { method: "GET", path: "/gmail/v1/users/me/messages?maxResults=10", headers },
          answer: listed(["m1"]),
        },
        {
          request: {
            method: "GET",
            path: "/gmail/v1/users/me/messages/m1?format=metadata&metadataHeaders=From&metadataHeaders=To&metadataHeaders=Cc&metadataHeaders=Subject&metadataHeaders=Date",
            headers,
          },
          answer: {
            json: {
              id: "m1",
              threadId: "t1",
              snippet: "See you",
              labelIds: ["INBOX", "UNREAD"],
              payload: {
                headers: [
                  { name: "FROM", value: "Ann <ann@example.com>" },
                  { name: "To", value: "bob@example.com" },
                  { name: "Subject", value: "Lunch ✓" },
                  { name: "Date", value: "Thu, 1 Jan 2026 10:00:00 +0000" },
                ],
              },
            },
          },
        },
      ],
      items: [
        {
          id: "m1",
          threadId: "t1",
          from: "Ann <ann@example.com>",
          to: "bob@example.com",
          subject: "Lunch ✓",
          date: "Thu, 1 Jan 2026 10:00:00 +0000",
          snippet: "See you",
          labelIds: ["INBOX", "UNREAD"],
        },
      ],
    },
    {
      name: "follows pages until the limit, asks for bodies and leaves out what was deleted meanwhile",
      input: { query: 'from:"ä/b?#" is:unread', labelIds: ["INBOX", "Label_1"], includeBody: true, limit: 2 },
      exchanges: [
        {
          request: {
            method: "GET",
            path: '/gmail/v1/users/me/messages?q=from:"ä/b?#" is:unread&labelIds=INBOX&labelIds=Label_1&maxResults=2',
          },
          answer: listed(["gone"], "page/2"),
        },
        {
          request: {
            method: "GET",
            path: '/gmail/v1/users/me/messages?q=from:"ä/b?#" is:unread&labelIds=INBOX&labelIds=Label_1&maxResults=1&pageToken=page/2',
          },
          answer: listed(["gone", "more"], "page/3"),
        },
        {
          request: { method: "GET", path: "/gmail/v1/users/me/messages/gone?format=full" },
          answer: { status: 404, json: { error: { code: 404 } } },
        },
        {
          request: { method: "GET", path: "/gmail/v1/users/me/messages/gone?format=full" },
          answer: { status: 404, json: { error: { code: 404 } } },
        },
      ],
      items: [],
    },
    {
      name: "returns the plain text of a message",
      input: { includeBody: true, limit: 1 },
      exchanges: [
        { request: { method: "GET", path: "/gmail/v1/users/me/messages?maxResults=1" }, answer: listed(["a/b"]) },
        {
          request: { method: "GET", path: "/gmail/v1/users/me/messages/a/b?format=full" },
          answer: { json: { payload: { mimeType: "text/plain", body: { data: encode("Grüße\nAnn") } } } },
        },
      ],
      items: [{ id: "a/b", labelIds: [], body: "Grüße\nAnn", attachments: [] }],
    },
    {
      name: "returns attached files, small ones from the message and large ones on request",
      input: { includeAttachments: true, limit: 1 },
      exchanges: [
        { request: { method: "GET", path: "/gmail/v1/users/me/messages?maxResults=1" }, answer: listed(["m1"]) },
        {
          request: { method: "GET", path: "/gmail/v1/users/me/messages/m1?format=full" },
          answer: {
            json: {
              id: "m1",
              payload: {
                mimeType: "multipart/mixed",
                filename: "",
                parts: [
                  { partId: "0", mimeType: "text/plain", filename: "", body: { size: 2, data: encode("Hi") } },
                  { partId: "1", mimeType: "text/csv", filename: "a.csv", body: { size: 3, data: encode("x,y") } },
                  {
                    partId: "2",
                    mimeType: "application/pdf",
                    filename: "r.pdf",
                    body: { attachmentId: "ANGjdJ8", size: 4 },
                  },
                  {
                    partId: "3",
                    mimeType: "video/mp4",
                    filename: "v.mp4",
                    body: { attachmentId: "ANGjdJ9", size: 20_000_000 },
                  },
                ],
              },
            },
          },
        },
        {
          request: { method: "GET", path: "/gmail/v1/users/me/messages/m1/attachments/ANGjdJ8" },
          answer: { json: { size: 4, data: "-_8BAg" } },
        },
      ],
      items: [
        {
          id: "m1",
          labelIds: [],
          attachments: [
            { filename: "a.csv", mimeType: "text/csv", size: 3, contentBase64: "eCx5" },
            { filename: "r.pdf", mimeType: "application/pdf", size: 4, contentBase64: "+/8BAg==" },
            { filename: "v.mp4", mimeType: "video/mp4", size: 20_000_000 },
          ],
        },
      ],
    },
    {
      name: "returns nothing when nothing is found",
      input: { query: "nothing" },
      exchanges: [
        {
          request: { method: "GET", path: "/gmail/v1/users/me/messages?q=nothing&maxResults=10" },
          answer: { json: { resultSizeEstimate: 0 } },
        },
      ],
      items: [],
    },
  ],
});

describeHttpTool(modifyLabels, {
  credential,
  failure,
  cases: [
    {
      name: "sends only what is given",
      input: { messageId: "m1", removeLabelIds: ["UNREAD"] },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/gmail/v1/users/me/messages/m1/modify",
            headers,
            json: { removeLabelIds: ["UNREAD"] },
          },
          answer: { json: { id: "m1", threadId: "t1", labelIds: ["INBOX"] } },
        },
      ],
      items: [{ id: "m1", labelIds: ["INBOX"] }],
    },
    {
      name: "adds and removes labels of a message with a strange id",
      input: { messageId: "../ü?#", addLabelIds: ["TRASH"], removeLabelIds: [] },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/gmail/v1/users/me/messages/../ü?#/modify",
            json: { addLabelIds: ["TRASH"], removeLabelIds: [] },
          },
          answer: { json: { id: "x", labelIds: ["TRASH"] } },
        },
      ],
      items: [{ id: "x", labelIds: ["TRASH"] }],
    },
  ],
});

describe("Gmail", () => {
  let provider: FakeProvider;
  const at = () => ({ ...credential, baseUrl: provider.url });

  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  async function sentMail(input: Record<string, unknown>, options: { now?: Date; idempotencyKey?: string } = {}) {
    provider.script([{ json: { id: "m1" } }]);
    await callTool(sendEmail, { input, credential: at(), ...options });
    const { raw } = JSON.parse(String(provider.requests()[0]?.body)) as { raw: string };
    const source = Buffer.from(raw, "base64url").toString();
    return { source, mail: await PostalMime.parse(source) };
  }

  it("writes a mail with both bodies, all recipients and an encoded subject", async () => {
    const { source, mail } = await sentMail(
      {
        to: ["Änn <ann@example.com>", "bob@example.com"],
        cc: ["cc@example.com"],
        bcc: ["bcc@example.com"],
        subject: "Grüße ✓",
        text: "Hi ü",
        html: "<b>Hi ü</b>",
      },
      { now: new Date("2026-01-02T03:04:05Z"), idempotencyKey: "key-1" },
    );
    expect(mail).toMatchObject({
      to: [{ name: "Änn", address: "ann@example.com" }, { address: "bob@example.com" }],
      cc: [{ address: "cc@example.com" }],
      bcc: [{ address: "bcc@example.com" }],
      subject: "Grüße ✓",
      text: expect.stringContaining("Hi ü"),
      html: expect.stringContaining("<b>Hi ü</b>"),
      date: "2026-01-02T03:04:05.000Z",
      messageId: "<key-1@mail.gmail.com>",
    });
    expect(source).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(isAscii(Buffer.from(source))).toBe(true);
  });

  it("writes an empty text when there is no body and no text when there is only HTML", async () => {
    expect((await sentMail({ to: ["a@example.com"], subject: "" })).source).toContain("Content-Type: text/plain");
    const { source } = await sentMail({ to: ["a@example.com"], subject: "s", html: "<p>x</p>" });
    expect(source).toContain("Content-Type: text/html");
    expect(source).not.toContain("text/plain");
  });

  it("answers a conversation with the headers and the subject of its first mail, also when that is gone", async () => {
    const headers = [
      { name: "Message-Id", value: "<m1@example.com>" },
      { name: "References", value: "<first@example.com>" },
      { name: "Subject", value: "Lunch ✓" },
    ];
    provider.script([{ json: { id: "t1", threadId: "t1", payload: { headers } } }, { json: { id: "m4" } }]);
    const input = { to: ["ann@example.com"], subject: "", text: "Yes.", threadId: "t1", replyTo: "team@example.com" };
    await callTool(sendEmail, { input, credential: at() });
    const { raw, threadId } = JSON.parse(String(provider.requests()[1]?.body)) as { raw: string; threadId: string };
    expect(threadId).toBe("t1");
    expect(await PostalMime.parse(Buffer.from(raw, "base64url"))).toMatchObject({
      subject: "Re: Lunch ✓",
      inReplyTo: "<m1@example.com>",
      references: "<first@example.com> <m1@example.com>",
      replyTo: [{ address: "team@example.com" }],
    });
    provider.script([
      { status: 404, json: { error: { code: 404, message: "Requested entity was not found." } } },
      { json: { id: "m5" } },
    ]);
    expect(await callTool(sendEmail, { input, credential: at() })).toMatchObject([{ id: "m5" }]);
  });

  it("attaches files, and uploads a mail that is too long for a usual request", async () => {
    const attachments = [{ filename: "a.txt", contentBase64: "aGk=" }];
    expect((await sentMail({ to: ["a@example.com"], subject: "s", attachments })).mail.attachments).toMatchObject([
      { filename: "a.txt", mimeType: "text/plain" },
    ]);
    provider.script([{ json: { id: "t1" } }, { json: { id: "m1", threadId: "t1" } }]);
    const large = [{ filename: "b.bin", contentBase64: Buffer.alloc(4_000_000, 7).toString("base64") }];
    await callTool(sendEmail, {
      input: { to: ["a@example.com"], subject: "s", threadId: "t1", attachments: large },
      credential: at(),
    });
    expect(provider.requests()[1]).toMatchObject({
      path: "/upload/gmail/v1/users/me/messages/send?uploadType=multipart",
      headers: { "content-type": expect.stringMatching(/^multipart\/related; boundary=/) },
    });
    const body = provider.requests()[1]?.body ?? Buffer.alloc(0);
    const [, metadata = "", mail = ""] = body.toString("latin1").split(/\r\n--[\w-]+(?:--)?\r\n|^--[\w-]+\r\n/);
    expect(metadata).toContain('{"threadId":"t1"}');
    const { attachments: received } = await PostalMime.parse(mail.slice(mail.indexOf("\r\n\r\n") + 4));
    expect(received).toMatchObject([{ content: { byteLength: 4_000_000 } }]);
  });

  it("lets no line break of the input begin a header", async () => {
    const { source, mail } = await sentMail({
      to: ["a@example.com\r\nX-Evil: 1"],
      subject: "s\r\nBcc: evil@example.com\r\n\r\nbody",
    });
    expect(source).not.toMatch(/^(x-evil|bcc):/im);
    expect(mail.bcc).toBeUndefined();
  });

  it("waits longer and longer when the rate limit comes as 403, and gives up on other 403", async () => {
    const limited = (reason: string) => ({
      status: 403,
      json: { error: { code: 403, message: "Quota", errors: [{ reason }] } },
    });
    const waits: number[] = [];
    provider.script([limited("rateLimitExceeded"), limited("userRateLimitExceeded"), { json: {} }]);
    expect(await callTool(searchEmails, { input: {}, credential: at(), waits })).toEqual([]);
    expect(waits).toHaveLength(2);
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
    provider.script([limited("insufficientPermissions")]);
    await expect(callTool(searchEmails, { input: {}, credential: at() })).rejects.toThrow(
      "Gmail refused the call (403 insufficientPermissions): Quota",
    );
  });

  it("does not send a mail again when the rate limit comes as 403", async () => {
    provider.script([
      { status: 403, json: { error: { code: 403, message: "Quota", errors: [{ reason: "rateLimitExceeded" }] } } },
    ]);
    await expect(
      callTool(sendEmail, { input: { to: ["a@example.com"], subject: "s" }, credential: at() }),
    ).rejects.toThrow("403 rateLimitExceeded");
    expect(provider.requests()).toHaveLength(1);
  });

  it("checks the credential with the profile", async () => {
    const run: Action["run"] = async (call) => {
      await gmailCredential.check?.(call);
      return [];
    };
    const check = { ...searchEmails, run };
    provider.script([{ json: { emailAddress: "ann@example.com" } }]);
    expect(await callTool(check, { input: {}, credential: at() })).toEqual([]);
    expect(provider.requests()).toMatchObject([{ method: "GET", path: "/gmail/v1/users/me/profile", headers }]);
    provider.script([
      { status: 401, json: { error: { code: 401, message: "Invalid Credentials", status: "UNAUTHENTICATED" } } },
    ]);
    await expect(callTool(check, { input: {}, credential: at() })).rejects.toThrow(
      "(401 UNAUTHENTICATED): Invalid Credentials",
    );
  });
});

it.each([403, 429])("comes back when Gmail says with %i, which it says in its words", (status) => {
  const at = new Date(Date.now() + 900_000).toISOString();
  const message = `User-rate limit exceeded.  Retry after ${at} (Mail sending)`;
  const body = {
    error: { code: status, message, errors: [{ message, domain: "usageLimits", reason: "rateLimitExceeded" }] },
  };
  const fault = gmailCredential.readFault(body, new Response("", { status }));
  expect(fault).toMatchObject({ isTurnedAway: true });
  expect(Math.round((fault.retryAfterMs ?? 0) / 10_000)).toBe(90);
});

it("reads at most five messages at once and keeps their order", async () => {
  const ids = Array.from({ length: 12 }, (_, index) => `m${index}`);
  let open = 0;
  let most = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const id = /messages\/(\w+)/.exec(request.url ?? "")?.[1];
    most = Math.max(most, ++open);
    await delay(id === "m0" ? 40 : 10);
    open--;
    response.end(JSON.stringify(id === undefined ? listed(ids).json : { id, snippet: `about ${id}` }));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const items = await callTool(searchEmails, { input: { limit: 12 }, credential: { ...credential, baseUrl } });
    expect(items.map(({ snippet }) => snippet)).toEqual(ids.map((id) => `about ${id}`));
    expect(most).toBe(5);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

describe("the body of a message", () => {
  const part = (mimeType: string, text: string | Buffer, more = {}) => ({
    mimeType,
    filename: "",
    body: { data: encode(text) },
    ...more,
  });

  it("is the plain text somewhere in its parts, without attachments", () => {
    const parts = [
      { mimeType: "multipart/alternative", parts: [part("text/plain", "one"), part("text/html", "<b>one</b>")] },
      part("text/plain", "attached", { filename: "notes.txt" }),
      part("text/plain", "two"),
    ];
    expect(readBody({ mimeType: "multipart/mixed", parts })).toBe("one\ntwo");
  });

  it("is the HTML as text when there is nothing else, and nothing when there is no text", () => {
    expect(readBody(part("text/html", "<p>Hi &amp; bye</p>"))).toBe("Hi & bye");
    expect(readBody({ mimeType: "image/png", body: { attachmentId: "a" } })).toBeUndefined();
  });

  it("is read in the character set it was written in", () => {
    const withCharset = (charset: string) => ({
      headers: [{ name: "Content-Type", value: `text/plain; charset=${charset}` }],
    });
    expect(readBody(part("text/plain", Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]), withCharset("iso-8859-1")))).toBe(
      "Grüße",
    );
    expect(readBody(part("text/plain", Buffer.from([0xa4]), withCharset('"iso-8859-15"')))).toBe("€");
    expect(readBody(part("text/plain", Buffer.from([0xfc]), withCharset("no-such-thing")))).toBe("ü");
    expect(readBody(part("text/plain", "schon ü", withCharset("iso-8859-1")))).toBe("schon ü");
  });
});

describe("HTML as text", () => {
  it("shows what a reader sees", () => {
    const html =
      "<html><head><title>T</title><style>p>b{}</style></head><body><!-- <b>no</b> --><div>One<br>two</div>\n<p>3 &lt; 4&nbsp;&#8364;&#x20ac;</p><script>if (a<b) x()</script>end";
    expect(htmlToText(html)).toBe("One\ntwo\n\n3 < 4 €€\nend");
  });

  it("takes time in proportion to its length whatever is in it", () => {
    const read = () => ["<", "<style", "<!--", "&#", "<a "].map((piece) => htmlToText(piece.repeat(50_000)));
    expect(shortestTime(read)).toBeLessThan(3_000);
  });
});
