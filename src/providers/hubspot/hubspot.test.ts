import { expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { action as createContact } from "./create_contact.ts";
import { hubspotCredential } from "./credential.ts";
import { action as searchContacts } from "./search_contacts.ts";

const credential = { kind: "bearer", accessToken: "pat-secret" };
const headers = { authorization: "Bearer pat-secret" };
const contact = (number: number) => ({
  id: String(number),
  properties: { email: `p${number}@example.com`, company: null },
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-02T00:00:00Z",
});
const contacts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => contact(from + index));
const path = "/crm/v3/objects/contacts/search";

describeHttpTool(searchContacts, {
  credential,
  failure: {
    answer: {
      status: 400,
      json: {
        status: "error",
        message: "Property 'x' does not exist",
        category: "VALIDATION_ERROR",
        errors: [{ message: "inner" }],
      },
    },
    says: /HubSpot refused the call \(400 VALIDATION_ERROR\): Property 'x' does not exist/,
  },
  cases: [
    {
      name: "finds contacts",
      input: {},
      exchanges: [
        {
          request: { method: "POST", path, headers, json: { limit: 20 } },
          answer: { json: { total: 1, results: [{ id: "1", updatedAt: "2026-01-02T00:00:00Z" }] } },
        },
      ],
      items: [{ id: "1", updatedAt: "2026-01-02T00:00:00Z" }],
    },
    {
      name: "sends everything that is given, values as texts",
      input: {
        query: 'Jürgen "J" / ?',
        filters: [
          { propertyName: "age", operator: "GT", value: 5 },
          { propertyName: "city", operator: "IN", values: ["Köln", 7] },
          { propertyName: "n", operator: "BETWEEN", value: "1", highValue: 9 },
        ],
        properties: ["email", "company"],
        limit: 3,
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path,
            json: {
              query: 'Jürgen "J" / ?',
              filterGroups: [
                {
                  filters: [
                    { propertyName: "age", operator: "GT", value: "5" },
                    { propertyName: "city", operator: "IN", values: ["Köln", "7"] },
                    { propertyName: "n", operator: "BETWEEN", value: "1", highValue: "9" },
                  ],
                },
              ],
              properties: ["email", "company"],
              limit: 3,
            },
          },
          answer: { json: { results: [{ id: 5 }] } },
        },
      ],
      items: [{ id: "5" }],
    },
    {
      name: "follows pages and asks for no more than is wanted",
      input: { query: "x", limit: 150 },
      exchanges: [
        {
          request: { method: "POST", path, json: { query: "x", limit: 100 } },
          answer: { json: { results: contacts(1, 100), paging: { next: { after: "100" } } } },
        },
        {
          request: { method: "POST", path, json: { query: "x", limit: 50, after: "100" } },
          answer: { json: { results: contacts(101, 150), paging: { next: { after: "150" } } } },
        },
      ],
      items: contacts(1, 150),
    },
    {
      name: "stops at the last page",
      input: { limit: 200 },
      exchanges: [
        {
          request: { method: "POST", path, json: { limit: 100 } },
          answer: { json: { results: contacts(1, 100), paging: { next: { after: "a=" } } } },
        },
        {
          request: { method: "POST", path, json: { limit: 100, after: "a=" } },
          answer: { json: { results: [contact(101)] } },
        },
      ],
      items: contacts(1, 101),
    },
  ],
});

describeHttpTool(createContact, {
  credential: { kind: "oauth2", accessToken: "oauth-secret" },
  failure: {
    answer: {
      status: 409,
      json: { status: "error", message: "Contact already exists. Existing ID: 12345", category: "CONFLICT" },
    },
    says: /HubSpot refused the call \(409 CONFLICT\): Contact already exists. Existing ID: 12345/,
  },
  cases: [
    {
      name: "creates a contact",
      input: { email: "ann@example.com" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/crm/v3/objects/contacts",
            headers: { authorization: "Bearer oauth-secret" },
            json: { properties: { email: "ann@example.com" } },
          },
          answer: { status: 201, json: { id: "1", createdAt: "2026-01-01T00:00:00Z" } },
        },
      ],
      items: [{ id: "1", createdAt: "2026-01-01T00:00:00Z" }],
    },
    {
      name: "sends everything that is given under HubSpot's names",
      input: {
        email: "a@b.example",
        firstName: "Änne",
        lastName: "O'\"Hara\n",
        phone: "+49 1",
        company: "A/B",
        properties: { website: "https://x.y?z#q", number_of_pets: 2, vip: true, email: "loses@b.c" },
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/crm/v3/objects/contacts",
            json: {
              properties: {
                website: "https://x.y?z#q",
                number_of_pets: "2",
                vip: "true",
                email: "a@b.example",
                firstname: "Änne",
                lastname: "O'\"Hara\n",
                phone: "+49 1",
                company: "A/B",
              },
            },
          },
          answer: { status: 201, json: contact(2) },
        },
      ],
      items: [{ id: "2", properties: contact(2).properties, createdAt: "2026-01-01T00:00:00Z" }],
    },
  ],
});

it("refuses a contact without any property and properties that are no plain values", async () => {
  const create = (input: Record<string, unknown>) => callTool(createContact, { input, credential });
  await expect(create({})).rejects.toMatchObject({ code: "validation_failed" });
  await expect(create({ properties: { a: { b: 1 } } })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer: "/properties/a" }],
  });
});

it.each([
  [{ propertyName: "a" }],
  [{ operator: "EQ", value: "x" }],
  [{ propertyName: "a", operator: "EQ", vaule: "x" }],
])("refuses the filter %j", async (filter) => {
  const outcome = callTool(searchContacts, { input: { filters: [filter] }, credential });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/filters/0" }] });
});

it("refuses an operator that HubSpot does not have", async () => {
  const filters = [
    { propertyName: "a", operator: "EQ", value: 1 },
    { propertyName: "a", operator: "LIKE", value: "x" },
  ];
  await expect(callTool(searchContacts, { input: { filters }, credential })).rejects.toMatchObject({
    code: "validation_failed",
    errors: [{ pointer: "/filters/1/operator" }],
  });
});

it("knows how long a used-up limit lasts", () => {
  const body = {
    status: "error",
    message: "You have reached your ten_secondly_rolling limit.",
    errorType: "RATE_LIMIT",
    policyName: "TEN_SECONDLY_ROLLING",
  };
  expect(hubspotCredential.readFault(body, new Response("", { status: 429 }))).toEqual({
    code: "RATE_LIMIT",
    message: "You have reached your ten_secondly_rolling limit.",
    retryAfterMs: 10_000,
  });
});

it("checks the credential by reading one contact", async () => {
  const asked = await useCredential(hubspotCredential, credential, [{ json: { results: [] } }]);
  expect(asked).toMatchObject([{ path: "/crm/v3/objects/contacts?limit=1", headers }]);
});

it("gets its tokens where HubSpot goes on giving them after 2027-02-16", () => {
  const oauth = hubspotCredential.variants.find(({ kind }) => kind === "oauth2")?.oauth2;
  expect(oauth?.tokenUrl).toBe("https://api.hubapi.com/oauth/2026-03/token");
});
