import type { Mapper } from "../mapped.ts";
import type { Reader } from "../reader.ts";
import { app, limit } from "./app.ts";

/** A sheet is known by its name here; n8n keeps its number, and the name beside it. */
function sheetOf(read: Reader): unknown {
  const shown = read.raw("sheetName.cachedResultName");
  return typeof shown === "string" ? shown : (read.value("sheetName") ?? read.value("range"));
}

/** One row of the values that were given by column. */
function rowsOf(read: Reader): unknown {
  const given = read.value("columns.value");
  if (typeof given !== "object" || given === null) {
    read.remark("In n8n all fields of the item were written. Name the values in the order of the columns.");
    return undefined;
  }
  read.remark(`Values are written in the order of the columns. Check that it is ${Object.keys(given).join(", ")}.`);
  return [Object.values(given)];
}

const sheets = app({
  title: "Google Sheets",
  usual: { resource: "sheet", operation: "read" },
  rules: [
    {
      when: { resource: "sheet", operation: ["append", "appendOrUpdate"] },
      to: "google_sheets_append_rows",
      fields: { spreadsheetId: ["documentId", "sheetId"], range: sheetOf, rows: rowsOf },
    },
    {
      when: { resource: "sheet", operation: ["read", "lookup"] },
      to: "google_sheets_read_range",
      fields: { spreadsheetId: ["documentId", "sheetId"], range: sheetOf },
      after: "$input.record",
    },
  ],
});

const calendar = app({
  title: "Google Calendar",
  usual: { resource: "event", operation: "create" },
  rules: [
    {
      when: { resource: "event", operation: "create" },
      to: "google_calendar_create_event",
      fields: {
        calendarId: "calendar",
        start: "start",
        end: "end",
        summary: "additionalFields.summary",
        description: "additionalFields.description",
        location: "additionalFields.location",
      },
    },
    {
      when: { resource: "event", operation: "getAll" },
      to: "google_calendar_list_events",
      fields: {
        calendarId: "calendar",
        timeMin: ["timeMin", "options.timeMin"],
        timeMax: ["timeMax", "options.timeMax"],
        limit: limit(250),
      },
    },
    {
      when: { resource: "event", operation: "delete" },
      to: "google_calendar_delete_event",
      fields: { calendarId: "calendar", eventId: "eventId" },
    },
  ],
});

const drive = app({
  title: "Google Drive",
  usual: { resource: "file", operation: "upload" },
  rules: [
    {
      when: { resource: "file", operation: "download" },
      to: "google_drive_download_file",
      fields: { fileId: "fileId" },
    },
    {
      when: { resource: "fileFolder", operation: "search" },
      to: "google_drive_search_files",
      fields: { query: "queryString", limit: limit(100) },
    },
  ],
});

const docs = app({
  title: "Google Docs",
  usual: { resource: "document", operation: "create" },
  rules: [
    { when: { operation: "create" }, to: "google_docs_create_document", fields: { title: "title" } },
    { when: { operation: "get" }, to: "google_docs_get_document", fields: { documentId: "documentURL" } },
  ],
});

export const googleNodes: Record<string, Mapper> = {
  googleSheets: sheets,
  googleCalendar: calendar,
  googleDrive: drive,
  googleDocs: docs,
};
