import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lookWith } from "../../../test/support/browser/look-with.ts";
import type { PollPage } from "../../contract/poll.ts";
import { googleSheetsCredential } from "./credential.ts";
import { newRow } from "./poll-new-row.ts";

// Answers as Google does: a range within the grid, without the empty rows and cells at its end.
const sheet = { title: "Tom's orders", columnCount: 3, rows: [] as unknown[][], rowCount: 0 };
let asked: string[] = [];

const trimEnd = (cells: unknown[]): unknown[] =>
  cells.slice(0, cells.findLastIndex((cell) => cell !== null && cell !== undefined) + 1);

function readRange(range: string) {
  const [, name = "", from = "", to = ""] = /^'(.*)'!A(\d+):C(\d+)$/.exec(range) ?? [];
  if (name !== sheet.title.replaceAll("'", "''") || Number(to) > sheet.rowCount || Number(from) > Number(to))
    return undefined;
  const rows = Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) =>
    trimEnd(sheet.rows[Number(from) - 1 + index] ?? []),
  );
  const values = rows.slice(0, rows.findLastIndex((cells) => cells.length > 0) + 1);
  return { range, majorDimension: "ROWS", ...(values.length > 0 ? { values } : {}) };
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "", "https://sheets.test");
  const ranges = url.searchParams.getAll("ranges");
  asked.push(ranges.join(" ") || url.pathname);
  const parts = ranges.map(readRange);
  const gridProperties = { rowCount: sheet.rowCount, columnCount: sheet.columnCount };
  const properties = [
    { sheetId: 7, title: sheet.title, gridProperties },
    { sheetId: 8, title: "Other", gridProperties },
  ];
  const isRefused = parts.includes(undefined) || !url.pathname.startsWith("/v4/spreadsheets/1abc_-");
  response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
  const refusal = { error: { code: 400, message: "Range exceeds grid limits.", status: "INVALID_ARGUMENT" } };
  const found = ranges.length > 0 ? { valueRanges: parts } : { sheets: properties.map((one) => ({ properties: one })) };
  response.end(JSON.stringify(isRefused ? refusal : found));
});

const orders = lookWith(newRow, {
  definition: googleSheetsCredential,
  credential: () => ({
    accessToken: "ya29.secret",
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }),
  parameters: { spreadsheetId: "https://docs.google.com/spreadsheets/d/1abc_-/edit#gid=7" },
  now: new Date("2026-11-17T12:00:00Z"),
});

beforeAll(async () => await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  sheet.rows = [["Name", "Age"], ...fill(1, 20)];
  sheet.rowCount = 1000;
  sheet.columnCount = 3;
  asked = [];
});

const fill = (from: number, to: number): unknown[][] =>
  Array.from({ length: to - from + 1 }, (_, index) => [`person ${from + index}`, from + index]);
const namesOf = ({ items }: PollPage) => items.map(({ payload }) => (payload as { values: unknown[] }).values[0]);
const begin = async () => (await orders.list(null)).mark;

describe("the first look", () => {
  it("gives the last rows as a range is read, and goes on below them", async () => {
    const page = await orders.list(null);
    expect(page.items).toHaveLength(20);
    expect(page.items.at(-1)).toEqual({
      id: expect.stringMatching(/^21:/),
      payload: { sheet: "Tom's orders", row: 21, values: ["person 20", 20], record: { Name: "person 20", Age: 20 } },
    });
    expect(await orders.list(page.mark)).toEqual({ items: [], mark: page.mark, hasMore: false });
    expect((await orders.list(null)).items.map(({ id }) => id)).toEqual(page.items.map(({ id }) => id));
  });

  it("does not read a large sheet whole, neither at first nor later", async () => {
    sheet.rows = [["Name", "Age"], ...fill(1, 90_000)];
    sheet.rowCount = 90_300;
    const page = await orders.list(null);
    expect(namesOf(page).at(-1)).toBe("person 90000");
    expect(asked.slice(1).map((ranges) => ranges.split(" ").at(-1))).toEqual([
      "orders'!A90101:C90300",
      "orders'!A89301:C90100",
      "orders'!A89977:C90001",
    ]);
    asked = [];
    sheet.rows.push(["new", 1]);
    expect(namesOf(await orders.list(page.mark))).toEqual(["new"]);
    expect(asked).toEqual(["/v4/spreadsheets/1abc_-", "'Tom''s orders'!A1:C1 'Tom''s orders'!A89942:C90300"]);
  });

  it("begins in an empty sheet, without a header, and in one that is named", async () => {
    sheet.rows = [];
    const page = await orders.list(null, { parameters: { headerRow: 0 } });
    expect(page).toMatchObject({ items: [], hasMore: false });
    sheet.rows = [["first", 1]];
    const next = await orders.list(page.mark, { parameters: { headerRow: 0, sheet: "Tom's orders" } });
    expect(next.items).toMatchObject([{ payload: { row: 1, values: ["first", 1] } }]);
    expect(next.items[0]?.payload).not.toHaveProperty("record");
    await expect(orders.list(null, { parameters: { sheet: "Gone" } })).rejects.toThrow(
      "there are: Tom's orders, Other",
    );
    await expect(orders.list(null, { parameters: { spreadsheetId: "https://example.com/d/1" } })).rejects.toThrow(
      "address of a page of Google",
    );
  });
});

describe("rows that are added", () => {
  it("are new, each with an id of its own that stays while the page is not stored", async () => {
    const mark = await begin();
    sheet.rows.push(["Ann", 41], ["Bob", 27]);
    const page = await orders.list(mark);
    expect(namesOf(page)).toEqual(["Ann", "Bob"]);
    // Somebody goes on typing, and a row above is deleted.
    sheet.rows[21] = ["Ann", 41, "late"];
    sheet.rows.splice(3, 1);
    expect((await orders.list(mark)).items.map(({ id }) => id)).toEqual(page.items.map(({ id }) => id));
  });

  it("come page by page when there are many, and are found at the end of the grid", async () => {
    const mark = await begin();
    sheet.rows.push(...fill(21, 150));
    sheet.rowCount = sheet.rows.length;
    const first = await orders.list(mark);
    expect([first.items.length, namesOf(first).at(-1), first.hasMore]).toEqual([100, "person 120", true]);
    const second = await orders.list(first.mark);
    expect([second.items.length, namesOf(second).at(-1), second.hasMore]).toEqual([30, "person 150", false]);
    expect(await orders.list(second.mark)).toEqual({ items: [], mark: second.mark, hasMore: false });
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    expect(new Set(ids).size).toBe(130);
  });

  it("are none while they hold only boxes that are not ticked or empty texts", async () => {
    sheet.rows.push(["", null, false], ["", "", false]);
    const mark = await begin();
    sheet.rows[21] = ["Ann", null, false];
    const page = await orders.list(mark);
    expect(page.items).toMatchObject([{ payload: { row: 22, record: { Name: "Ann" } } }]);
    expect(namesOf(await orders.list(page.mark))).toEqual([]);
  });
});

describe("what is not added below", () => {
  const expectOnly = async (mark: string, names: string[]) => {
    const page = await orders.list(mark);
    expect(namesOf(page)).toEqual(names);
    sheet.rows.push(["next", 0]);
    expect(namesOf(await orders.list(page.mark))).toEqual(["next"]);
  };

  it.each([
    ["a row in the middle", () => void sheet.rows.splice(10, 0, ["inserted", 0])],
    ["rows on top", () => void sheet.rows.splice(1, 0, ...fill(500, 800))],
    ["a row among the last", () => void sheet.rows.splice(19, 0, ["inserted", 0])],
  ])("starts nothing when it is inserted: %s", async (_name, change) => {
    const mark = await begin();
    change();
    await expectOnly(mark, []);
  });

  it.each([
    ["a row in the middle", () => void sheet.rows.splice(5, 1)],
    ["the last row", () => void sheet.rows.pop()],
    ["the last five", () => void sheet.rows.splice(16, 5)],
    ["all", () => void sheet.rows.splice(1)],
  ])("starts nothing when it is deleted: %s", async (_name, change) => {
    const mark = await begin();
    change();
    await expectOnly(mark, []);
  });

  it("does not hide a row that is added at the same time", async () => {
    let mark = await begin();
    sheet.rows.splice(5, 2);
    sheet.rows.push(["after a deletion", 1]);
    const page = await orders.list(mark);
    expect(namesOf(page)).toEqual(["after a deletion"]);
    mark = page.mark;
    sheet.rows.splice(17, 1);
    sheet.rows.splice(2, 0, ["inserted", 0], ["inserted", 0]);
    sheet.rows.push(["after both", 2]);
    expect(namesOf(await orders.list(mark))).toEqual(["after both"]);
  });

  it("starts nothing when rows are changed or sorted", async () => {
    const mark = await begin();
    sheet.rows[20] = ["person 20", 21, "changed"];
    const page = await orders.list(mark);
    expect(page.items).toEqual([]);
    sheet.rows = [["Name", "Age"], ...sheet.rows.slice(1).reverse()];
    await expectOnly(page.mark, []);
  });

  it("starts nothing when so many are deleted that the last one is far above", async () => {
    sheet.rows = [["Name", "Age"], ...fill(1, 300)];
    const mark = await begin();
    sheet.rows.splice(101);
    await expectOnly(mark, []);
  });

  it("starts nothing when the grid itself becomes smaller", async () => {
    sheet.rows = [["Name", "Age"], ...fill(1, 300)];
    sheet.rowCount = 301;
    const mark = await begin();
    sheet.rows.splice(101);
    sheet.rowCount = 101;
    expect(await orders.list(mark)).toMatchObject({ items: [], hasMore: false });
  });

  it("takes equal rows for what they are by their number", async () => {
    sheet.rows = [["Name", "Age"], ...Array.from({ length: 30 }, () => ["same", 1])];
    const mark = await begin();
    sheet.rows.push(["same", 1]);
    expect(namesOf(await orders.list(mark))).toEqual(["same"]);
  });
});

it("says what to do about a sheet with too many empty rows", async () => {
  sheet.rowCount = 900_000;
  await expect(orders.list(null)).rejects.toThrow("The sheet has too many empty rows below its last one. Delete them.");
});

it("tells of a row by its names and values", () => {
  expect(newRow.promptOf({ values: ["Ann", 41], record: { Name: "Ann", Age: 41 } })).toBe("Name: Ann\nAge: 41");
  expect(newRow.promptOf({ values: ["Ann", 41] })).toBe("Ann\n41");
});

it("knows what google_sheets_append_rows wrote", () => {
  const item = { id: "1", payload: { sheet: "Tom's orders", row: 22 } };
  const named = (name: string) => newRow.isNamed(name, item);
  expect(["'Tom''s orders'!A22:C22", "'Tom''s orders'!A20:C25", "'Tom''s orders'!B22"].map(named)).toEqual([
    true,
    true,
    true,
  ]);
  expect(["Other!A22:C22", "'Tom''s orders'!A23:C25", "22", "1", "Tom's orders"].map(named)).toEqual(
    Array(5).fill(false),
  );
});
