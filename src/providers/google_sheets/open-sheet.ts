import { createHash } from "node:crypto";
import { Refusal } from "../../base/refusal.ts";
import { type Http, path } from "../../contract/http.ts";
import { integerAt, listAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";

export type SheetRow = { number: number; values: unknown[]; hash: string };
export type Sheet = Awaited<ReturnType<typeof openSheet>>;

/** What one answer holds at most, which is a few megabytes of cells. */
const mostCells = 100_000;
const fewestRows = 200;
const mostLooksUpwards = 12;

type Place = { spreadsheetId: string; sheet: string | undefined; headerRow: number };

/** One sheet of a spreadsheet, read in parts. A range that goes beyond the grid would be refused, so its size is asked for first. */
export async function openSheet(http: Http, { spreadsheetId, sheet, headerRow }: Place) {
  const fields = "sheets.properties(sheetId,title,gridProperties(rowCount,columnCount))";
  const answer = await http.json({ path: path`/v4/spreadsheets/${spreadsheetId}`, query: { fields } });
  const properties = listAt(answer, "sheets").map((entry) => (entry as { properties?: unknown }).properties);
  const found = sheet ? properties.find((one) => textAt(one, "title") === sheet) : properties[0];
  if (found === undefined)
    throw refuseInput(
      "/sheet",
      `names no sheet; there are: ${properties.map((one) => textAt(one, "title")).join(", ")}`,
    );
  const title = textAt(found, "title") ?? "";
  const name = title.replaceAll("'", "''");
  const rowCount = integerAt(found, "gridProperties", "rowCount") ?? 0;
  const columnCount = integerAt(found, "gridProperties", "columnCount") ?? 1;
  const firstRow = headerRow + 1;
  const mostRows = Math.max(fewestRows, Math.floor(mostCells / columnCount));
  const rangeOf = (from: number, to: number) => `'${name}'!A${from}:${letterOf(columnCount)}${to}`;

  /** Rows from one number to another, as far as the grid goes, and the header. */
  async function read(from: number, to: number): Promise<{ header: unknown[]; rows: SheetRow[]; to: number }> {
    const end = Math.min(to, rowCount);
    const ranges = [
      ...(headerRow > 0 && headerRow <= rowCount ? [rangeOf(headerRow, headerRow)] : []),
      ...(from <= end ? [rangeOf(from, end)] : []),
    ];
    if (ranges.length === 0) return { header: [], rows: [], to: end };
    const query = { ranges, valueRenderOption: "UNFORMATTED_VALUE", dateTimeRenderOption: "FORMATTED_STRING" };
    const values = await http.json({ path: path`/v4/spreadsheets/${spreadsheetId}/values:batchGet`, query });
    const parts = listAt(values, "valueRanges").map((part) => listAt(part, "values"));
    const header = headerRow > 0 && headerRow <= rowCount ? listAt(parts.shift()?.[0]) : [];
    return { header, rows: (parts[0] ?? []).map((cells, index) => toRow(from + index, listAt(cells))), to: end };
  }

  /** The number of the last row that has something in it, looked for from below, so that a large sheet is not read whole. */
  async function findLastRow(): Promise<number> {
    let to = rowCount;
    for (let looks = 0, size = fewestRows; to >= firstRow; looks++, size = Math.min(size * 4, mostRows)) {
      if (looks === mostLooksUpwards)
        throw new Refusal("validation_failed", "The sheet has too many empty rows below its last one. Delete them.");
      const from = Math.max(firstRow, to - size + 1);
      const last = (await read(from, to)).rows.findLast(({ hash }) => hash !== "");
      if (last) return last.number;
      to = from - 1;
    }
    return firstRow - 1;
  }

  return { title, firstRow, rowCount, mostRows, read, findLastRow };
}

/** Boxes that are not ticked are no content: many sheets have a column of them down to the end. */
function toRow(number: number, values: unknown[]): SheetRow {
  const isEmpty = values.every((value) => value === "" || value === false || value === null);
  const hash = isEmpty ? "" : createHash("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, 16);
  return { number, values, hash };
}

/** The letters of a column: 1 is A, 27 is AA. */
function letterOf(column: number): string {
  const rest = (column - 1) % 26;
  const before = Math.floor((column - 1) / 26);
  return (before > 0 ? letterOf(before) : "") + String.fromCharCode(65 + rest);
}
