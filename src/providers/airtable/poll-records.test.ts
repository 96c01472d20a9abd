import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asked, lookAt } from "../../../test/support/browser/look-at.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { airtableCredential } from "./credential.ts";
import { newRecord } from "./poll-records.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const record = (id: string, createdTime: string) => ({ id, createdTime, fields: { Name: id } });

describe("new records of an Airtable table", () => {
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  const look = async (parameters: Record<string, unknown>, mark: string | null, at = now) =>
    await lookAt(newRecord, airtableCredential, {
      credential: { kind: "bearer", accessToken: "pat.secret", baseUrl: provider.url },
      parameters: { baseId: "app1", table: "Tasks", ...parameters },
      mark,
      now: at,
    });
  const since = (time: string) => `IS_AFTER(CREATED_TIME(), DATETIME_PARSE('${time}'))`;
  const answer = (records: unknown[], offset?: string) => ({
    json: { records, ...(offset === undefined ? {} : { offset }) },
  });

  it("looks in ever longer times for the newest, and then from shortly before the newest on", async () => {
    provider.script([
      answer([]),
      answer([]),
      answer([record("rec2", "2026-03-01T02:00:00.000Z"), record("rec1", "2026-03-01T01:00:00.000Z")]),
    ]);
    const first = await look({}, null);
    expect(first.items).toEqual([
      { id: "rec1", payload: record("rec1", "2026-03-01T01:00:00.000Z") },
      { id: "rec2", payload: record("rec2", "2026-03-01T02:00:00.000Z") },
    ]);
    expect(asked(provider).map(({ path }) => path)).toEqual([
      `/v0/app1/Tasks?filterByFormula=${since("2026-03-01T11:58:59.999Z")}&pageSize=100`,
      `/v0/app1/Tasks?filterByFormula=${since("2026-03-01T10:59:59.999Z")}&pageSize=100`,
      `/v0/app1/Tasks?filterByFormula=${since("2026-02-28T11:59:59.999Z")}&pageSize=100`,
    ]);
    provider.script([
      answer([record("rec3", "2026-03-01T12:01:00.000Z")], "itr/rec3"),
      answer([record("rec4", "2026-03-01T12:01:00.000Z")]),
    ]);
    const second = await look({ view: "Open", filterByFormula: "{Done} = 0" }, first.mark);
    const third = await look({ view: "Open", filterByFormula: "{Done} = 0" }, second.mark);
    expect([second, third].map(({ items, hasMore }) => [items.map(({ id }) => id), hasMore])).toEqual([
      [["rec3"], true],
      [["rec4"], false],
    ]);
    const formula = `AND(${since("2026-03-01T01:49:59.999Z")}, {Done} = 0)`;
    expect(asked(provider).map(({ path }) => path)).toEqual([
      `/v0/app1/Tasks?filterByFormula=${formula}&view=Open&pageSize=100`,
      `/v0/app1/Tasks?filterByFormula=${formula}&view=Open&pageSize=100&offset=itr/rec3`,
    ]);
  });

  it("does not begin with records that are older than those it asked for", async () => {
    provider.script([
      answer([]),
      answer([]),
      answer([]),
      answer([]),
      answer([record("rec1", "2020-01-01T00:00:00.000Z")]),
      answer([]),
    ]);
    const { items, mark } = await look({}, null);
    expect(items.map(({ id }) => id)).toEqual(["rec1"]);
    await look({}, mark);
    expect(asked(provider).at(-1)?.path).toContain(since("2026-01-30T11:59:59.999Z"));
  });

  const full = (createdTime: string) =>
    Array.from({ length: 10 }, (_, page) =>
      answer(
        Array.from({ length: 100 }, (_, row) => record(`rec${page}x${row}`, createdTime)),
        `itr/${page}`,
      ),
    );

  it("takes nothing for new of a table that was filled before, of which the first look lists a part in no order", async () => {
    provider.script([answer([]), ...full("2026-03-01T11:20:00.000Z"), answer([])]);
    const { items, mark } = await look({}, null);
    expect(items).toHaveLength(1000);
    await look({}, mark);
    // The last minute was listed whole, and was empty; what was made from then on is new.
    expect(asked(provider).at(-1)?.path).toContain(since("2026-03-01T11:58:59.999Z"));
  });

  it("begins with the time of the first look where it cannot list its last minute", async () => {
    provider.script([...full("2026-03-01T11:59:10.000Z"), answer([])]);
    const { mark } = await look({}, null);
    await look({}, mark);
    expect(asked(provider).at(-1)?.path).toContain(since("2026-03-01T11:59:59.999Z"));
  });

  it("begins a list anew whose offset has ended", async () => {
    provider.script([
      answer([record("rec1", "2026-03-01T11:59:00.000Z")]),
      answer([record("rec2", "2026-03-01T12:00:00.000Z")], "gone"),
      { status: 422, json: { error: { type: "LIST_RECORDS_ITERATOR_NOT_AVAILABLE" } } },
      answer([record("rec2", "2026-03-01T12:00:00.000Z"), record("rec3", "2026-03-01T12:00:00.000Z")]),
    ]);
    const { mark } = await look({}, (await look({}, null)).mark);
    expect((await look({}, mark)).items.map(({ id }) => id)).toEqual(["rec2", "rec3"]);
  });

  it.each([
    [{ baseId: "https://airtable.com/appA/tblB/viwC?blocks=hide", table: undefined }, "/v0/appA/tblB"],
    [{ baseId: "https://airtable.com/appA/pagD/tblB", table: undefined }, "/v0/appA/tblB"],
    [{ baseId: "https://airtable.com/appA/tblB", table: "Tasks" }, "/v0/appA/Tasks"],
    [{ baseId: "appA", table: "https://airtable.com/appA/tblB" }, "/v0/appA/tblB"],
  ])("finds the table of %j", async (parameters, path) => {
    provider.script([answer([record("rec1", "2026-03-01T11:59:00.000Z")])]);
    await look(parameters, null);
    expect(asked(provider)[0]?.path).toMatch(new RegExp(`^${path}\\?`));
  });

  it("says when the table is missing", async () => {
    const nowhere = look({ baseId: "https://airtable.com/appA", table: undefined }, null);
    await expect(nowhere).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer: "/table" }] });
    await expect(look({ baseId: "somewhere" }, null)).rejects.toMatchObject({ errors: [{ pointer: "/baseId" }] });
  });
});
