import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { readGoogleId } from "../_google/read-id.ts";
import { readUpdate, updateOutput, valueInputText } from "./client.ts";
import { googleSheetsCredential } from "./credential.ts";

export const action = defineAction({
  id: "google_sheets_update_range",
  title: "Update range",
  description: "Overwrite the values of a range.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
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
      .describe("Range in A1 notation, e.g. Sheet1!A1:B2.")
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
      method: "PUT",
      path: path`/v4/spreadsheets/${readGoogleId("/spreadsheetId", spreadsheetId)}/values/${range}`,
      query: { valueInputOption: valueInput },
      json: { values: rows },
    });
    return [readUpdate(answer)];
  },
});
