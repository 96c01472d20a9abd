import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import type { Action } from "../../contract/action.ts";
import { microsoftOutlookCredential } from "./credential.ts";
import { action as searchEmails } from "./search_emails.ts";
import { action as sendEmail } from "./send_email.ts";

const credential = { accessToken: "eyJ.secret", tenant: "common" };
const headers = { authorization: "Bearer eyJ.secret" };
const failure = {
  answer: {
    status: 400,
    json: {
      error: { code: "ErrorInvalidRecipients", message: "At least one recipient is not valid.", innerError: {} },
    },
  },
  says: /Microsoft Outlook refused the call \(400 ErrorInvalidRecipients\): At least one recipient is not valid\./,
};

const recipient = (address: string) => ({ emailAddress: { address } });

describeHttpTool(sendEmail, {
  credential,
  failure,
  cases: [
    {
      name: "sends a mail",
      input: { to: ["ann@example.com"], subject: "Hello", body: "Hi" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/me/sendMail",
            headers,
            json: {
              message: {
                subject: "Hello",
                body: { contentType: "text", content: "Hi" },
                toRecipients: [recipient("ann@example.com")],
              },
              saveToSentItems: true,
            },
          },
          answer: { status: 202 },
        },
      ],
      items: [{ accepted: true, recipients: ["ann@example.com"] }],
    },
    {
      name: "sends everything that is given",
      input: {
        to: ["ann@example.com", "bob@example.com"],
        subject: 'Grüße "✓"\nx',
        body: "<b>ü</b>",
        bodyType: "html",
        cc: ["cc@example.com"],
        bcc: ["bcc@example.com"],
        saveToSentItems: false,
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/me/sendMail",
            json: {
              message: {
                subject: 'Grüße "✓"\nx',
                body: { contentType: "html", content: "<b>ü</b>" },
                toRecipients: [recipient("ann@example.com"), recipient("bob@example.com")],
                ccRecipients: [recipient("cc@example.com")],
                bccRecipients: [recipient("bcc@example.com")],
              },
              saveToSentItems: false,
            },
          },
          answer: { status: 202 },
        },
      ],
      items: [
        { accepted: true, recipients: ["ann@example.com", "bob@example.com", "cc@example.com", "bcc@example.com"] },
      ],
    },
    {
      name: "answers a mail, with files and with its own subject",
      input: {
        to: ["ann@example.com"],
        subject: "",
        body: "Yes.",
        replyToMessageId: "AAMk/x=",
        replyTo: ["team@example.com"],
        attachments: [{ filename: "a.txt", contentBase64: "aGk=", mimeType: "text/plain" }],
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/me/messages/AAMk/x=/reply",
            json: {
              message: {
                body: { contentType: "text", content: "Yes." },
                toRecipients: [recipient("ann@example.com")],
                replyTo: [recipient("team@example.com")],
                attachments: [
                  {
                    "@odata.type": "#microsoft.graph.fileAttachment",
                    name: "a.txt",
                    contentType: "text/plain",
                    contentBytes: "aGk=",
                  },
                ],
              },
            },
          },
          answer: { status: 202 },
        },
      ],
      items: [{ accepted: true, recipients: ["ann@example.com"] }],
    },
  ],
});

const select =
  "$select=id,conversationId,subject,from,toRecipients,ccRecipients,receivedDateTime,isRead,hasAttachments,bodyPreview,webLink";
const message = (id: string) => ({ id, subject: `Mail ${id}`, isRead: false });
const found = (id: string) => ({ id, subject: `Mail ${id}`, to: [], isRead: false });

describeHttpTool(searchEmails, {
  credential,
  failure,
  cases: [
    {
      name: "lists the newest messages",
      input: {},
      exchanges: [
        {
          request: { method: "GET", path: `/me/messages?$orderby=receivedDateTime desc&${select}&$top=20`, headers },
          answer: {
            json: {
              value: [
                {
                  id: "m1",
                  subject: "Lunch",
                  from: { emailAddress: { name: "Ann", address: "ann@example.com" } },
                  toRecipients: [recipient("bob@example.com"), { emailAddress: { name: "nobody" } }],
                  receivedDateTime: "2026-01-01T10:00:00Z",
                  isRead: true,
                  bodyPreview: "See you",
                  webLink: "https://outlook.office365.com/m1",
                },
              ],
            },
          },
        },
      ],
      items: [
        {
          id: "m1",
          subject: "Lunch",
          from: "ann@example.com",
          to: ["bob@example.com"],
          receivedDateTime: "2026-01-01T10:00:00Z",
          isRead: true,
          bodyPreview: "See you",
          url: "https://outlook.office365.com/m1",
        },
      ],
    },
    {
      name: "returns bodies as text and attached files",
      input: { includeBody: true, includeAttachments: true, limit: 1 },
      exchanges: [
        {
          request: {
            method: "GET",
            path: `/me/messages?$orderby=receivedDateTime desc&${select},body&$top=1`,
            headers: { prefer: 'outlook.body-content-type="text"' },
          },
          answer: {
            json: {
              value: [
                {
                  id: "m1",
                  conversationId: "c1",
                  ccRecipients: [recipient("carl@example.com")],
                  hasAttachments: true,
                  body: { contentType: "text", content: "Hello" },
                },
              ],
            },
          },
        },
        {
          request: { method: "GET", path: "/me/messages/m1/attachments?$select=id,name,contentType,size" },
          answer: {
            json: {
              value: [
                {
                  "@odata.type": "#microsoft.graph.fileAttachment",
                  id: "f1",
                  name: "r.pdf",
                  contentType: "application/pdf",
                  size: 5,
                },
                {
                  "@odata.type": "#microsoft.graph.itemAttachment",
                  id: "f2",
                  name: "A mail",
                  contentType: null,
                  size: 900,
                },
                {
                  "@odata.type": "#microsoft.graph.fileAttachment",
                  id: "f3",
                  name: "v.mp4",
                  contentType: "video/mp4",
                  size: 20_000_000,
                },
              ],
            },
          },
        },
        {
          request: { method: "GET", path: "/me/messages/m1/attachments/f1" },
          answer: { json: { id: "f1", contentBytes: "AP8BAg==" } },
        },
      ],
      items: [
        {
          id: "m1",
          to: [],
          cc: ["carl@example.com"],
          conversationId: "c1",
          hasAttachments: true,
          body: "Hello",
          attachments: [
            { filename: "r.pdf", mimeType: "application/pdf", size: 5, contentBase64: "AP8BAg==" },
            { filename: "A mail", size: 900 },
            { filename: "v.mp4", mimeType: "video/mp4", size: 20_000_000 },
          ],
        },
      ],
    },
    {
      name: "searches for words and follows pages until the limit, never to another host",
      input: { query: 'subject:"ü \\ x"', limit: 3 },
      exchanges: [
        {
          request: { method: "GET", path: `/me/messages?$search="subject:\\"ü \\\\ x\\""&${select}&$top=3` },
          answer: {
            json: {
              value: [message("1"), message("2")],
              "@odata.nextLink": "https://elsewhere.example/v1.0/me/messages?%24skiptoken=a%2Fb%3D&$top=3",
            },
          },
        },
        {
          request: { method: "GET", path: "/me/messages?$skiptoken=a/b=&$top=3", headers },
          answer: {
            json: {
              value: [message("3"), message("4")],
              "@odata.nextLink": "https://graph.microsoft.com/v1.0/me/messages?$skiptoken=c",
            },
          },
        },
      ],
      items: [found("1"), found("2"), found("3")],
    },
    {
      name: "filters and ends with the last page",
      input: { filter: "isRead eq false and subject eq 'a''b&?#'", limit: 100 },
      exchanges: [
        {
          request: {
            method: "GET",
            path: `/me/messages?$filter=isRead eq false and subject eq 'a''b&?#'&${select}&$top=100`,
          },
          answer: {
            json: { value: [message("1")], "@odata.nextLink": "https://graph.microsoft.com/v1.0/me/messages?$skip=1" },
          },
        },
        {
          request: { method: "GET", path: "/me/messages?$skip=1" },
          answer: { json: { value: [message("2")], "@odata.nextLink": null } },
        },
      ],
      items: [found("1"), found("2")],
    },
  ],
});

describe("Microsoft Outlook", () => {
  let provider: FakeProvider;
  const at = () => ({ ...credential, baseUrl: provider.url });

  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  it("refuses a query together with a filter before it asks", async () => {
    provider.script([]);
    await expect(
      callTool(searchEmails, { input: { query: "x", filter: "isRead eq true" }, credential: at() }),
    ).rejects.toMatchObject({
      code: "validation_failed",
      errors: [{ pointer: "/query" }, { pointer: "/filter" }],
    });
    expect(provider.requests()).toHaveLength(0);
  });

  it("checks the credential by asking who it is", async () => {
    const run: Action["run"] = async (call) => {
      await microsoftOutlookCredential.check?.(call);
      return [];
    };
    const check = { ...searchEmails, run };
    provider.script([{ json: { id: "u1" } }]);
    expect(await callTool(check, { input: {}, credential: at() })).toEqual([]);
    expect(provider.requests()).toMatchObject([{ method: "GET", path: "/me", headers }]);
    provider.script([
      { status: 401, json: { error: { code: "InvalidAuthenticationToken", message: "Access token has expired." } } },
    ]);
    await expect(callTool(check, { input: {}, credential: at() })).rejects.toThrow(
      "(401 InvalidAuthenticationToken): Access token has expired.",
    );
  });

  it("is connected with the directory of the credential, any account when none is named", () => {
    const [variant] = microsoftOutlookCredential.variants;
    expect(variant).toMatchObject({
      kind: "oauth2",
      oauth2: {
        authorizeUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize",
        tokenUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
        scopes: ["offline_access", "User.Read", "Mail.Read", "Mail.Send"],
        clientAuth: "body",
        pkce: true,
      },
    });
    expect(variant?.fields.parse({ clientId: "c" })).toEqual({ clientId: "c", tenant: "common" });
  });
});
