import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { providerFailure } from "../../src/contract/http.ts";
import type { Poll, PollPage } from "../../src/contract/poll.ts";
import type { Provider } from "../../src/contract/provider.ts";
import { lookLimitMs } from "../../src/triggers/polls/look-for-new.ts";
import { createOpenAccount } from "../../src/triggers/polls/open-account.ts";
import { plantOrganization, plantWorkflow } from "../support/runs/plant-workflow.ts";
import { plantPoll } from "../support/triggers/looking-processes.ts";
import { newThing, numbers, pageOf, startThingApp, type ThingApp } from "../support/triggers/poll-app.ts";

let things: ThingApp;
let list: (mark: string | null) => Promise<PollPage>;
let read: Poll["read"];
let asked: (string | null)[];

beforeAll(async () => {
  things = await startThingApp();
});
afterAll(() => things.stop());
beforeEach(() => {
  asked = [];
  read = null;
});

const poll = (): Poll =>
  newThing({
    list: (mark) => {
      asked.push(mark);
      return list(mark);
    },
    read,
  });
const process = (limits: { limitMs?: number } = {}) => things.looking(poll(), limits);
const plant = (fields: { takesExisting?: boolean } = {}) => things.plant(fields);

describe("pages", () => {
  it("are taken one after the other, ten at a look, and what is left at once", async () => {
    const trigger = await plant({ takesExisting: true });
    list = async (mark) => pageOf(Number(mark ?? 0), Number(mark ?? 0) + 2, Number(mark ?? 0) < 22);
    await process().lookAtDue();
    expect(await trigger.payloads()).toEqual(numbers(0, 24));
    expect(asked).toEqual([null, ...numbers(1, 12).map((number) => String(number * 2))]);
    expect(await trigger.read()).toEqual({ mark: "24", error: null, due: false });
  });

  it("of a first look are all passed over, before the mark says where what is new begins", async () => {
    const trigger = await plant();
    list = async (mark) =>
      mark === "4"
        ? await Promise.reject(providerFailure("Test", { status: 500 }))
        : pageOf(Number(mark ?? 0), Number(mark ?? 0) + 2, true);
    await process().lookAtDue();
    expect(await trigger.read()).toMatchObject({ mark: null, error: expect.stringContaining("500") });
    list = async (mark) => pageOf(Number(mark ?? 0), Number(mark ?? 0) + 2, Number(mark ?? 0) < 4);
    await trigger.makeDue();
    await process().lookAtDue();
    expect(await trigger.read()).toEqual({ mark: "6", error: null, due: false });
    await trigger.makeDue();
    list = async () => pageOf(4, 8);
    await process().lookAtDue();
    expect(await trigger.payloads()).toEqual([6, 7]);
  });
});

describe("a look", () => {
  const secondsToNext = async ({ id }: { id: string }) =>
    (
      await things.app.database.query<{ seconds: number }>(
        "SELECT extract(epoch FROM next_poll_at - now())::float8 AS seconds FROM trigger WHERE id = $1",
        [id],
      )
    )[0]?.seconds;

  it("has time to say how it went after its own time is over, before another is made", async () => {
    const trigger = await plant();
    let lease: number | undefined;
    list = async () => {
      lease = await secondsToNext(trigger);
      return pageOf(0, 1);
    };
    await process().lookAtDue();
    expect(lease).toBeGreaterThan(lookLimitMs / 1000 + 5);
  });

  it.each([10 ** 12, 10 ** 302])(
    "comes within a day, though the service asks for a pause of %d ms",
    async (retryAfterMs) => {
      const trigger = await plant();
      list = () => Promise.reject(providerFailure("Test", { status: 429, retryAfterMs }));
      await process().lookAtDue();
      expect(await trigger.read()).toMatchObject({ mark: null, error: expect.stringContaining("429") });
      expect(await secondsToNext(trigger)).toBeLessThan(86_401);
      expect(await secondsToNext(trigger)).toBeGreaterThan(86_000);
    },
  );

  it("that ran out of time has not failed where it started runs, and the next goes on at once", async () => {
    read = async (_, item) => {
      await delay(300);
      return `read ${item.id}`;
    };
    const trigger = await plant({ takesExisting: true });
    list = async () => pageOf(0, 6);
    await process({ limitMs: 1_000 }).lookAtDue();
    expect(asked.length).toBeGreaterThan(1);
    expect(await trigger.payloads()).toEqual(numbers(0, 6).map((id) => `read ${id}`));
    expect(await trigger.read()).toEqual({ mark: "6", error: null, due: false });
  });

  it.each([true, false])(
    "ends where the service says that there is more and goes no further (takesExisting: %s)",
    async (takesExisting) => {
      const trigger = await plant({ takesExisting });
      list = async () => ({ ...pageOf(0, 1), hasMore: true });
      const looking = process();
      await Promise.race([looking.lookAtDue(), delay(2_000)]);
      await looking.stop();
      expect(asked).toEqual([null, "1"]);
      expect(await trigger.read()).toEqual({ mark: "1", error: null, due: false });
    },
  );
});

it("looks through what it has seen once a day, and not at every look", async () => {
  const { query } = things.app.database;
  const trigger = await plant();
  list = async () => pageOf(0, 1);
  const look = async () => {
    await query(
      `INSERT INTO polled_item (organization_id, trigger_id, item_id, seen_at)
       SELECT organization_id, id, 'old', now() - interval '31 days' FROM trigger WHERE id = $1 ON CONFLICT DO NOTHING`,
      [trigger.id],
    );
    await trigger.makeDue();
    await process().lookAtDue();
    return (
      await query<{ id: string }>("SELECT item_id AS id FROM polled_item WHERE trigger_id = $1 ORDER BY 1", [
        trigger.id,
      ])
    ).map(({ id }) => id);
  };
  const looked = (at: string) => query(`UPDATE trigger SET last_polled_at = ${at} WHERE id = $1`, [trigger.id]);
  expect(await look()).toEqual(["0"]);
  await looked("date_trunc('day', now(), 'UTC')");
  expect(await look()).toEqual(["0", "old"]);
  await looked("date_trunc('day', now(), 'UTC') - interval '1 ms'");
  expect(await look()).toEqual(["0"]);
});

it("tells what went wrong without the secrets of the account, also where nobody expected it", async () => {
  const {
    vault,
    ground: { outside },
    catalog,
  } = things.app.parts;
  const [organizationId, data] = [
    things.owner.organizationId,
    { authKind: "bearer", secret: "very-secret-token", baseUrl: "https://a.test" },
  ];
  const { body } = await things.owner.browser.post(`${things.path}/credentials`, {
    type: "http_auth",
    name: "Feed",
    data,
  });
  const provider = catalog.providers.find(({ id }) => id === "http") as Provider;
  const account = await createOpenAccount({ vault, outside })({
    organizationId,
    provider,
    credentialId: body.id,
    limitMs: 5_000,
  });
  const error = await account
    .ask(() => Promise.reject(new TypeError("no very-secret-token here")))
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "TypeError", message: "no [secret] here" });
  expect((error as Error).stack).not.toContain("very-secret-token");
});

describe("an item that is gone before it is read", () => {
  it("starts nothing, is no fault, and is done with", async () => {
    let isGone = true;
    read = async (_, item) => (isGone && item.id === "1" ? undefined : `read ${item.id}`);
    const trigger = await plant({ takesExisting: true });
    list = async (mark) => pageOf(0, mark === null ? 3 : 4);
    await process().lookAtDue();
    expect(await trigger.payloads()).toEqual(["read 0", "read 2"]);
    expect(await trigger.read()).toEqual({ mark: "3", error: null, due: false });
    isGone = false;
    await trigger.makeDue();
    await process().lookAtDue();
    expect(await trigger.payloads()).toEqual(["read 0", "read 2", "read 3"]);
  });
});

describe("two processes", () => {
  it("that look at the same moment start one run for each item", async () => {
    const trigger = await plant({ takesExisting: true });
    list = async () => {
      // The other one may claim it as well, as after the time for a look is over.
      await trigger.makeDue();
      await delay(20);
      return pageOf(0, 20);
    };
    const processes = [process(), process(), process()];
    const looks = processes.map((one) => one.lookAtDue());
    await expect.poll(() => asked.length, { timeout: 15_000, interval: 10 }).toBeGreaterThan(12);
    list = async () => pageOf(0, 20);
    await Promise.all([...looks, ...processes.map((one) => one.stop())]);
    expect((await trigger.payloads()).toSorted()).toEqual(numbers(0, 20).toSorted());
  });

  it("do not set the mark back where one of them was stopped for long", async () => {
    const trigger = await plant({ takesExisting: true });
    let goOn = () => {};
    const stopped = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    list = async () => {
      await stopped;
      return pageOf(0, 2);
    };
    const slow = process().lookAtDue();
    while (asked.length === 0) await delay(10);
    list = async (mark) => pageOf(Number(mark ?? 0), Number(mark ?? 0) + 4);
    await trigger.makeDue();
    await process().lookAtDue();
    expect((await trigger.read())?.mark).toBe("4");
    goOn();
    await slow;
    expect(await trigger.read()).toEqual({ mark: "4", error: null, due: false });
    expect(await trigger.payloads()).toEqual([0, 1, 2, 3]);
  });

  it("start nothing for a look that began before the trigger looked elsewhere", async () => {
    const trigger = await plant({ takesExisting: true });
    list = async () => {
      await things.app.database.query("UPDATE trigger SET poll_round = poll_round + 1 WHERE id = $1", [trigger.id]);
      return pageOf(0, 2);
    };
    await process().lookAtDue();
    expect([await trigger.payloads(), (await trigger.read())?.mark]).toEqual([[], null]);
    expect(await things.app.database.query("SELECT * FROM polled_item WHERE trigger_id = $1", [trigger.id])).toEqual(
      [],
    );
    await things.app.database.query("DELETE FROM trigger WHERE id = $1", [trigger.id]);
  });
});

it("looks at two services of an organization at a time, and at those of others beside them", async () => {
  const { database } = things.app;
  const other = await plantOrganization(database);
  const place = { organizationId: other, workflowId: await plantWorkflow(database, other) };
  const most = new Map<string, number>();
  await Promise.all(Array.from({ length: 5 }, () => plant()));
  const strangers = await Promise.all(Array.from({ length: 3 }, () => plantPoll(things.app, poll(), place)));
  let looks = 0;
  list = async () => {
    looks += 1;
    const rows = await database.query<{ id: string; count: number }>(
      "SELECT organization_id AS id, count(*)::int AS count FROM trigger WHERE next_poll_at > now() AND poll_wait_seconds = 0 GROUP BY 1",
    );
    for (const { id, count } of rows) most.set(id, Math.max(most.get(id) ?? 0, count));
    await delay(100);
    return pageOf(0, 1);
  };
  await process().lookAtDue();
  expect(looks).toBe(8);
  expect([most.get(things.owner.organizationId), most.get(other)]).toEqual([2, 2]);
  expect((await strangers[0]?.read())?.mark).toBe("1");
});
