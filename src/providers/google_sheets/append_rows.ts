import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { at } from "../../contract/read.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { readUpdate, updateOutput, valueInputText } from "./client.ts";
import { googleSheetsCredential } from "./credential.ts";

export const action = defineAction({
  id: "google_sheets_append_rows",
  title: "Append rows",
  description: "Append rows after the last row of a table.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
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
      .describe("Name of the sheet or range of the table, e.g. Sheet1 or Sheet1!A1:D1.")
      .meta({ choices: "ranges", choicesNeed: ["spreadsheetId"] }),
    rows: z.array(z.array(z.unknown())).describe('Rows of cell values, e.g. [["Ann", 41], ["Bob", 27]].'),
    valueInput: z
      .enum(["RAW", "USER_ENTERED"])
      .default("RAW")
      .meta({ startsAs: "USER_ENTERED" })
      .describe(valueInputText),
  }),
  output: updateOutput,
  async run({ input: { spreadsheetId, range, rows, valueInput }, http }) {
    const answer = await http.json({
      method: "POST",
      path: path`/v4/spreadsheets/${readGoogleId("/spreadsheetId", spreadsheetId)}/values/${range}:append`,
      // Without this, rows would be written over whatever stands below the table.
      query: { valueInputOption: valueInput, insertDataOption: "INSERT_ROWS" },
      json: { values: rows },
    });
    return [readUpdate(at(answer, "updates"))];
  },
});
