import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asked, lookAt } from "../../../test/support/browser/look-at.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { hubspotCredential } from "./credential.ts";
import { newContact } from "./poll-contacts.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const contact = (id: string, createdate: string) => ({
  id,
  properties: { email: `p${id}@example.com`, firstname: "Ann", lastname: "Lee", createdate },
  createdAt: createdate,
  updatedAt: createdate,
  archived: false,
});
const answer = (results: unknown[], after?: string) => ({
  json: { total: 12_000, results, ...(after === undefined ? {} : { paging: { next: { after } } }) },
});

describe("new contacts of HubSpot", () => {
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  const look = async (parameters: Record<string, unknown>, mark: string | null) =>
    await lookAt(newContact, hubspotCredential, {
      credential: { kind: "bearer", accessToken: "pat-secret", baseUrl: provider.url },
      parameters,
      mark,
      now,
    });
  const since = (time: string) => [
    { filters: [{ propertyName: "createdate", operator: "GTE", value: String(Date.parse(time)) }] },
  ];
  const ascending = [{ propertyName: "createdate", direction: "ASCENDING" }];

  it("lists the newest at first, then those since shortly before the newest", async () => {
    provider.script([
      answer([contact("2", "2026-03-01T11:30:00.000Z"), contact("1", "2026-03-01T10:00:00.000Z")], "100"),
      answer([]),
    ]);
    const first = await look({}, null);
    expect(first).toMatchObject({ items: [{ id: "1" }, { id: "2" }], hasMore: false });
    expect(first.items[0]?.payload).toEqual({
      id: "1",
      properties: {
        email: "p1@example.com",
        firstname: "Ann",
        lastname: "Lee",
        createdate: "2026-03-01T10:00:00.000Z",
      },
      createdAt: "2026-03-01T10:00:00.000Z",
      updatedAt: "2026-03-01T10:00:00.000Z",
    });
    expect(newContact.promptOf(first.items[0]?.payload)).toBe("Ann Lee p1@example.com");
    expect(newContact.senderOf?.(first.items[0]?.payload)).toEqual({ id: "p1@example.com", name: "Ann Lee" });
    await look({ properties: ["jobtitle"] }, first.mark);
    expect(asked(provider)).toEqual([
      {
        method: "POST",
        path: "/crm/v3/objects/contacts/search",
        json: {
          sorts: [{ propertyName: "createdate", direction: "DESCENDING" }],
          properties: ["email", "firstname", "lastname", "phone", "company", "lifecyclestage", "createdate"],
          limit: 100,
        },
      },
      {
        method: "POST",
        path: "/crm/v3/objects/contacts/search",
        json: {
          filterGroups: since("2026-03-01T11:00:00.000Z"),
          sorts: ascending,
          properties: ["jobtitle", "createdate"],
          limit: 100,
        },
      },
    ]);
  });

  it("lists again what is near the newest, so that a contact the index shows late is found", async () => {
    provider.script([
      answer([contact("1", "2026-03-01T11:00:00.000Z")]),
      answer([contact("3", "2026-03-01T11:59:00.000Z")]),
      answer([]),
    ]);
    const { mark } = await look({}, (await look({}, null)).mark);
    await look({}, mark);
    expect(asked(provider).at(-1)?.json).toMatchObject({ filterGroups: since("2026-03-01T11:29:00.000Z") });
  });

  it("searches anew from the last contact where HubSpot goes no further than 10,000", async () => {
    provider.script([
      answer([]),
      answer([contact("1", "2026-03-01T11:00:00.000Z")], "9900"),
      answer([contact("2", "2026-03-01T11:20:00.000Z")], "10000"),
      answer([contact("2", "2026-03-01T11:20:00.000Z"), contact("3", "2026-03-01T11:40:00.000Z")]),
    ]);
    let page = await look({}, null);
    for (const expected of [true, true, false]) {
      page = await look({}, page.mark);
      expect(page.hasMore).toBe(expected);
    }
    expect(asked(provider).map(({ json }) => json)).toMatchObject([
      {},
      { filterGroups: since("2026-02-28T12:00:00.000Z") },
      { filterGroups: since("2026-02-28T12:00:00.000Z"), after: "9900" },
      { filterGroups: since("2026-03-01T11:20:00.000Z") },
    ]);
  });

  it("goes through more than 10,000 contacts of one moment by their ids", async () => {
    const moment = "2026-03-01T11:00:00.000Z";
    const ofMoment = (id: string) => ({
      filterGroups: [
        {
          filters: [
            { propertyName: "createdate", operator: "EQ", value: String(Date.parse(moment)) },
            { propertyName: "hs_object_id", operator: "GT", value: id },
          ],
        },
      ],
      sorts: [{ propertyName: "hs_object_id", direction: "ASCENDING" }],
    });
    provider.script([
      answer([contact("7", moment)], "10000"),
      answer([contact("1", moment), contact("7", moment)], "100"),
      answer([contact("9", moment)]),
      answer([contact("10", "2026-03-01T11:40:00.000Z")]),
    ]);
    let mark = JSON.stringify({ newest: moment, since: moment });
    const found: string[] = [];
    for (const expected of [true, true, true, false]) {
      const page = await look({}, mark);
      found.push(...page.items.map(({ id }) => id));
      expect(page.hasMore).toBe(expected);
      ({ mark } = page);
    }
    expect(found).toEqual(["7", "1", "7", "9", "10"]);
    expect(asked(provider).map(({ json }) => json)).toMatchObject([
      { filterGroups: since(moment) },
      ofMoment("0"),
      ofMoment("7"),
      { filterGroups: since("2026-03-01T11:00:00.001Z") },
    ]);
  });

  it("names the scope that is missing", async () => {
    const missing = {
      category: "MISSING_SCOPES",
      message: "No.",
      errors: [{ context: { requiredGranularScopes: ["crm.objects.contacts.read"] } }],
    };
    provider.script([{ status: 403, json: missing }]);
    await expect(look({}, null)).rejects.toThrow(/crm\.objects\.contacts\.read/);
  });
});
