import { expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { action as createPage } from "./create_page.ts";
import { notionCredential } from "./credential.ts";
import { action as getPage } from "./get_page.ts";
import { action as search } from "./search.ts";

const credential = { kind: "bearer", accessToken: "ntn_secret" };
const headers = { authorization: "Bearer ntn_secret", "notion-version": "2025-09-03" };
const failure = {
  answer: {
    status: 404,
    json: { object: "error", status: 404, code: "object_not_found", message: "Could not find page." },
  },
  says: /^Notion refused the call \(404 object_not_found\): Could not find page\.$/,
};

const titled = (...words: string[]) => ({
  Name: { id: "title", type: "title", title: words.map((plain_text) => ({ plain_text })) },
});
const page = (id: string) => ({
  object: "page",
  id,
  url: `https://notion.so/${id}`,
  last_edited_time: "2026-01-01T00:00:00.000Z",
  properties: titled("Plan ", id),
});
const found = (id: string) => ({
  object: "page",
  id,
  url: `https://notion.so/${id}`,
  lastEditedTime: "2026-01-01T00:00:00.000Z",
  title: `Plan ${id}`,
});

describeHttpTool(search, {
  credential,
  failure,
  cases: [
    {
      name: "finds everything that is shared",
      input: {},
      exchanges: [
        {
          request: { method: "POST", path: "/v1/search", headers, json: { page_size: 20 } },
          answer: {
            json: {
              object: "list",
              has_more: false,
              next_cursor: "unused",
              results: [
                page("a"),
                {
                  object: "data_source",
                  id: "d",
                  title: [{ plain_text: "Tasks" }],
                  properties: { Name: { type: "title", title: {} } },
                },
                { id: "e" },
              ],
            },
          },
        },
      ],
      items: [found("a"), { object: "data_source", id: "d", title: "Tasks" }, { id: "e" }],
    },
    {
      name: "follows pages until the limit",
      input: { query: 'ü "x"', type: "page", limit: 3 },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/search",
            json: { query: 'ü "x"', filter: { property: "object", value: "page" }, page_size: 3 },
          },
          answer: { json: { results: [page("a"), page("b")], has_more: true, next_cursor: "c1" } },
        },
        {
          request: {
            method: "POST",
            path: "/v1/search",
            json: { query: 'ü "x"', filter: { property: "object", value: "page" }, page_size: 1, start_cursor: "c1" },
          },
          answer: { json: { results: [page("c"), page("d")], has_more: true, next_cursor: "c2" } },
        },
      ],
      items: [found("a"), found("b"), found("c")],
    },
  ],
});

const titleValue = (content: string) => ({ title: [{ text: { content } }] });

const databaseId = "89abcdef012345670123456789abcdef";
const inDataSource = (id: string) => ({
  method: "POST",
  path: "/v1/pages",
  json: { parent: { type: "data_source_id", data_source_id: id }, properties: { title: titleValue("Plan") } },
});

describeHttpTool(createPage, {
  credential,
  failure,
  cases: [
    {
      name: "creates a page under a page",
      input: { parentPageId: "p1", title: "Plan" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/pages",
            headers,
            json: { parent: { type: "page_id", page_id: "p1" }, properties: { title: titleValue("Plan") } },
          },
          answer: { json: { id: "n1", url: "https://notion.so/n1", created_time: "2026-01-01T00:00:00.000Z" } },
        },
      ],
      items: [{ id: "n1", url: "https://notion.so/n1", createdTime: "2026-01-01T00:00:00.000Z" }],
    },
    {
      name: "creates a page in a data source with everything that is given",
      input: { dataSourceId: "d1", title: 'ü "x"', markdown: "# A\n\n- b", properties: { Done: { checkbox: true } } },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/pages",
            json: {
              parent: { type: "data_source_id", data_source_id: "d1" },
              properties: { title: titleValue('ü "x"'), Done: { checkbox: true } },
              markdown: "# A\n\n- b",
            },
          },
          answer: { json: { id: "n2" } },
        },
      ],
      items: [{ id: "n2" }],
    },
    {
      name: "splits a title that is too long for one text, and no character of it",
      input: { parentPageId: "p1", title: `${"a".repeat(1999)}😀b` },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/pages",
            json: {
              parent: { type: "page_id", page_id: "p1" },
              properties: { title: { title: [{ text: { content: "a".repeat(1999) } }, { text: { content: "😀b" } }] } },
            },
          },
          answer: { json: { id: "n1" } },
        },
      ],
      items: [{ id: "n1" }],
    },
    {
      name: "creates a page in the database whose address is given, and not in the page that lies over it",
      input: { dataSourceId: `https://www.notion.so/acme/Tasks-${databaseId}?v=1&p=${"f".repeat(32)}`, title: "Plan" },
      exchanges: [
        { request: inDataSource(databaseId), answer: failure.answer },
        {
          request: { method: "GET", path: `/v1/databases/${databaseId}`, headers },
          answer: { json: { object: "database", id: databaseId, data_sources: [{ id: "ds1", name: "Tasks" }] } },
        },
        { request: inDataSource("ds1"), answer: { json: { id: "n4" } } },
      ],
      items: [{ id: "n4" }],
    },
    {
      name: "takes the title of the properties when it is there",
      input: { dataSourceId: "d1", title: "Plan", properties: { Name: titleValue("Other") } },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v1/pages",
            json: {
              parent: { type: "data_source_id", data_source_id: "d1" },
              properties: { Name: titleValue("Other") },
            },
          },
          answer: { json: { id: "n3" } },
        },
      ],
      items: [{ id: "n3" }],
    },
  ],
});

it.each([{}, { parentPageId: "p", dataSourceId: "d" }])(
  "refuses a page with not exactly one parent: %j",
  async (parent) => {
    const outcome = callTool(createPage, { input: { title: "t", ...parent }, credential });
    await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/parentPageId" }] });
  },
);

it("names the data sources of a database that has several, and makes nothing", async () => {
  const provider = await startFakeProvider();
  const data_sources = ["Tasks", "Ideas"].map((name, index) => ({ id: `ds${index}`, name }));
  provider.script([failure.answer, { json: { object: "database", data_sources } }]);
  const outcome = callTool(createPage, {
    input: { dataSourceId: databaseId, title: "Plan" },
    credential: { ...credential, baseUrl: provider.url },
  });
  await expect(outcome).rejects.toMatchObject({
    message: expect.stringContaining("Tasks (ds0), Ideas (ds1)"),
    errors: [{ pointer: "/dataSourceId" }],
  });
  await provider.stop();
});

const { object: _, ...read } = found("a");
const pageId = "0123456789abcdef0123456789abcdef";

describeHttpTool(getPage, {
  credential,
  failure,
  cases: [
    {
      name: "reads a page and its content",
      input: { pageId },
      exchanges: [
        { request: { method: "GET", path: `/v1/pages/${pageId}`, headers }, answer: { json: page("a") } },
        {
          request: { method: "GET", path: `/v1/pages/${pageId}/markdown`, headers },
          answer: { json: { object: "page_markdown", id: "a", markdown: "# Plan\n\nü", truncated: false } },
        },
      ],
      items: [
        {
          ...read,
          properties: expect.objectContaining({ Name: expect.objectContaining({ id: "title" }) }),
          markdown: "# Plan\n\nü",
        },
      ],
    },
    {
      name: "says what Notion left out of a long page",
      input: { pageId },
      exchanges: [
        { request: { method: "GET", path: `/v1/pages/${pageId}` }, answer: { json: { id: "a" } } },
        {
          request: { method: "GET", path: `/v1/pages/${pageId}/markdown` },
          answer: {
            json: { object: "page_markdown", id: "a", markdown: "# Plan", truncated: true, unknown_block_ids: ["b1"] },
          },
        },
      ],
      items: [
        {
          id: "a",
          markdown: "# Plan",
          isTruncated: true,
          missingBlockIds: ["b1"],
          leftOut:
            "Notion left out 1 block. Call notion_get_page with each of missingBlockIds as pageId to read the rest; what is not shared with the connection stays closed.",
        },
      ],
    },
    {
      name: "reads a block that was left out of a page",
      input: { pageId },
      exchanges: [
        {
          request: { method: "GET", path: `/v1/pages/${pageId}` },
          answer: {
            status: 404,
            json: { object: "error", status: 404, code: "object_not_found", message: "Could not find page" },
          },
        },
        {
          request: { method: "GET", path: `/v1/pages/${pageId}/markdown` },
          answer: {
            json: { object: "page_markdown", id: "b1", markdown: "More", truncated: true, unknown_block_ids: [] },
          },
        },
      ],
      items: [
        {
          id: "b1",
          markdown: "More",
          isTruncated: true,
          missingBlockIds: [],
          leftOut:
            "Notion left out content without saying which. Read the rest in Notion, or make several pages of it.",
        },
      ],
    },
    {
      name: "reads only the properties and keeps a strange id in its place",
      input: { pageId: `../a?b#c${pageId}`, includeContent: false },
      exchanges: [
        {
          request: { method: "GET", path: `/v1/pages/../a?b#c${pageId}` },
          answer: { json: { id: "a", properties: {} } },
        },
      ],
      items: [{ id: "a", properties: {} }],
    },
  ],
});

it("refuses an id that is too short for a page", async () => {
  const outcome = callTool(getPage, { input: { pageId: "my page" }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/pageId" }] });
});

it("refuses a property that is not in Notion form", async () => {
  const input = { parentPageId: "p", title: "t", properties: { Done: { checkbox: true }, Count: 5 } };
  await expect(callTool(createPage, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer: "/properties/Count" }],
  });
});

it.each([credential, { kind: "oauth2", accessToken: "ntn_secret" }])("checks the credential as $kind", async (data) => {
  expect(await useCredential(notionCredential, data, [{ json: {} }])).toMatchObject([
    { method: "GET", path: "/v1/users/me", headers },
  ]);
});
