import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { listAt, textAt } from "../../contract/read.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { googleSheetsCredential } from "./credential.ts";
import { toColumns, toRecord } from "./name-cells.ts";

export const action = defineAction({
  id: "google_sheets_read_range",
  title: "Read range",
  description: "Read the values of a range.",
  guide:
    "Name the sheet in the range, such as Orders!A1:F; without a sheet the first one is read. The first row gives the names of the fields only where the range starts at it.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: googleSheetsCredential,
  input: z.strictObject({
    spreadsheetId: z
      .string()
      .min(1)
      .describe("Id or web address of the spreadsheet, e.g. https://docs.google.com/spreadsheets/d/…/edit.")
      .meta({ choices: "spreadsheets" }),
    range: z
      .string()
      .min(1)
      .describe("Range in A1 notation, e.g. Sheet1!A1:D20.")
      .meta({ choices: "ranges", choicesNeed: ["spreadsheetId"] }),
    headerRow: z
      .boolean()
      .optional()
      .meta({ default: true })
      .describe(
        "Use the first row of the range as names. Where it is not said, this is true only of a range that starts at row 1: others keep their first row as data.",
      ),
    valueRender: z
      .enum(["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"])
      .default("UNFORMATTED_VALUE")
      .describe("Cells as they are shown, as plain values or as formulas."),
    dateTimeRender: z
      .enum(["FORMATTED_STRING", "SERIAL_NUMBER"])
      .default("FORMATTED_STRING")
      .describe("Dates and times as the sheet shows them, or as days since 1899-12-30."),
  }),
  output: z.object({
    row: z.int().describe("Row number in the sheet."),
    values: z.array(z.unknown()).describe("Cell values."),
    record: z.record(z.string(), z.unknown()).optional().describe("Values by header name."),
  }),
  async run({ input: { spreadsheetId, range, headerRow, valueRender, dateTimeRender }, http }) {
    const place = path`/v4/spreadsheets/${readGoogleId("/spreadsheetId", spreadsheetId)}/values/${range}`;
    const answer = await http.json({
      path: place,
      query: { valueRenderOption: valueRender, dateTimeRenderOption: dateTimeRender },
    });
    const first = firstRowOf(textAt(answer, "range"));
    const rows = listAt(answer, "values").map((cells, index) => ({ row: first + index, values: listAt(cells) }));
    const [header, ...others] = rows;
    // Otherwise a range from the middle of a table would lose its first row.
    if (!(headerRow ?? first === 1) || !header) return rows;
    const columns = toColumns(header.values);
    return others.map((row) => ({ ...row, record: toRecord(columns, row.values) }));
  },
});

/** Google says where it read: 'My sheet'!B3:D9 starts at row 3. */
function firstRowOf(range = ""): number {
  const corner = /^\$?[A-Z]*\$?(\d+)/i.exec(range.slice(range.lastIndexOf("!") + 1));
  return Number(corner?.[1] ?? 1);
}
