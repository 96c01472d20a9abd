import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Refusal } from "../../src/base/refusal.ts";
import { providerFailure } from "../../src/contract/http.ts";
import type { Poll, PollItem, PollPage } from "../../src/contract/poll.ts";
import { newThing, numbers, pageOf, startThingApp, type ThingApp } from "../support/triggers/poll-app.ts";

type Planted = Awaited<ReturnType<ThingApp["plant"]>>;

let things: ThingApp;
/** How many items the service has, from 0 on, on pages of two. */
let listed: number;
let refusals: Map<string, Error | "hangs">;

beforeAll(async () => {
  things = await startThingApp();
});
afterAll(() => things.stop());
beforeEach(async () => {
  await things.query("DELETE FROM trigger");
  refusals = new Map();
});

const page = (from: number): PollPage => {
  const to = Math.min(from + 2, listed);
  return pageOf(from, to, to < listed);
};

async function readItem(item: PollItem): Promise<unknown> {
  const refusal = refusals.get(item.id);
  if (refusal === "hangs") return await delay(60_000);
  if (refusal) throw refusal;
  return Number(item.id);
}

const poll = (list?: (mark: string | null) => PollPage): Poll =>
  newThing({
    list: async (mark) => (list ? list(mark) : page(Number(mark ?? 0))),
    read: async (_, item) => await readItem(item),
  });

const plant = () => things.plant({ takesExisting: true });
const query = (text: string, values: unknown[] = []) => things.query(text, values);
const refused = (status: number) => providerFailure("Test", { status });
const faulty = async ({ id }: Planted) =>
  await query(
    "SELECT item_id AS id, tries, next_try_at IS NULL AS is_over, fault FROM faulty_item WHERE trigger_id = $1 ORDER BY item_id",
    [id],
  );
const shown = async ({ id }: Planted) => (await things.owner.browser.get(`${things.path}/triggers/${id}`)).body;

async function look(trigger: Planted, limits: { itemLimitMs?: number } = {}): Promise<void> {
  await trigger.makeDue();
  await things.looking(poll(), limits).lookAtDue();
}

async function tryAgain(trigger: Planted): Promise<void> {
  await query("UPDATE faulty_item SET next_try_at = now() WHERE trigger_id = $1 AND next_try_at IS NOT NULL", [
    trigger.id,
  ]);
  await look(trigger);
}

describe("an item that cannot be read", () => {
  it("is kept back, and hides nothing of what comes after it, however much that is", async () => {
    refusals.set("1", refused(404));
    listed = 30;
    const trigger = await plant();
    await look(trigger);
    await look(trigger);
    expect(await trigger.payloads()).toEqual([0, ...numbers(2, 30)]);
    expect(await trigger.read()).toMatchObject({ mark: "30" });
    listed = 31;
    await look(trigger);
    expect(await trigger.payloads()).toEqual([0, ...numbers(2, 31)]);
    const { poll: view, lastError } = await shown(trigger);
    expect([lastError, view.lastPolledAt]).toEqual([null, expect.stringMatching(/Z$/)]);
    expect(view.faultyItems).toEqual({ waiting: 1, givenUp: 0, lastFault: expect.stringContaining("404") });
  });

  it("gets its one run when it can be read by then, and is forgotten", async () => {
    refusals.set("1", refused(404));
    listed = 4;
    const trigger = await plant();
    await look(trigger);
    expect((await shown(trigger)).lastError).toContain("404");
    refusals.clear();
    await look(trigger);
    expect(await trigger.payloads()).toEqual([0, 2, 3]);
    await tryAgain(trigger);
    await tryAgain(trigger);
    expect(await trigger.payloads()).toEqual([0, 2, 3, 1]);
    expect([await faulty(trigger), (await shown(trigger)).lastError]).toEqual([[], null]);
  });

  it("starts one run where two processes try it again at the same moment", async () => {
    refusals.set("0", refused(404));
    listed = 2;
    const trigger = await plant();
    await look(trigger);
    refusals.clear();
    await query("UPDATE faulty_item SET next_try_at = now()");
    const slow = poll();
    slow.read = async (_, item) => {
      await trigger.makeDue();
      await delay(100);
      return Number(item.id);
    };
    const processes = [1, 2, 3].map(() => things.looking(slow));
    await trigger.makeDue();
    await Promise.all(processes.map((process) => process.lookAtDue()));
    expect(await trigger.payloads()).toEqual([1, 0]);
  });

  it("is tried again after pauses that grow, given up after 15 tries, and tried once more when somebody asks for it", async () => {
    refusals.set("0", refused(404));
    listed = 2;
    const trigger = await plant();
    await look(trigger);
    const pauses: number[] = [];
    for (let tries = 1; tries < 15; tries++) {
      const [{ seconds } = {}] = await query(
        "SELECT extract(epoch FROM next_try_at - tried_at)::int AS seconds FROM faulty_item",
      );
      pauses.push(seconds as number);
      await tryAgain(trigger);
    }
    expect(pauses.slice(0, 4)).toEqual([60, 120, 240, 480]);
    expect(pauses.at(-1)).toBe(6 * 3600);
    expect(await faulty(trigger)).toMatchObject([{ id: "0", tries: 15, is_over: true }]);
    expect((await shown(trigger)).poll.faultyItems).toMatchObject({ waiting: 0, givenUp: 1 });
    refusals.clear();
    await look(trigger);
    expect(await trigger.payloads()).toEqual([1]);
    const { status, body } = await things.owner.browser.post(`${things.path}/triggers/${trigger.id}/retry-items`, {});
    expect([status, body.poll.faultyItems]).toMatchObject([200, { waiting: 1, givenUp: 0 }]);
    await things.looking(poll()).lookAtDue();
    expect(await trigger.payloads()).toEqual([1, 0]);
  });

  it("leaves time for the others where it never answers", async () => {
    refusals.set("0", "hangs");
    listed = 4;
    const trigger = await plant();
    await look(trigger, { itemLimitMs: 100 });
    expect(await trigger.payloads()).toEqual([1, 2, 3]);
    expect(await faulty(trigger)).toMatchObject([{ id: "0", fault: "There was no answer within 0.1 s." }]);
  });

  it.each([
    refused(500),
    refused(200),
    new TypeError("no such field"),
    new Refusal("provider_error", "The answer is larger than 10 MB."),
  ])("is told from a service that is down by the others that can be read (%s)", async (refusal) => {
    refusals.set("0", refusal);
    listed = 2;
    const trigger = await plant();
    await look(trigger);
    expect(await trigger.payloads()).toEqual([1]);
    expect(await trigger.read()).toMatchObject({ mark: "2" });
    expect(await faulty(trigger)).toHaveLength(1);
  });

  it("is kept and tried again whatever its size", async () => {
    listed = 2;
    const trigger = await plant();
    const large = poll((mark) => ({
      items: [{ id: "0", payload: "x".repeat(65_000_000) }],
      mark: mark ?? "1",
      hasMore: false,
    }));
    large.read = async (_, { payload }) =>
      refusals.size > 0 ? await readItem({ id: "0", payload }) : String(payload).length;
    refusals.set("0", refused(404));
    await things.looking(large).lookAtDue();
    expect(await faulty(trigger)).toMatchObject([{ is_over: false, fault: expect.stringContaining("404") }]);
    refusals.clear();
    expect((await things.owner.browser.post(`${things.path}/triggers/${trigger.id}/retry-items`, {})).status).toBe(200);
    await things.looking(large).lookAtDue();
    expect([await trigger.payloads(), await faulty(trigger)]).toEqual([[65_000_000], []]);
  });

  it("is kept while it is turned off and on, and forgotten where the trigger looks elsewhere", async () => {
    refusals.set("0", refused(404));
    listed = 2;
    const trigger = await plant();
    await look(trigger);
    const change = (body: object) => things.owner.browser.patch(`${things.path}/triggers/${trigger.id}`, body);
    await change({ active: false });
    expect((await things.owner.browser.post(`${things.path}/triggers/${trigger.id}/retry-items`, {})).body.code).toBe(
      "trigger_off",
    );
    await change({ active: true });
    refusals.clear();
    await tryAgain(trigger);
    expect(await trigger.payloads()).toEqual([1, 0]);
    listed = 3;
    refusals.set("2", refused(404));
    await look(trigger);
    expect(await faulty(trigger)).toHaveLength(1);
    await query("UPDATE trigger SET provider_id = 'http', poll_id = 'new_feed_entry', poll_parameters = $1", [
      '{"url":"https://a.test"}',
    ]);
    expect((await change({ poll: { parameters: { url: "https://b.test" } } })).status).toBe(200);
    expect(await faulty(trigger)).toEqual([]);
  });

  it("is not kept by a look that began before the trigger began anew", async () => {
    listed = 2;
    const trigger = await plant();
    const late = poll();
    late.read = async () => {
      await query("UPDATE trigger SET poll_round = poll_round + 1");
      throw refused(404);
    };
    const looking = things.looking(late);
    await Promise.race([looking.lookAtDue(), delay(2_000)]);
    await looking.stop();
    expect([await faulty(trigger), await query("SELECT * FROM polled_item")]).toEqual([[], []]);
  });
});

describe("what is no item's fault", () => {
  it.each([401, 429, 500, 503])("keeps the mark and no item, where the service answers all with %d", async (status) => {
    listed = 2;
    for (const id of ["0", "1"]) refusals.set(id, refused(status));
    const trigger = await plant();
    await look(trigger);
    expect(await trigger.read()).toMatchObject({ mark: null, error: expect.stringContaining(String(status)) });
    expect(await faulty(trigger)).toEqual([]);
    refusals.clear();
    await look(trigger);
    expect(await trigger.payloads()).toEqual([0, 1]);
  });

  it("gives up none of those that are kept, and does not keep what is new waiting", async () => {
    refusals.set("0", refused(404));
    listed = 2;
    const trigger = await plant();
    await look(trigger);
    refusals.set("0", refused(429));
    await tryAgain(trigger);
    expect((await trigger.read())?.error).toContain("429");
    expect(await faulty(trigger)).toMatchObject([{ tries: 1, is_over: false }]);
    listed = 3;
    await look(trigger);
    expect(await trigger.payloads()).toEqual([1, 2]);
  });
});

it("keeps the mark where 500 items wait already, takes the others, and goes on once there is room", async () => {
  listed = 4;
  refusals.set("0", refused(404));
  const trigger = await plant();
  await query(
    `INSERT INTO faulty_item (organization_id, trigger_id, item_id, item, fault, tries, next_try_at)
     SELECT $1, $2, 'planted ' || number, '{}', 'Planted.', 3, now() + interval '1 hour' FROM generate_series(1, 500) AS number`,
    [things.owner.organizationId, trigger.id],
  );
  await look(trigger);
  expect(await trigger.payloads()).toEqual([1, 2, 3]);
  expect(await trigger.read()).toMatchObject({ mark: null, error: expect.stringContaining("404") });
  await query("DELETE FROM faulty_item");
  await look(trigger);
  expect([await faulty(trigger), (await trigger.read())?.mark]).toMatchObject([[{ id: "0" }], "4"]);
});

it("keeps the mark where items of 64 MB wait already, goes on once there is room, and forgets those given up beyond that", async () => {
  listed = 4;
  for (const id of ["0", "1"]) refusals.set(id, refused(404));
  const trigger = await plant();
  const planted = (count: number, megabytes: number, nextTryAt: string | null) =>
    query(
      `INSERT INTO faulty_item (organization_id, trigger_id, item_id, item, fault, tries, next_try_at, tried_at)
       SELECT $1, $2, 'planted ' || number, repeat('x', $4::int * 1000000), 'Planted.', 3, $5::timestamptz, now() - number * interval '1 minute'
       FROM generate_series(1, $3::int) AS number`,
      [things.owner.organizationId, trigger.id, count, megabytes, nextTryAt],
    );
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  await planted(1, 64, inAnHour);
  await look(trigger);
  expect(await trigger.payloads()).toEqual([2, 3]);
  expect([(await trigger.read())?.mark, await faulty(trigger)]).toMatchObject([null, [{ id: "planted 1" }]]);
  await query("DELETE FROM faulty_item");
  await look(trigger);
  expect([(await trigger.read())?.mark, await faulty(trigger)]).toMatchObject(["4", [{ id: "0" }, { id: "1" }]]);
  await query("DELETE FROM faulty_item");
  await planted(3, 30, null);
  await query("UPDATE trigger SET last_polled_at = now() - interval '1 day'");
  await look(trigger);
  expect(await faulty(trigger)).toMatchObject([{ id: "planted 1" }, { id: "planted 2" }]);
});

it("keeps items that the filter fails on, more than a hundred of them, and passes them over once it is mended", async () => {
  listed = 130;
  const trigger = await plant();
  await query("UPDATE trigger SET filter = '$trigger.payload < 120 ? 1 : true'");
  for (let looks = 0; looks < 10; looks++) await look(trigger);
  expect(await trigger.payloads()).toEqual(numbers(120, 130));
  const { body } = await things.owner.browser.patch(`${things.path}/triggers/${trigger.id}`, {
    filter: "$trigger.payload > 118",
  });
  expect(body.poll.faultyItems).toMatchObject({ waiting: 120, givenUp: 0 });
  for (let looks = 0; looks < 3; looks++) await look(trigger);
  expect(await trigger.payloads()).toEqual([...numbers(120, 130), 119]);
  expect(await faulty(trigger)).toEqual([]);
});

it("forgets what was given up a month ago, and knows its id for as long", async () => {
  refusals.set("0", refused(404));
  listed = 2;
  const trigger = await plant();
  await look(trigger);
  const age = async (days: number) => {
    await query("UPDATE polled_item SET seen_at = now() - interval '40 days'");
    await query("UPDATE faulty_item SET next_try_at = NULL, tried_at = now() - $1 * interval '1 day'", [days]);
    await query("UPDATE trigger SET last_polled_at = now() - interval '1 day'");
  };
  await age(29);
  await look(trigger);
  expect([await faulty(trigger), await query("SELECT item_id FROM polled_item")]).toMatchObject([
    [{ id: "0" }],
    [{ item_id: "0" }],
  ]);
  await age(31);
  await look(trigger);
  expect([await faulty(trigger), await query("SELECT item_id FROM polled_item")]).toEqual([[], []]);
});
