import fc from "fast-check";
import { onlyOneOf, type ProviderArguments, repeat } from "./argument-set.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
const baseId = fc.stringMatching(/^app[A-Za-z0-9]{14}$/);
const pageId = fc.oneof(fc.uuid(), fc.stringMatching(/^[0-9a-f]{32}$/));
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const sort = fc.array(
  fc.record({ field: text, direction: fc.constantFrom("asc", "desc") }, { requiredKeys: ["field"] }),
  { maxLength: 4 },
);
const operators = [
  "EQ",
  "NEQ",
  "LT",
  "LTE",
  "GT",
  "GTE",
  "BETWEEN",
  "IN",
  "NOT_IN",
  "HAS_PROPERTY",
  "NOT_HAS_PROPERTY",
  "CONTAINS_TOKEN",
  "NOT_CONTAINS_TOKEN",
];
const filter = fc.record(
  {
    propertyName: text,
    operator: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...operators) }, fc.constantFrom("eq", "LIKE", "")),
    value: scalar,
    values: fc.array(scalar, { maxLength: 3 }),
    highValue: scalar,
  },
  { requiredKeys: ["propertyName", "operator"] },
);
const property = fc.oneof(
  fc.record({ rich_text: fc.array(fc.record({ text: fc.record({ content: text }) }), { maxLength: 2 }) }),
  fc.record({ number: fc.integer() }),
  fc.record({ select: fc.record({ name: text }) }),
  fc.record({ checkbox: fc.boolean() }),
  fc.record({ title: fc.tuple(fc.record({ text: fc.record({ content: text }) })) }),
);
const page = "0123456789abcdef0123456789abcdef";

export const recordArguments: Record<string, ProviderArguments> = {
  airtable: {
    credentials: [
      { kind: "bearer", accessToken: "pat.x" },
      { kind: "oauth2", accessToken: "oaa.x" },
    ],
    tools: {
      airtable_list_records: {
        minimal: { baseId: "appAbC1234567890x", table: "Tasks" },
        full: {
          baseId: "appAbC1234567890x",
          table: "Aufgaben & Ziele/2026",
          filterByFormula: "AND({Ä b}='x', LEN({y})>1)",
          view: "Grid view",
          fields: ["Name", "Ä b", "a[0]"],
          sort: [{ field: "Name" }, { field: "Ä b", direction: "desc" }],
          limit: 1000,
        },
        others: [
          { baseId: "appX", table: "T", fields: [], sort: [] },
          { baseId: "base", table: "T" },
          { baseId: "appX", table: "T", sort: [{ name: "x" }] },
          { baseId: "appX", table: "T", filterByFormula: "x".repeat(16_001) },
        ],
        hints: { baseId, sort },
        page: (items, next) => ({
          records: repeat(items, (index) => ({
            id: `rec${index}`,
            createdTime: "2026-01-01T00:00:00.000Z",
            fields: {},
          })),
          offset: next,
        }),
      },
      airtable_create_record: {
        minimal: { baseId: "appAbC1234567890x", table: "Tasks", fields: { Name: "x" } },
        full: {
          baseId: "appAbC1234567890x",
          table: "tblX",
          fields: { Name: "ä", Tags: ["a"], N: 1, Done: true, Nothing: null },
          typecast: true,
        },
        others: [{ baseId: "app", table: "T", fields: {} }],
        hints: { baseId },
      },
    },
  },
  hubspot: {
    credentials: [
      { kind: "bearer", accessToken: "pat-x" },
      { kind: "oauth2", accessToken: "CPj" },
    ],
    tools: {
      hubspot_search_contacts: {
        minimal: {},
        full: {
          query: "ann",
          filters: [
            { propertyName: "email", operator: "CONTAINS_TOKEN", value: "*@example.com" },
            { propertyName: "age", operator: "BETWEEN", value: 1, highValue: 9 },
            { propertyName: "state", operator: "IN", values: ["a", "b"] },
          ],
          properties: ["email", "firstname"],
          limit: 200,
        },
        others: [{ filters: [{ propertyName: "a", operator: "LIKE", value: "b" }] }, { filters: [] }],
        hints: { filters: fc.array(filter, { maxLength: 3 }) },
        page: (items, next) => ({
          total: 999,
          results: repeat(items, (index) => ({ id: String(index) })),
          paging: next === undefined ? undefined : { next: { after: next } },
        }),
      },
      hubspot_create_contact: {
        minimal: { email: "a@example.com" },
        full: {
          email: "a@example.com",
          firstName: "Ann",
          lastName: "Ä",
          phone: "+49 151",
          company: "ACME",
          properties: { jobtitle: "x", age: 3, vip: true },
        },
        others: [{ properties: { a: null } }, { properties: { a: ["x"] } }, {}],
        hints: { properties: fc.dictionary(text, scalar, { maxKeys: 4 }) },
      },
    },
  },
  notion: {
    credentials: [
      { kind: "bearer", accessToken: "ntn_x" },
      { kind: "oauth2", accessToken: "secret_x" },
    ],
    tools: {
      notion_search: {
        minimal: {},
        full: { query: "ä", type: "data_source", limit: 100 },
        page: (items, next) => ({
          object: "list",
          results: repeat(items, (index) => ({ object: "page", id: String(index) })),
          has_more: next !== undefined,
          next_cursor: next ?? null,
        }),
      },
      notion_create_page: {
        minimal: { parentPageId: page, title: "Notes" },
        full: {
          dataSourceId: page,
          title: "Notes",
          markdown: "# Head\n\n- a",
          properties: { Status: { select: { name: "Open" } }, N: { number: 1 } },
        },
        others: [
          { parentPageId: page, title: "T", properties: { Name: { title: [{ text: { content: "own" } }] } } },
          { parentPageId: page, title: "x".repeat(2500) },
          { parentPageId: page, title: "T", properties: { Count: 5 } },
        ],
        hints: {
          parentPageId: pageId,
          dataSourceId: pageId,
          properties: fc.dictionary(text, property, { maxKeys: 3 }),
        },
        passedOn: ["properties"],
        arrange: onlyOneOf("parentPageId", "dataSourceId"),
      },
      notion_get_page: {
        minimal: { pageId: page },
        full: { pageId: "01234567-89ab-cdef-0123-456789abcdef", includeContent: false },
        others: [{ pageId: "short" }, { pageId: `https://www.notion.so/Title-${page}` }],
        hints: { pageId },
      },
    },
  },
  stripe: {
    credentials: [{ secretKey: "sk_test_x", webhookSecret: "whsec_x" }],
    tools: {
      stripe_list_payments: {
        minimal: {},
        full: { customerEmail: "a+b@example.com", createdAfter: "2026-01-01T00:00:00.5+01:00", limit: 100 },
        others: [
          { customerId: "cus_x" },
          { customerEmail: `${"a".repeat(600)}@example.com` },
          { createdAfter: "never" },
          { createdAfter: "1960-01-01T00:00:00Z" },
        ],
        hints: { createdAfter: fc.constantFrom("2026-01-01", "2026-01-01T00:00:00Z") },
        arrange: onlyOneOf("customerId", "customerEmail"),
        page: (items, next) => ({
          object: "list",
          url: "/v1/payment_intents",
          data: repeat(items, (index) => ({ id: `pi_${next ?? "last"}_${index}` })),
          has_more: next !== undefined,
        }),
      },
      stripe_create_refund: {
        minimal: { paymentIntentId: "pi_x" },
        // The key makes a refund harmless.
        harmless: 1,
        full: { paymentIntentId: "pi_x", amount: 100, reason: "requested_by_customer", idempotencyKey: "order 12" },
        others: [
          { paymentIntentId: "pi_x", idempotencyKey: "k".repeat(300) },
          { paymentIntentId: "pi_x", idempotencyKey: " " },
        ],
      },
    },
  },
};
