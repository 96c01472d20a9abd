import fc from "fast-check";
import { onlyOneOf, type ProviderArguments, repeat } from "./argument-set.ts";

const credentials = [
  { accessToken: "ya29.a0-token_x", refreshToken: "1//refresh", clientId: "x.apps", clientSecret: "s" },
];
const id = fc.stringMatching(/^[A-Za-z0-9_-]{5,44}$/);
const time = fc
  .date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());
const offsetTime = fc.constantFrom(
  "2026-03-01T09:00:00+01:00",
  "2026-03-01T09:00:00.123-08:00",
  "2026-03-01T09:00:00",
  "2026-03-01t09:00:00z",
);
const day = fc.constantFrom("2026-02-28", "2028-02-29");
const cell = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const rows = fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 5 });
const range = fc.constantFrom("A1:C9", "'Über uns'!B3:D", "Sheet 1!A:A", "Namen/2026?", "'It''s'!1:2");
const update = {
  spreadsheetId: "1AbC-d_e",
  range: "Sheet1!A1:B2",
  rows: [
    ["a", 1],
    [true, null],
  ],
};

export const googleArguments: Record<string, ProviderArguments> = {
  gmail: {
    credentials,
    tools: {
      gmail_send_email: {
        minimal: { to: ["a@example.com"], subject: "Hello" },
        full: {
          to: ["Ann Ä <a@example.com>", "b@example.com"],
          subject: "Grüße 👋",
          text: "plain",
          html: "<p>rich</p>",
          cc: ["c@example.com"],
          bcc: ["d@example.com"],
          threadId: "18c",
        },
        harmless: ({ threadId }) => (threadId ? 1 : 0),
        others: [
          { to: ["a@example.com"], subject: "", html: "<b>only</b>" },
          { to: [], subject: "nobody" },
        ],
        hints: { to: fc.array(fc.emailAddress(), { minLength: 1, maxLength: 5 }), threadId: id },
      },
      gmail_search_emails: {
        minimal: {},
        // Attachments are read one by one, which the description leaves out.
        isUndescribed: ({ includeAttachments }) => includeAttachments === true,
        full: { query: 'from:"x y" is:unread', labelIds: ["INBOX", "Label_1"], includeBody: true, limit: 50 },
        page: (items, next) => ({
          messages: repeat(items, (index) => ({ id: `m${index}`, threadId: "t" })),
          nextPageToken: next,
        }),
      },
      gmail_modify_labels: {
        minimal: { messageId: "18c2" },
        full: { messageId: "18c2", addLabelIds: ["STARRED"], removeLabelIds: ["UNREAD", "INBOX"] },
        hints: { messageId: id },
      },
    },
  },
  google_calendar: {
    credentials,
    tools: {
      google_calendar_list_events: {
        minimal: {},
        full: {
          calendarId: "team@group.calendar.google.com",
          timeMin: "2026-01-01T00:00:00Z",
          timeMax: "2026-12-31T23:59:59+01:00",
          query: "stand-up",
          limit: 250,
        },
        others: [
          { timeMin: "2026-01-01" },
          { timeMin: "" },
          { timeMin: "tomorrow" },
          { timeMax: "2026-01-01T00:00:00" },
        ],
        hints: { timeMin: fc.oneof(time, offsetTime, day), timeMax: fc.oneof(time, offsetTime) },
        page: (items, next) => ({
          kind: "calendar#events",
          items: repeat(items, (index) => ({ id: `e${index}` })),
          nextPageToken: next,
        }),
      },
      google_calendar_create_event: {
        minimal: { summary: "Lunch", start: "2026-03-01T12:00:00Z", end: "2026-03-01T13:00:00Z" },
        full: {
          calendarId: "primary",
          summary: "Reise",
          start: "2026-03-01T12:00:00+01:00",
          end: "2026-03-01T13:00:00+01:00",
          timeZone: "Europe/Berlin",
          description: "x",
          location: "Raum 1",
          attendees: ["a@example.com"],
          sendUpdates: "all",
        },
        others: [
          { summary: "Day", start: "2026-03-01", end: "2026-03-02" },
          { summary: "Local", start: "2026-03-01T12:00:00", end: "2026-03-01T13:00:00", timeZone: "Europe/Berlin" },
          { summary: "Far", start: "+012026-01-01", end: "+012026-01-02" },
          { summary: "Short", start: "2026-03-01T12:00", end: "2026-03-01T13:00Z" },
        ],
        hints: {
          start: fc.oneof(time, offsetTime, day),
          end: fc.oneof(time, offsetTime, day),
          timeZone: fc.constantFrom("UTC", "Europe/Berlin"),
        },
      },
      google_calendar_delete_event: {
        minimal: { eventId: "abc123" },
        full: { calendarId: "a/b@example.com", eventId: "abc_20260301T120000Z", sendUpdates: "externalOnly" },
      },
    },
  },
  google_docs: {
    credentials,
    tools: {
      google_docs_create_document: { minimal: { title: "Notes" }, full: { title: "Notes", text: "first\nsecond" } },
      google_docs_get_document: {
        minimal: { documentId: "1AbC-d_e" },
        full: { documentId: "1AbC-d_e" },
        hints: { documentId: id },
      },
    },
  },
  google_drive: {
    credentials,
    tools: {
      google_drive_search_files: {
        minimal: {},
        full: { query: "name contains 'it\\'s'", folderId: "1Fold'er", limit: 100 },
        page: (items, next) => ({ files: repeat(items, (index) => ({ id: `f${index}` })), nextPageToken: next }),
      },
      google_drive_upload_file: {
        minimal: { name: "a.txt", content: "hello" },
        full: { name: "ä.txt", content: "hello", mimeType: "text/markdown; charset=utf-8", folderId: "1Folder" },
        others: [
          { name: "b.bin", contentBase64: "AAECAwT/", mimeType: "application/octet-stream" },
          { name: "boundary", content: "--x\r\nContent-Type: a/b\r\n\r\n--\r\n" },
          { name: "empty", content: "" },
          { name: "bad", contentBase64: "***" },
        ],
        hints: {
          contentBase64: fc.base64String(),
          mimeType: fc.constantFrom("text/plain", "image/png", "application/json; charset=utf-8"),
        },
        arrange: onlyOneOf("content", "contentBase64"),
      },
      google_drive_download_file: {
        minimal: { fileId: "1AbC" },
        full: { fileId: "1AbC", exportMimeType: "text/csv" },
        hints: { fileId: id, exportMimeType: fc.constantFrom("text/csv", "application/pdf") },
      },
    },
  },
  google_sheets: {
    credentials,
    tools: {
      google_sheets_read_range: {
        minimal: { spreadsheetId: "1AbC-d_e", range: "A1:B2" },
        full: { spreadsheetId: "1AbC-d_e", range: "'Über uns'!A1:B2", headerRow: false, valueRender: "FORMULA" },
        hints: { range },
      },
      google_sheets_append_rows: {
        minimal: update,
        full: { ...update, valueInput: "USER_ENTERED" },
        others: [
          { ...update, rows: [] },
          { ...update, rows: [[], []] },
        ],
        hints: { range, rows },
      },
      google_sheets_update_range: {
        minimal: update,
        full: { ...update, valueInput: "USER_ENTERED" },
        hints: { range, rows },
      },
    },
  },
};
