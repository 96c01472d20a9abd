import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import type { Action } from "../../contract/action.ts";
import { action as createDocument } from "./create_document.ts";
import { googleDocsCredential } from "./credential.ts";
import { action as getDocument } from "./get_document.ts";
import { readContent } from "./read-content.ts";

const credential = { accessToken: "ya29.secret" };
const headers = { authorization: "Bearer ya29.secret" };
const failure = {
  answer: {
    status: 404,
    json: { error: { code: 404, message: "Requested entity was not found.", status: "NOT_FOUND" } },
  },
  says: /Google Docs refused the call \(404 NOT_FOUND\): Requested entity was not found\./,
};

describeHttpTool(createDocument, {
  credential,
  failure,
  cases: [
    {
      name: "creates an empty document",
      input: { title: "Plan" },
      exchanges: [
        {
          request: { method: "POST", path: "/v1/documents", headers, json: { title: "Plan" } },
          answer: { json: { documentId: "d1", title: "Plan" } },
        },
      ],
      items: [{ documentId: "d1", title: "Plan", url: "https://docs.google.com/document/d/d1/edit" }],
    },
    {
      name: "inserts the text with a second call",
      input: { title: 'Ü "x"', text: "Line 1\n✓" },
      exchanges: [
        {
          request: { method: "POST", path: "/v1/documents", json: { title: 'Ü "x"' } },
          answer: { json: { documentId: "d/2?#" } },
        },
        {
          request: {
            method: "POST",
            path: "/v1/documents/d/2?#:batchUpdate",
            headers,
            json: { requests: [{ insertText: { location: { index: 1 }, text: "Line 1\n✓" } }] },
          },
          answer: { json: { documentId: "d/2?#", replies: [{}] } },
        },
      ],
      items: [{ documentId: "d/2?#", url: "https://docs.google.com/document/d/d%2F2%3F%23/edit" }],
    },
    {
      name: "makes no second call for an empty text",
      input: { title: "Plan", text: "" },
      exchanges: [
        {
          request: { method: "POST", path: "/v1/documents", json: { title: "Plan" } },
          answer: { json: { documentId: "d1" } },
        },
      ],
      items: [{ documentId: "d1", url: "https://docs.google.com/document/d/d1/edit" }],
    },
  ],
});

const paragraph = (...texts: string[]) => ({
  paragraph: { elements: texts.map((content) => ({ textRun: { content } })) },
});

const tab = (tabId: string, title: string, text: string, childTabs: unknown[] = []): unknown => ({
  tabProperties: { tabId, title, index: 0 },
  childTabs,
  documentTab: { body: { content: [{ sectionBreak: {} }, paragraph(text)] } },
});

describeHttpTool(getDocument, {
  credential,
  failure,
  cases: [
    {
      name: "reads a document",
      input: { documentId: "d1" },
      exchanges: [
        {
          request: { method: "GET", path: "/v1/documents/d1?includeTabsContent=true", headers },
          answer: {
            json: {
              documentId: "d1",
              title: "Plan",
              revisionId: "r1",
              body: { content: [{ sectionBreak: {} }, paragraph("Hello ", "world\n")] },
            },
          },
        },
      ],
      items: [{ documentId: "d1", title: "Plan", text: "Hello world\n", revisionId: "r1" }],
    },
    {
      name: "reads all tabs, also those within others",
      input: { documentId: "d1" },
      exchanges: [
        {
          request: { method: "GET", path: "/v1/documents/d1?includeTabsContent=true" },
          answer: {
            json: {
              documentId: "d1",
              tabs: [tab("t.0", "One", "a\n", [tab("t.1", "Within", "b\n")]), tab("t.2", "Two", "c\n")],
            },
          },
        },
      ],
      items: [
        {
          documentId: "d1",
          text: "One\n\na\n\nWithin\n\nb\n\nTwo\n\nc\n",
          tabs: [
            { id: "t.0", title: "One", text: "a\n" },
            { id: "t.1", title: "Within", text: "b\n" },
            { id: "t.2", title: "Two", text: "c\n" },
          ],
        },
      ],
    },
    {
      name: "reads the only tab as the document",
      input: { documentId: "d1" },
      exchanges: [
        {
          request: { method: "GET", path: "/v1/documents/d1?includeTabsContent=true" },
          answer: { json: { documentId: "d1", tabs: [tab("t.0", "Tab 1", "Hello\n")] } },
        },
      ],
      items: [{ documentId: "d1", text: "Hello\n" }],
    },
    {
      name: "keeps a strange id in its place",
      input: { documentId: "../a?b#ü" },
      exchanges: [
        {
          request: { method: "GET", path: "/v1/documents/../a?b#ü?includeTabsContent=true" },
          answer: { json: { documentId: "x" } },
        },
      ],
      items: [{ documentId: "x", text: "" }],
    },
  ],
});

describe("the text of a document", () => {
  it("has the rows of tables as lines and what a table of contents lists", () => {
    const cell = (...content: unknown[]) => ({ content });
    const table = {
      tableRows: [
        { tableCells: [cell(paragraph("a\n")), cell(paragraph("b\n"), paragraph("c\n"))] },
        { tableCells: [cell(), cell(paragraph("d\n"))] },
      ],
    };
    const content = [
      { tableOfContents: { content: [paragraph("Chapter 1\n")] } },
      paragraph("Chapter 1\n"),
      { table },
      paragraph("end\n"),
    ];
    expect(readContent({ body: { content } }, "body")).toBe("Chapter 1\nChapter 1\na\tb\nc\n\td\nend\n");
  });

  it("has the words of chips and breaks of soft line breaks", () => {
    const elements = [
      { textRun: { content: "by\v" } },
      { person: { personProperties: { name: "Ann", email: "ann@example.com" } } },
      { person: { personProperties: { email: "bob@example.com" } } },
      { richLink: { richLinkProperties: { title: " Sheet " } } },
      { dateElement: { dateElementProperties: { displayText: "1 Jan" } } },
      { inlineObjectElement: {} },
    ];
    expect(readContent({ content: [{ paragraph: { elements } }] })).toBe("by\nAnnbob@example.com Sheet 1 Jan");
  });
});

describe("Google Docs", () => {
  let provider: FakeProvider;
  const at = () => ({ ...credential, baseUrl: provider.url });

  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  it("does not call an answer without a document a refusal: it may have been created", async () => {
    provider.script([{ json: {} }]);
    await expect(callTool(createDocument, { input: { title: "t" }, credential: at() })).rejects.toMatchObject({
      effect: "unknown",
      message: "The answer of Google Docs has no document id, so nothing shows that it was done.",
    });
  });

  it("says which document was created when its text cannot be inserted", async () => {
    provider.script([{ json: { documentId: "d7" } }, failure.answer]);
    await expect(
      callTool(createDocument, { input: { title: "t", text: "x" }, credential: at() }),
    ).rejects.toMatchObject({
      code: "provider_error",
      message:
        "The document d7 was created, but without its text. Google Docs refused the call (404 NOT_FOUND): Requested entity was not found.",
      provider: { status: 404, code: "NOT_FOUND" },
    });
    provider.script([{ json: { documentId: "d8" } }, { drop: true }]);
    await expect(
      callTool(createDocument, { input: { title: "t", text: "x" }, credential: at() }),
    ).rejects.toMatchObject({
      code: "provider_unreachable",
      message: expect.stringContaining("The document d8 was created"),
    });
    expect(provider.requests()).toHaveLength(2);
  });

  it("asks beside the token address whether the token is good, without showing it in the address", async () => {
    const run: Action["run"] = async (call) => {
      await googleDocsCredential.check?.(call);
      return [];
    };
    const check = { ...getDocument, run };
    const data = { ...credential, tokenUrl: `${provider.url}/token` };
    provider.script([{ json: { scope: "https://www.googleapis.com/auth/documents", expires_in: "3000" } }]);
    expect(await callTool(check, { input: { documentId: "x" }, credential: data })).toEqual([]);
    expect(provider.requests()).toMatchObject([{ method: "POST", path: "/tokeninfo", headers }]);
    provider.script([{ status: 400, json: { error: "invalid_token", error_description: "Invalid Value" } }]);
    await expect(callTool(check, { input: { documentId: "x" }, credential: data })).rejects.toThrow(
      "Google refused the call (400 invalid_token): Invalid Value",
    );
    provider.script([{ status: 502, body: "<html>" }]);
    await expect(callTool(check, { input: { documentId: "x" }, credential: data })).rejects.toThrow(
      "Google refused the call (502).",
    );
  });
});

it("is connected with Google's addresses and asks for a lasting connection", () => {
  expect(googleDocsCredential.variants).toMatchObject([
    {
      kind: "oauth2",
      oauth2: {
        authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
        tokenUrl: "https://oauth2.googleapis.com/token",
        authorizeParams: { access_type: "offline", prompt: "consent", include_granted_scopes: "true" },
        scopes: ["https://www.googleapis.com/auth/documents"],
        scopeSeparator: " ",
        clientAuth: "body",
        pkce: true,
      },
    },
    { kind: "serviceAccount" },
  ]);
});
