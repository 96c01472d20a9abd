import { expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { action as createRecord } from "./create_record.ts";
import { airtableCredential } from "./credential.ts";
import { action as listRecords } from "./list_records.ts";

const credential = { kind: "bearer", accessToken: "pat.secret" };
const headers = { authorization: "Bearer pat.secret" };
const failure = {
  answer: { status: 422, json: { error: { type: "INVALID_FILTER_BY_FORMULA", message: "The formula is invalid" } } },
  says: /Airtable refused the call \(422 INVALID_FILTER_BY_FORMULA\): The formula is invalid/,
};

const record = (number: number) => ({
  id: `rec${number}`,
  createdTime: "2026-01-01T00:00:00.000Z",
  fields: { Name: `No ${number}`, Tags: ["a"] },
});
const records = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => record(from + index));

describeHttpTool(listRecords, {
  credential,
  failure,
  cases: [
    {
      name: "lists records",
      input: { baseId: "app1", table: "Tasks" },
      exchanges: [
        {
          request: { method: "GET", path: "/v0/app1/Tasks?maxRecords=100&pageSize=100", headers },
          answer: { json: { records: [{ id: "rec1", createdTime: "2026-01-01T00:00:00.000Z" }] } },
        },
      ],
      items: [{ id: "rec1", createdTime: "2026-01-01T00:00:00.000Z" }],
    },
    {
      name: "sends everything that is given, in brackets, and keeps strange names in their place",
      input: {
        baseId: "app1",
        table: "To do / üß?#",
        filterByFormula: "{Name} = 'a & \"b\"\n'",
        view: "My view",
        fields: ["Name", "É=&"],
        sort: [{ field: "Name" }, { field: "Due", direction: "desc" }],
        limit: 5,
      },
      exchanges: [
        {
          request: {
            method: "GET",
            path: "/v0/app1/To do / üß?#?filterByFormula={Name} = 'a & \"b\"\n'&view=My view&fields[]=Name&fields[]=É=&&sort[0][field]=Name&sort[0][direction]=asc&sort[1][field]=Due&sort[1][direction]=desc&maxRecords=5&pageSize=5",
          },
          answer: { json: { records: [{ id: "rec1", createdTime: null }] } },
        },
      ],
      items: [{ id: "rec1" }],
    },
    {
      name: "follows pages until the limit",
      input: { baseId: "app1", table: "t", limit: 150 },
      exchanges: [
        {
          request: { method: "GET", path: "/v0/app1/t?maxRecords=150&pageSize=100" },
          answer: { json: { records: records(1, 100), offset: "itr/rec100" } },
        },
        {
          request: { method: "GET", path: "/v0/app1/t?maxRecords=150&pageSize=100&offset=itr/rec100" },
          answer: { json: { records: records(101, 200), offset: "itr/rec200" } },
        },
      ],
      items: records(1, 150),
    },
    {
      name: "stops at the last page",
      input: { baseId: "app1", table: "t", limit: 1000 },
      exchanges: [
        {
          request: { method: "GET", path: "/v0/app1/t?maxRecords=1000&pageSize=100" },
          answer: { json: { records: records(1, 100), offset: "next" } },
        },
        {
          request: { method: "GET", path: "/v0/app1/t?maxRecords=1000&pageSize=100&offset=next" },
          answer: { json: { records: [record(101)] } },
        },
      ],
      items: records(1, 101),
    },
  ],
});

describeHttpTool(createRecord, {
  credential: { kind: "oauth2", accessToken: "oauth.secret" },
  failure: {
    answer: { status: 404, json: { error: "NOT_FOUND" } },
    says: /Airtable refused the call \(404\): NOT_FOUND/,
  },
  cases: [
    {
      name: "adds a record",
      input: { baseId: "app1", table: "Tasks", fields: { Name: "A" } },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v0/app1/Tasks",
            headers: { authorization: "Bearer oauth.secret" },
            json: { fields: { Name: "A" }, typecast: false },
          },
          answer: { json: { id: "rec1", createdTime: "2026-01-01T00:00:00.000Z" } },
        },
      ],
      items: [{ id: "rec1", createdTime: "2026-01-01T00:00:00.000Z" }],
    },
    {
      name: "finds the table by its address",
      input: { baseId: "https://airtable.com/app1/tblB/viwC?blocks=hide", table: "Tasks", fields: { Name: "A" } },
      exchanges: [
        {
          request: { method: "POST", path: "/v0/app1/Tasks", json: { fields: { Name: "A" }, typecast: false } },
          answer: { json: { id: "rec1" } },
        },
      ],
      items: [{ id: "rec1" }],
    },
    {
      name: "sends every kind of value",
      input: { baseId: "app1", table: "a/b", fields: { "Ü?": 'q"\n', n: 1, list: ["x"], none: null }, typecast: true },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/v0/app1/a/b",
            json: { fields: { "Ü?": 'q"\n', n: 1, list: ["x"], none: null }, typecast: true },
          },
          answer: { json: record(2) },
        },
      ],
      items: [record(2)],
    },
  ],
});

it.each([[{}], [{ field: "" }], [{ field: "Name", direction: "up" }]])("refuses the sort entry %j", async (entry) => {
  const outcome = callTool(listRecords, { input: { baseId: "app1", table: "t", sort: [entry] }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/sort/0" }] });
});

it.each([
  ["/baseId", { baseId: "base", table: "t" }],
  ["/baseId", { baseId: "app1/../app2", table: "t" }],
  ["/baseId", { baseId: "https://airtable.test/app1/tblB", table: "t" }],
  ["/filterByFormula", { baseId: "app1", table: "t", filterByFormula: "x".repeat(16_001) }],
])("refuses a wrong %s", async (pointer, input) => {
  await expect(callTool(listRecords, { input, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer }],
  });
});

it("waits thirty seconds after too many requests, as Airtable keeps a base closed that long", () => {
  const fault = airtableCredential.readFault(
    { errors: [{ error: "RATE_LIMIT_REACHED" }] },
    new Response("", { status: 429 }),
  );
  expect(fault.retryAfterMs).toBe(30_000);
});

it("checks the credential by asking who it belongs to", async () => {
  expect(await useCredential(airtableCredential, credential, [{ json: { id: "usr1" } }])).toMatchObject([
    { path: "/v0/meta/whoami", headers },
  ]);
});
