import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readInput } from "../../src/catalog/catalog.ts";
import { toJsonSchema } from "../../src/catalog/json-schema.ts";
import type { Action } from "../../src/contract/action.ts";
import { action as listEvents } from "../../src/providers/google_calendar/list_events.ts";
import { action as getDocument } from "../../src/providers/google_docs/get_document.ts";
import { action as downloadFile } from "../../src/providers/google_drive/download_file.ts";
import { action as searchFiles } from "../../src/providers/google_drive/search_files.ts";
import { action as appendRows } from "../../src/providers/google_sheets/append_rows.ts";
import { action as readRange } from "../../src/providers/google_sheets/read_range.ts";
import { action as httpRequest } from "../../src/providers/http/request.ts";
import { action as createContact } from "../../src/providers/hubspot/create_contact.ts";
import { action as createIssue } from "../../src/providers/jira/create_issue.ts";
import { action as createPage } from "../../src/providers/notion/create_page.ts";
import { action as getPage } from "../../src/providers/notion/get_page.ts";
import { action as createResponse } from "../../src/providers/openai/create_response.ts";
import { action as createRefund } from "../../src/providers/stripe/create_refund.ts";
import { action as listPayments } from "../../src/providers/stripe/list_payments.ts";
import { action as wait } from "../../src/providers/system/wait.ts";
import { action as sendMessage } from "../../src/providers/telegram/send_message.ts";
import { callTool } from "../support/gateway/call-tool.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
beforeEach(() => provider.script([{ json: {} }, { json: {} }]));
afterAll(() => provider.stop());

/** What a tool asked for first, whatever came of it. */
async function asked(
  tool: Action,
  input: Record<string, unknown>,
  credential: Record<string, unknown> = { accessToken: "a" },
) {
  await callTool(tool, { input, credential: { kind: "oauth2", ...credential, baseUrl: provider.url } }).catch(() => {});
  const { path, body } = provider.requests()[0] ?? { path: "", body: Buffer.of() };
  return { path: decodeURIComponent(path), body: body.toString() };
}

describe("the address of a page is as good as its id", () => {
  const notionId = "1f0a5f3c9d2b4e6f8a1b2c3d4e5f6a7b";
  it.each([
    `https://www.notion.so/acme/Meeting-notes-${notionId}?pvs=4`,
    `https://acme.notion.site/Meeting-notes-${notionId}#block`,
    `https://www.notion.so/${notionId}`,
    "1f0a5f3c-9d2b-4e6f-8a1b-2c3d4e5f6a7b",
    notionId,
  ])("of Notion: %s", async (pageId) => {
    expect((await asked(getPage, { pageId })).path.replaceAll("-", "")).toBe(`/v1/pages/${notionId}`);
    provider.script([{ json: {} }]);
    expect((await asked(createPage, { parentPageId: pageId, title: "x" })).body.replaceAll("-", "")).toContain(
      notionId,
    );
  });

  const id = "1A_b-C3dEfGhIjKlMnOpQrStUvWxYz0123456789abc";
  it.each([
    `https://docs.google.com/document/d/${id}/edit?tab=t.0#heading=h.1`,
    `https://docs.google.com/document/u/0/d/${id}`,
    id,
  ])("of Google Docs: %s", async (documentId) => {
    expect((await asked(getDocument, { documentId })).path).toBe(`/v1/documents/${id}?includeTabsContent=true`);
  });

  it.each([`https://docs.google.com/spreadsheets/d/${id}/edit#gid=0`, id])(
    "of Google Sheets: %s",
    async (spreadsheetId) => {
      expect((await asked(readRange, { spreadsheetId, range: "A1" })).path).toMatch(`/v4/spreadsheets/${id}/values/A1`);
      provider.script([{ json: {} }]);
      expect((await asked(appendRows, { spreadsheetId, range: "A1", rows: [] })).path).toMatch(
        `/v4/spreadsheets/${id}/values/A1`,
      );
    },
  );

  it.each([
    `https://drive.google.com/file/d/${id}/view?usp=sharing`,
    `https://drive.google.com/open?id=${id}&usp=drive_copy`,
    `https://docs.google.com/presentation/d/${id}/edit`,
    id,
  ])("of Google Drive: %s", async (fileId) => {
    expect((await asked(downloadFile, { fileId })).path).toMatch(new RegExp(`^/drive/v3/files/${id}[?]`));
  });

  it("of a folder of Google Drive", async () => {
    const { path } = await asked(searchFiles, {
      folderId: `https://drive.google.com/drive/u/1/folders/${id}?usp=sharing`,
    });
    expect(path).toContain(`'${id}'+in+parents`);
  });

  it("of a shared drive of Google Drive", async () => {
    const { path } = await asked(searchFiles, { driveId: `https://drive.google.com/drive/folders/${id}` });
    expect(new URLSearchParams(path.split("?")[1]).get("driveId")).toBe(id);
  });

  it("but the address of something else is refused before anybody is asked", async () => {
    const outcome = callTool(getDocument, {
      input: { documentId: "https://example.test/x" },
      credential: { accessToken: "a" },
    });
    await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/documentId" }] });
  });
});

describe("a chat of Telegram", () => {
  it.each([-1_001_234_567_890, "-1001234567890"])("may be %j", async (chatId) => {
    const { body } = await asked(sendMessage, { chatId, text: "Hi" }, { botToken: "1:a" });
    expect(JSON.parse(body)).toMatchObject({ chat_id: "-1001234567890" });
  });
});

describe("limits and forms are in the schema, and are checked", () => {
  it.each([
    [createResponse, { model: "m", prompt: "p", maxTokens: 15 }, "/maxTokens", { minimum: 16 }],
    [httpRequest, { url: "https://example.test", timeoutSeconds: 0 }, "/timeoutSeconds", { minimum: 1 }],
    [createIssue, { projectKey: "P", issueType: "Task", summary: "s".repeat(256) }, "/summary", { maxLength: 255 }],
    [createContact, { email: "ann" }, "/email", { format: "email" }],
    [listPayments, { customerEmail: "nobody" }, "/customerEmail", { format: "email" }],
    [listPayments, { createdAfter: "yesterday" }, "/createdAfter", { format: "date-time" }],
    [listEvents, { timeMin: "2026-13-01T00:00:00Z" }, "/timeMin", { format: "date-time" }],
    [httpRequest, { url: "nonsense" }, "/url", { format: "uri" }],
    [createRefund, { paymentIntentId: "pi_1", idempotencyKey: "k".repeat(256) }, "/idempotencyKey", { maxLength: 255 }],
  ] as [Action, Record<string, unknown>, string, object][])("%#", (tool, input, pointer, limit) => {
    const field = pointer.slice(1);
    const { properties } = toJsonSchema(tool.input, "input") as { properties: Record<string, object> };
    expect(properties[field]).toMatchObject(limit);
    expect(() => readInput(tool, input)).toThrow(
      expect.objectContaining({ code: "validation_failed", errors: [{ pointer, detail: expect.any(String) }] }),
    );
  });

  it.each([
    [listPayments, { createdAfter: "2026-01-31T09:00:00+01:00", customerEmail: "ann+x@mail.example.test" }],
    [listEvents, { timeMin: "2026-01-31T09:00:00.5Z" }],
    [createContact, { email: "ann.o'neil@example.test" }],
  ] as [Action, Record<string, unknown>][])("takes what is right, %#", (tool, input) => {
    expect(readInput(tool, input)).toMatchObject(input);
  });
});

describe("stripe_list_payments", () => {
  it.each([1e18, "soon", null, -1e20])("lives with %j as the time of a payment", async (created) => {
    provider.script([{ json: { data: [{ id: "pi_1", amount: 5, created }], has_more: false } }]);
    const items = await callTool(listPayments, { input: {}, credential: { secretKey: "sk", baseUrl: provider.url } });
    expect(items).toEqual([{ id: "pi_1", amount: 5 }]);
  });
});

it("system_wait says how long it may really wait", () => {
  expect(JSON.stringify(toJsonSchema(wait.input, "input"))).toContain("MCP_MAX_EXECUTION_TIME");
});
