import type { CredentialData } from "../../../src/contract/credential.ts";
import type { Answer } from "../../support/providers/fake-provider.ts";

/** What a list of an account asks its service, and what it makes of the answers. */
export type Exchanges = {
  account: CredentialData;
  given?: Record<string, string>;
  search?: string;
  /** Method, path and query of each request, and its answer. */
  asks: [request: string, answer: Answer][];
  gives: { value: string; title?: string }[];
};

const token = { kind: "bearer", accessToken: "token" };
const google = { kind: "oauth2", accessToken: "token" };
const json = (value: unknown): Answer => ({ json: value });
const ofRepository = { owner: "octo", repo: "rail" };
const drive = (q: string) =>
  `GET /drive/v3/files?${new URLSearchParams({
    q,
    corpora: "allDrives",
    supportsAllDrives: "true",
    includeItemsFromAllDrives: "true",
    orderBy: "modifiedTime desc",
    fields: "files(id,name)",
    pageSize: "200",
  })}`;
const files = json({ files: [{ id: "f1", name: "Orders" }] });
const file = [{ value: "f1", title: "Orders" }];
const models = (list: unknown) => json({ data: list });
const repositories = (value: unknown, status = 200) => ({ status, json: value });
const user = json({ login: "ann", name: "Ann" });
const table = {
  id: "tbl1",
  name: "Tasks",
  views: [{ id: "viw1", name: "Open" }],
  fields: [{ id: "fld1", name: "Status" }],
};
const tables: [string, Answer] = ["GET /v0/meta/bases/app1/tables", json({ tables: [table] })];

/** By the type of the account and the name of the list. Those of databases are tested beside their providers, on real servers. */
export const exchangesOf: Record<string, Exchanges> = {
  "airtable bases": {
    account: token,
    asks: [
      ["GET /v0/meta/bases", json({ bases: [{ id: "app1", name: "Shop" }], offset: "next/1" })],
      ["GET /v0/meta/bases?offset=next%2F1", json({ bases: [{ id: "app2" }, { name: "without an id" }] })],
    ],
    gives: [{ value: "app1", title: "Shop" }, { value: "app2" }],
  },
  "airtable tables": {
    account: token,
    given: { baseId: "https://airtable.com/app1/tbl9/viw1" },
    asks: [tables],
    gives: [{ value: "tbl1", title: "Tasks" }],
  },
  "airtable views": {
    account: token,
    given: { baseId: "app1", table: "Tasks" },
    asks: [tables],
    gives: [{ value: "viw1", title: "Open" }],
  },
  "airtable fields": {
    account: token,
    given: { baseId: "app1", table: "tbl1" },
    asks: [tables],
    gives: [{ value: "Status" }],
  },
  "anthropic models": {
    account: { apiKey: "key" },
    asks: [["GET /v1/models?limit=100", models([{ id: "claude-a", display_name: "Claude A" }])]],
    gives: [{ value: "claude-a", title: "Claude A" }],
  },
  "deepl targetLanguages": {
    account: { apiKey: "key" },
    asks: [["GET /v2/languages?type=target", json([{ language: "DE", name: "German", supports_formality: true }])]],
    gives: [{ value: "DE", title: "German" }],
  },
  "deepl sourceLanguages": {
    account: { apiKey: "key" },
    asks: [["GET /v2/languages?type=source", json([{ language: "EN", name: "English" }])]],
    gives: [{ value: "EN", title: "English" }],
  },
  "discord_bot channels": {
    account: { botToken: "token" },
    asks: [
      ["GET /users/@me/guilds?limit=20", json([{ id: "7", name: "Railway" }])],
      [
        "GET /guilds/7/channels",
        json([
          { id: "71", type: 0, name: "general" },
          { id: "72", type: 4, name: "a category" },
        ]),
      ],
    ],
    gives: [{ value: "71", title: "#general" }],
  },
  "elevenlabs models": {
    account: { apiKey: "key" },
    asks: [["GET /v1/models", json([{ model_id: "eleven", name: "Eleven", can_do_text_to_speech: true }])]],
    gives: [{ value: "eleven", title: "Eleven" }],
  },
  "elevenlabs voices": {
    account: { apiKey: "key" },
    search: "ra",
    asks: [["GET /v2/voices?search=ra&page_size=100", json({ voices: [{ voice_id: "v1", name: "Rachel" }] })]],
    gives: [{ value: "v1", title: "Rachel" }],
  },
  "gemini models": {
    account: { apiKey: "key" },
    asks: [
      [
        "GET /v1beta/models?pageSize=1000",
        json({
          models: [
            { name: "models/gemini-a", displayName: "Gemini A", supportedGenerationMethods: ["generateContent"] },
          ],
        }),
      ],
    ],
    gives: [{ value: "gemini-a", title: "Gemini A" }],
  },
  "github owners": {
    account: token,
    asks: [
      ["GET /user", user],
      ["GET /user/orgs?per_page=100&page=1", json([{ login: "octo" }])],
    ],
    gives: [
      { value: "ann", title: "Ann" },
      { value: "octo", title: "octo" },
    ],
  },
  "github repositories": {
    account: token,
    given: { owner: "octo" },
    asks: [
      ["GET /user", user],
      ["GET /orgs/octo/repos?sort=pushed&per_page=100&page=1", repositories({ message: "Not Found" }, 404)],
      [
        "GET /users/octo/repos?sort=pushed&per_page=100&page=1",
        repositories([{ name: "rail", full_name: "octo/rail" }]),
      ],
    ],
    gives: [{ value: "rail", title: "octo/rail" }],
  },
  "github branches": {
    account: token,
    given: ofRepository,
    asks: [["GET /repos/octo/rail/branches?per_page=100&page=1", json([{ name: "main" }])]],
    gives: [{ value: "main" }],
  },
  "github labels": {
    account: token,
    given: ofRepository,
    asks: [["GET /repos/octo/rail/labels?per_page=100&page=1", json([{ id: 1, name: "bug" }])]],
    gives: [{ value: "bug" }],
  },
  "github assignees": {
    account: token,
    given: ofRepository,
    asks: [["GET /repos/octo/rail/assignees?per_page=100&page=1", json([{ login: "ann" }])]],
    gives: [{ value: "ann" }],
  },
  "gmail labels": {
    account: google,
    asks: [["GET /gmail/v1/users/me/labels", json({ labels: [{ id: "Label_1", name: "Bills" }] })]],
    gives: [{ value: "Label_1", title: "Bills" }],
  },
  "google_calendar calendars": {
    account: google,
    asks: [
      [
        "GET /calendar/v3/users/me/calendarList?maxResults=250",
        json({ items: [{ id: "c1", summary: "Team", summaryOverride: "Ours" }] }),
      ],
    ],
    gives: [{ value: "c1", title: "Ours" }],
  },
  "google_docs documents": {
    account: google,
    search: "Bob's",
    asks: [
      [
        drive("trashed = false and mimeType = 'application/vnd.google-apps.document' and name contains 'Bob\\'s'"),
        files,
      ],
    ],
    gives: file,
  },
  "google_drive files": {
    account: google,
    asks: [[drive("trashed = false and mimeType != 'application/vnd.google-apps.folder'"), files]],
    gives: file,
  },
  "google_drive folders": {
    account: google,
    asks: [[drive("trashed = false and mimeType = 'application/vnd.google-apps.folder'"), files]],
    gives: file,
  },
  "google_drive drives": {
    account: google,
    asks: [["GET /drive/v3/drives?pageSize=100", json({ drives: [{ id: "d1", name: "Sales" }] })]],
    gives: [{ value: "d1", title: "Sales" }],
  },
  "google_sheets spreadsheets": {
    account: google,
    asks: [[drive("trashed = false and mimeType = 'application/vnd.google-apps.spreadsheet'"), files]],
    gives: file,
  },
  "google_sheets sheets": {
    account: google,
    given: { spreadsheetId: "https://docs.google.com/spreadsheets/d/s1/edit#gid=0" },
    asks: [
      [
        "GET /v4/spreadsheets/s1?fields=sheets.properties.title",
        json({ sheets: [{ properties: { title: "It's 1" } }, { properties: { title: "AB1" } }] }),
      ],
    ],
    gives: [{ value: "It's 1" }, { value: "AB1" }],
  },
  "google_sheets ranges": {
    account: google,
    given: { spreadsheetId: "s1" },
    asks: [
      [
        "GET /v4/spreadsheets/s1?fields=sheets.properties.title",
        json({ sheets: ["Orders", "It's 1", "AB1"].map((title) => ({ properties: { title } })) }),
      ],
    ],
    gives: [
      { value: "Orders", title: "Orders" },
      { value: "'It''s 1'", title: "It's 1" },
      { value: "'AB1'", title: "AB1" },
    ],
  },
  "hubspot properties": {
    account: token,
    asks: [["GET /crm/v3/properties/contacts", json({ results: [{ name: "jobtitle", label: "Job title" }] })]],
    gives: [{ value: "jobtitle", title: "Job title" }],
  },
  "jira projects": {
    account: { kind: "basic", site: "acme", email: "ann@example.com", apiToken: "token" },
    search: "en",
    asks: [
      [
        "GET /rest/api/3/project/search?query=en&maxResults=100&orderBy=name",
        json({ values: [{ key: "ENG", name: "Engines" }] }),
      ],
    ],
    gives: [{ value: "ENG", title: "Engines" }],
  },
  "jira issueTypes": {
    account: { kind: "basic", site: "acme", email: "ann@example.com", apiToken: "token" },
    given: { projectKey: "ENG" },
    asks: [
      [
        "GET /rest/api/3/issue/createmeta/ENG/issuetypes?maxResults=100",
        json({ issueTypes: [{ id: "1", name: "Task" }] }),
      ],
    ],
    gives: [{ value: "Task" }],
  },
  "jira assignees": {
    account: { kind: "basic", site: "acme", email: "ann@example.com", apiToken: "token" },
    given: { projectKey: "ENG" },
    asks: [
      [
        "GET /rest/api/3/user/assignable/search?project=ENG&maxResults=100",
        json([{ accountId: "a1", displayName: "Ann" }]),
      ],
    ],
    gives: [{ value: "a1", title: "Ann" }],
  },
  "linear teams": {
    account: { kind: "apiKey", apiKey: "key" },
    asks: [["POST /graphql", json({ data: { teams: { nodes: [{ id: "t1", key: "ENG", name: "Engines" }] } } })]],
    gives: [{ value: "t1", title: "ENG · Engines" }],
  },
  "linear people": {
    account: { kind: "apiKey", apiKey: "key" },
    asks: [["POST /graphql", json({ data: { users: { nodes: [{ id: "u1", displayName: "ann" }] } } })]],
    gives: [{ value: "u1", title: "ann" }],
  },
  "linear labels": {
    account: { kind: "apiKey", apiKey: "key" },
    asks: [
      [
        "POST /graphql",
        json({
          data: {
            issueLabels: {
              nodes: [{ id: "l1", name: "bug", team: null }],
              pageInfo: { hasNextPage: true, endCursor: "x" },
            },
          },
        }),
      ],
      ["POST /graphql", json({ data: { issueLabels: { nodes: [{ id: "l2", name: "slow", team: { key: "ENG" } }] } } })],
    ],
    gives: [
      { value: "l1", title: "bug" },
      { value: "l2", title: "ENG · slow" },
    ],
  },
  "microsoft_outlook folders": {
    account: google,
    asks: [
      [
        "GET /me/mailFolders?%24select=id%2CdisplayName&%24top=100",
        json({ value: [{ id: "f1", displayName: "Inbox" }] }),
      ],
    ],
    gives: [{ value: "f1", title: "Inbox" }],
  },
  "notion pages": {
    account: token,
    search: "plan",
    asks: [
      [
        "POST /v1/search",
        json({ results: [{ id: "p1", properties: { Name: { type: "title", title: [{ plain_text: "Plan" }] } } }] }),
      ],
    ],
    gives: [{ value: "p1", title: "Plan" }],
  },
  "notion dataSources": {
    account: token,
    asks: [["POST /v1/search", json({ results: [{ id: "d1", title: [] }] })]],
    gives: [{ value: "d1", title: "Untitled" }],
  },
  "openai models": {
    account: { apiKey: "key" },
    asks: [["GET /models", models([{ id: "gpt-a" }, { id: "gpt-image-a" }])]],
    gives: [{ value: "gpt-a" }],
  },
  "openai imageModels": {
    account: { apiKey: "key" },
    asks: [["GET /models", models([{ id: "gpt-a" }, { id: "gpt-image-a" }])]],
    gives: [{ value: "gpt-image-a" }],
  },
  "s3 buckets": {
    account: { accessKeyId: "id", secretAccessKey: "secret", region: "us-east-1" },
    asks: [
      [
        "GET /",
        {
          headers: { "content-type": "application/xml" },
          body: "<ListAllMyBucketsResult><Buckets><Bucket><Name>007</Name></Bucket></Buckets></ListAllMyBucketsResult>",
        },
      ],
    ],
    gives: [{ value: "007" }],
  },
  "slack channels": {
    account: token,
    asks: [
      [
        "GET /conversations.list?types=public_channel%2Cprivate_channel&exclude_archived=true&limit=999",
        json({ ok: false, error: "missing_scope", needed: "groups:read" }),
      ],
      [
        "GET /conversations.list?types=public_channel&exclude_archived=true&limit=999",
        json({ ok: true, channels: [{ id: "C1", name: "general" }], response_metadata: { next_cursor: "" } }),
      ],
    ],
    gives: [{ value: "C1", title: "#general" }],
  },
  "slack places": {
    account: token,
    asks: [
      [
        "GET /conversations.list?types=public_channel%2Cprivate_channel&exclude_archived=true&limit=999",
        json({ ok: true, channels: [{ id: "C1", name: "general" }] }),
      ],
      [
        "GET /users.list?limit=999",
        json({
          ok: true,
          members: [
            { id: "U1", name: "ann", real_name: "Ann Lee", profile: { display_name: "" } },
            { id: "U2", name: "gone", deleted: true },
          ],
        }),
      ],
    ],
    gives: [
      { value: "C1", title: "#general" },
      { value: "U1", title: "@Ann Lee" },
    ],
  },
  "stripe customers": {
    account: { secretKey: "key" },
    asks: [
      [
        "GET /v1/customers?limit=100",
        json({ data: [{ id: "cus_1", name: "Ann", email: "ann@example.com" }], has_more: true }),
      ],
      ["GET /v1/customers?limit=100&starting_after=cus_1", json({ data: [{ id: "cus_0" }], has_more: false })],
    ],
    gives: [{ value: "cus_1", title: "Ann · ann@example.com" }, { value: "cus_0" }],
  },
  "twilio numbers": {
    account: { accountSid: `AC${"0".repeat(32)}`, authToken: "token" },
    asks: [
      [
        `GET /2010-04-01/Accounts/AC${"0".repeat(32)}/IncomingPhoneNumbers.json?PageSize=1000`,
        json({ incoming_phone_numbers: [{ phone_number: "+15550100", friendly_name: "Front desk" }] }),
      ],
    ],
    gives: [{ value: "+15550100", title: "Front desk" }],
  },
  "twilio messagingServices": {
    account: { accountSid: `AC${"0".repeat(32)}`, authToken: "token" },
    asks: [["GET /v1/Services?PageSize=100", json({ services: [{ sid: "MG1", friendly_name: "News" }] })]],
    gives: [{ value: "MG1", title: "News" }],
  },
};
