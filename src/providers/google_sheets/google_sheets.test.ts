import { expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import type { Action } from "../../contract/action.ts";
import { action as appendRows } from "./append_rows.ts";
import { googleSheetsCredential } from "./credential.ts";
import { action as readRange } from "./read_range.ts";
import { action as updateRange } from "./update_range.ts";

const credential = { accessToken: "ya29.secret" };
const headers = { authorization: "Bearer ya29.secret" };
const failure = {
  answer: {
    status: 403,
    json: {
      error: {
        code: 403,
        message: "Sheets is off.",
        status: "PERMISSION_DENIED",
        details: [{ "@type": "x", reason: "SERVICE_DISABLED" }],
      },
    },
  },
  says: /Google Sheets refused the call \(403 SERVICE_DISABLED\): Sheets is off\./,
};

describeHttpTool(readRange, {
  credential,
  failure,
  cases: [
    {
      name: "returns one item per row with the names of the first",
      input: { spreadsheetId: "s1", range: "Sheet1!A1:C4" },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/v4/spreadsheets/s1/values/Sheet1!A1:C4?valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING",
            headers,
          },
          answer: {
            json: {
              range: "Sheet1!A1:C4",
              majorDimension: "ROWS",
              values: [["name", "age", ""], ["Ann", 41, "x"], [], ["Bob", "", true, "beyond"]],
            },
          },
        },
      ],
      items: [
        { row: 2, values: ["Ann", 41, "x"], record: { name: "Ann", age: 41 } },
        { row: 3, values: [], record: { name: "", age: "" } },
        { row: 4, values: ["Bob", "", true, "beyond"], record: { name: "Bob", age: "" } },
      ],
    },
    {
      name: "returns all rows without names, with strange sheet names in their place",
      input: {
        spreadsheetId: "../s?#",
        range: "'My/ü sheet!9'!B3:D",
        headerRow: false,
        valueRender: "FORMULA",
        dateTimeRender: "SERIAL_NUMBER",
      },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/v4/spreadsheets/../s?#/values/'My/ü sheet!9'!B3:D?valueRenderOption=FORMULA&dateTimeRenderOption=SERIAL_NUMBER",
          },
          answer: { json: { range: "'My/ü sheet!9'!B3:D1000", values: [["=A1"], [null, 2]] } },
        },
      ],
      items: [
        { row: 3, values: ["=A1"] },
        { row: 4, values: [null, 2] },
      ],
    },
    {
      name: "loses no column whose name comes twice",
      input: { spreadsheetId: "s1", range: "A1:D2" },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/v4/spreadsheets/s1/values/A1:D2?valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING",
          },
          answer: {
            json: {
              range: "Sheet1!A1:D2",
              values: [
                ["mail", "mail", "", "mail"],
                [1, 2, 3, 4],
              ],
            },
          },
        },
      ],
      items: [{ row: 2, values: [1, 2, 3, 4], record: { mail: 1, mail_2: 2, mail_3: 4 } }],
    },
    {
      name: "returns dates as they are shown, and loses no row of a range from the middle of a table",
      input: { spreadsheetId: "s1", range: "A5:B6" },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/v4/spreadsheets/s1/values/A5:B6?valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING",
          },
          answer: {
            json: {
              range: "Sheet1!A5:B6",
              values: [
                ["Ann", "2026-01-31"],
                ["Bob", "2026-02-01"],
              ],
            },
          },
        },
      ],
      items: [
        { row: 5, values: ["Ann", "2026-01-31"] },
        { row: 6, values: ["Bob", "2026-02-01"] },
      ],
    },
    {
      name: "returns nothing for an empty range and for names alone",
      input: { spreadsheetId: "s1", range: "Named", headerRow: true },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/v4/spreadsheets/s1/values/Named?valueRenderOption=UNFORMATTED_VALUE&dateTimeRenderOption=FORMATTED_STRING",
          },
          answer: { json: { range: "Sheet1!A7:B7", values: [["name", "__proto__"]] } },
        },
      ],
      items: [],
    },
  ],
});

const rows = [
  ["Ann", 41, true, null],
  ["=1+1", "ü\n\"'"],
];

describeHttpTool(appendRows, {
  credential,
  failure,
  cases: [
    {
      name: "appends rows as they are",
      input: { spreadsheetId: "s1", range: "Sheet1", rows },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v4/spreadsheets/s1/values/Sheet1:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS",
            headers,
            json: { values: rows },
          },
          answer: {
            json: {
              spreadsheetId: "s1",
              updates: { updatedRange: "Sheet1!A5:D6", updatedRows: 2, updatedColumns: 4, updatedCells: 5 },
            },
          },
        },
      ],
      items: [{ updatedRange: "Sheet1!A5:D6", updatedRows: 2, updatedCells: 5 }],
    },
    {
      name: "evaluates what is entered only when asked to",
      input: { spreadsheetId: "s/1", range: "'a/b?#'!A:C", rows: [["=NOW()"]], valueInput: "USER_ENTERED" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v4/spreadsheets/s/1/values/'a/b?#'!A:C:append?valueInputOption=USER_ENTERED&insertDataOption=INSERT_ROWS",
            json: { values: [["=NOW()"]] },
          },
          answer: { json: { updates: { updatedRange: "A1" } } },
        },
      ],
      items: [{ updatedRange: "A1" }],
    },
  ],
});

describeHttpTool(updateRange, {
  credential,
  failure,
  cases: [
    {
      name: "overwrites a range",
      input: { spreadsheetId: "s1", range: "A1:D2", rows },
      exchanges: [
        {
          request: {
            method: "PUT",
            path: "/v4/spreadsheets/s1/values/A1:D2?valueInputOption=RAW",
            headers,
            json: { values: rows },
          },
          answer: { json: { updatedRange: "Sheet1!A1:D2", updatedRows: 2, updatedColumns: 4, updatedCells: 5 } },
        },
      ],
      items: [{ updatedRange: "Sheet1!A1:D2", updatedRows: 2, updatedCells: 5 }],
    },
    {
      name: "evaluates what is entered only when asked to",
      input: { spreadsheetId: "ü/s", range: "'x y'!A1", rows: [["1/2/2026"]], valueInput: "USER_ENTERED" },
      exchanges: [
        {
          request: {
            method: "PUT",
            path: "/v4/spreadsheets/ü/s/values/'x y'!A1?valueInputOption=USER_ENTERED",
            json: { values: [["1/2/2026"]] },
          },
          answer: { json: { updatedRange: "A1", updatedCells: 1 } },
        },
      ],
      items: [{ updatedRange: "A1", updatedCells: 1 }],
    },
  ],
});

it("asks beside the token address whether the token is good", async () => {
  const provider = await startFakeProvider();
  try {
    const run: Action["run"] = async (call) => {
      await googleSheetsCredential.check?.(call);
      return [];
    };
    const check = { ...readRange, run };
    const call = {
      input: { spreadsheetId: "s", range: "A1" },
      credential: { ...credential, tokenUrl: `${provider.url}/token` },
    };
    provider.script([
      { json: {} },
      { status: 400, json: { error: "invalid_token", error_description: "Invalid Value" } },
    ]);
    expect(await callTool(check, call)).toEqual([]);
    expect(provider.requests()).toMatchObject([{ method: "POST", path: "/tokeninfo", headers }]);
    await expect(callTool(check, call)).rejects.toThrow("400 invalid_token");
  } finally {
    await provider.stop();
  }
});
