import { z } from "zod";
import type { Http } from "../../contract/http.ts";
import { definePoll, type PollItem, type PollPage } from "../../contract/poll.ts";
import { listAt, numberAt, recordAt, textAt } from "../../contract/read.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { findKnownEnd, type Known } from "./align-rows.ts";
import { toColumns, toRecord } from "./name-cells.ts";
import { openSheet, type Sheet, type SheetRow } from "./open-sheet.ts";

const mostAtFirst = 25;
const mostOnPage = 100;
/** How many rows are remembered, and how far above the last one they are looked for again. */
const tailLength = 10;
const rowsAbove = 60;

const parameters = z.strictObject({
  spreadsheetId: z
    .string()
    .min(1)
    .describe("Id or web address of the spreadsheet, e.g. https://docs.google.com/spreadsheets/d/…/edit.")
    .meta({ choices: "spreadsheets" }),
  sheet: z
    .string()
    .optional()
    .describe("Name of the sheet, e.g. Orders. The first one when it is empty.")
    .meta({ choices: "sheets", choicesNeed: ["spreadsheetId"] }),
  headerRow: z
    .int()
    .min(0)
    .max(1000)
    .default(1)
    .describe("Number of the row that names the columns, e.g. 1. Only rows below it count. 0 where no row does."),
});

export const newRow = definePoll({
  id: "new_row",
  title: "New row",
  description:
    "Starts a run for each row that is added below the last row of a sheet, as soon as one of its cells is filled. Rows that are inserted above the last one, changed, sorted or deleted start nothing. A row that takes the place of a last row you have just deleted counts as a change.",
  parameters,
  // Google allows 60 reads a minute for each user of a project; a look is two.
  everySeconds: { least: 60, usual: 300 },
  list: async ({ http }, { parameters: wanted, mark, now }) => {
    const sheet = await open(http, wanted);
    return mark === null ? await listNewest(sheet, now.getTime()) : await listBelow(sheet, readMark(mark));
  },
  promptOf: describeRow,
  isNamed: (name, { payload }) => isInRange(name, textAt(payload, "sheet"), numberAt(payload, "row")),
  madeIn: ({ spreadsheetId }) => readGoogleId("/spreadsheetId", spreadsheetId),
});

/** google_sheets_append_rows tells where it wrote to, such as Orders!A5:C6. */
function isInRange(range: string, sheet: string | undefined, row: number | undefined): boolean {
  const [, name = "", first, last = first] = /^(.+)![A-Z]+(\d+)(?::[A-Z]+(\d+))?$/.exec(range) ?? [];
  if (first === undefined || row === undefined || name.replace(/^'(.*)'$/, "$1").replaceAll("''", "'") !== sheet)
    return false;
  return row >= Number(first) && row <= Number(last);
}

const open = async (http: Http, { spreadsheetId, sheet, headerRow }: z.output<typeof parameters>): Promise<Sheet> =>
  await openSheet(http, {
    spreadsheetId: readGoogleId("/spreadsheetId", spreadsheetId),
    sheet: sheet?.trim(),
    headerRow,
  });

/** `serial` counts rows and never goes back, as their numbers do when some are deleted. It begins with the time, which no earlier trigger had. */
type Mark = Known & { serial: number };

async function listNewest(sheet: Sheet, serial: number): Promise<PollPage> {
  const row = await sheet.findLastRow();
  const { header, rows } = await sheet.read(Math.max(sheet.firstRow, row - mostAtFirst + 1), row);
  // The first look may be made twice before its mark is stored: a serial would be another one then.
  const items = rows
    .filter(({ hash }) => hash !== "")
    .map((one) => toItem(`${one.number}:${one.hash}`, { sheet, header }, one));
  return { items, mark: toMark({ row, serial, rows }), hasMore: false };
}

async function listBelow(sheet: Sheet, { serial, ...known }: Mark): Promise<PollPage> {
  const from = Math.max(sheet.firstRow, Math.min(known.row, sheet.rowCount) - rowsAbove + 1);
  const { header, rows, to } = await sheet.read(from, from + sheet.mostRows - 1);
  const end = Math.max(sheet.firstRow - 1, findKnownEnd(known, rows));
  const added = rows.filter(({ number, hash }) => number > end && hash !== "");
  const some = added.slice(0, mostOnPage);
  const items = some.map((one) => toItem(String(serial + one.number - end), { sheet, header }, one));
  const last =
    some.at(-1)?.number ??
    rows.findLast(({ number, hash }) => number <= end && hash !== "")?.number ??
    (await findEnd(sheet, from));
  const goesOn = rows.at(-1)?.number === to && to < sheet.rowCount;
  const hasMore = some.length > 0 && (added.length > some.length || goesOn);
  return { items, mark: toMark({ row: last, serial: serial + Math.max(0, last - end), rows }), hasMore };
}

/** Where nothing is left of the rows around the last one, many were deleted: the last one is further up. */
const findEnd = async (sheet: Sheet, from: number): Promise<number> =>
  from > sheet.firstRow ? await sheet.findLastRow() : sheet.firstRow - 1;

/** As google_sheets_read_range gives it, and where it is. */
const toItem = (
  id: string,
  { sheet, header }: { sheet: Sheet; header: unknown[] },
  { number, values }: SheetRow,
): PollItem => ({
  id,
  payload: {
    sheet: sheet.title,
    row: number,
    values,
    ...(header.length > 0 ? { record: toRecord(toColumns(header), values) } : {}),
  },
});

function describeRow(payload: unknown): string | undefined {
  const record = recordAt(payload, "record");
  const lines = record
    ? Object.entries(record).map(([name, value]) => `${name}: ${String(value)}`)
    : listAt(payload, "values").map(String);
  return lines.join("\n") || undefined;
}

function toMark({ row, serial, rows }: { row: number; serial: number; rows: SheetRow[] }): string {
  const tail = rows.filter(({ number }) => number <= row && number > row - tailLength).map(({ hash }) => hash);
  return JSON.stringify({ row, serial, tail } satisfies Mark);
}

const readMark = (mark: string): Mark => JSON.parse(mark) as Mark;
