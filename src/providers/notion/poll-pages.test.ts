import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asked, lookAt, readItem } from "../../../test/support/browser/look-at.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { notionCredential } from "./credential.ts";
import { newPage } from "./poll-pages.ts";

const now = new Date("2026-03-01T12:00:30.000Z");
const page = (id: string, created_time: string) => ({
  object: "page",
  id,
  created_time,
  last_edited_time: created_time,
  created_by: { object: "user", id: "u1" },
  url: `https://notion.so/${id}`,
  properties: { Name: { id: "title", type: "title", title: [{ plain_text: `Plan ${id}` }] } },
});
const answer = (results: unknown[], next_cursor: string | null = null) => ({
  json: { object: "list", results, has_more: next_cursor !== null, next_cursor },
});
const missing = {
  status: 404,
  json: { object: "error", status: 404, code: "object_not_found", message: "Could not find it." },
};
const databaseId = "0123456789abcdef0123456789abcdef";

describe("new pages of a Notion database", () => {
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  const where = (parameters: Record<string, unknown>) => ({
    credential: { kind: "bearer", accessToken: "ntn_secret", baseUrl: provider.url },
    parameters: { database: "d1", ...parameters },
  });
  const look = async (mark: string | null, parameters: Record<string, unknown> = {}) =>
    await lookAt(newPage, notionCredential, { ...where(parameters), mark, now });

  it("are listed from shortly before the newest on, page after page", async () => {
    provider.script([
      answer([page("b", "2026-03-01T11:30:00.000Z"), page("a", "2026-03-01T10:00:00.000Z")], "older"),
      answer([page("c", "2026-03-01T12:00:00.000Z")], "c1"),
      answer([page("d", "2026-03-01T12:00:00.000Z")]),
      answer([]),
    ]);
    const first = await look(null);
    const second = await look(first.mark);
    const third = await look(second.mark);
    await look(third.mark);
    expect([first, second, third].map(({ items, hasMore }) => [items.map(({ id }) => id), hasMore])).toEqual([
      [["a", "b"], false],
      [["c"], true],
      [["d"], false],
    ]);
    const since = (time: string) => ({
      filter: { timestamp: "created_time", created_time: { on_or_after: time } },
      sorts: [{ timestamp: "created_time", direction: "ascending" }],
      page_size: 100,
    });
    expect(asked(provider)).toEqual(
      [
        { sorts: [{ timestamp: "created_time", direction: "descending" }], page_size: 100 },
        since("2026-03-01T11:15:00.000Z"),
        { ...since("2026-03-01T11:15:00.000Z"), start_cursor: "c1" },
        since("2026-03-01T11:45:00.000Z"),
      ].map((json) => ({ method: "POST", path: "/v1/data_sources/d1/query", json })),
    );
  });

  it("are read as the tool reads a page, with who made them", async () => {
    provider.script([page("a", "2026-03-01T11:30:00.000Z"), { markdown: "# Hello" }].map((json) => ({ json })));
    const item = { id: "a", payload: { createdTime: "2026-03-01T11:30:00.000Z", createdBy: "u1" } };
    const read = await readItem(newPage, notionCredential, { ...where({}), item });
    expect(read).toEqual({
      id: "a",
      title: "Plan a",
      url: "https://notion.so/a",
      properties: page("a", "").properties,
      markdown: "# Hello",
      lastEditedTime: "2026-03-01T11:30:00.000Z",
      createdTime: "2026-03-01T11:30:00.000Z",
      createdBy: "u1",
    });
    expect(newPage.promptOf(read)).toBe("Plan a\n\n# Hello");
    expect(newPage.senderOf?.(read)).toEqual({ id: "u1" });
    provider.script([{ json: page("a", "2026-03-01T11:30:00.000Z") }]);
    expect(await readItem(newPage, notionCredential, { ...where({ includeContent: false }), item })).not.toHaveProperty(
      "markdown",
    );
  });

  it("are found by the address of the database, which names another id than its data source", async () => {
    provider.script([
      missing,
      { json: { object: "database", data_sources: [{ id: "ds1", name: "Tasks" }] } },
      answer([]),
    ]);
    await look(null, {
      database: `https://www.notion.so/acme/${databaseId}?v=${"f".repeat(32)}&p=${"e".repeat(32)}&pm=s`,
    });
    expect(asked(provider).map(({ path }) => path)).toEqual([
      `/v1/data_sources/${databaseId}/query`,
      `/v1/databases/${databaseId}`,
      "/v1/data_sources/ds1/query",
    ]);
  });

  it("are nothing once they are gone", async () => {
    const item = { id: "a", payload: { createdTime: "2026-03-01T11:30:00.000Z", createdBy: "u1" } };
    provider.script([missing, missing]);
    expect(await readItem(newPage, notionCredential, { ...where({}), item })).toBeUndefined();
    provider.script([
      { status: 403, json: { object: "error", status: 403, code: "restricted_resource", message: "No." } },
    ]);
    await expect(readItem(newPage, notionCredential, { ...where({}), item })).rejects.toThrow("restricted_resource");
  });

  it("are refused where the database has several data sources, or is not shared", async () => {
    const data_sources = [
      { id: "ds1", name: "Tasks" },
      { id: "ds2", name: "Ideas" },
    ];
    provider.script([missing, { json: { object: "database", data_sources } }]);
    await expect(look(null, { database: databaseId })).rejects.toMatchObject({
      message: expect.stringContaining("Tasks (ds1), Ideas (ds2)"),
      errors: [{ pointer: "/database" }],
    });
    provider.script([missing, missing]);
    await expect(look(null, { database: databaseId })).rejects.toThrow(/404 object_not_found\): Could not find it/);
    await expect(look(null, { database: "https://www.notion.so/acme" })).rejects.toMatchObject({
      errors: [{ pointer: "/database" }],
    });
  });
});
