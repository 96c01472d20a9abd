import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLog } from "../../src/base/log.ts";
import { Refusal } from "../../src/base/refusal.ts";
import { createTracing, type FinishedSpan } from "../../src/base/tracing.ts";
import type { StartRun } from "../../src/runs/accept/start-run.ts";
import { createDatabase, type Database } from "../../src/storage/database.ts";
import { createSchedules } from "../../src/triggers/fire-schedules.ts";
import { createRegistrationTurns } from "../../src/triggers/registration-turns.ts";
import { createRegistrations } from "../../src/triggers/registrations.ts";
import { createTriggers } from "../../src/triggers/triggers.ts";
import type { WebhookSecrets } from "../../src/triggers/webhook-secrets.ts";
import { roundsLimitMs, roundsOf } from "../support/rounds.ts";
import { plantOrganization, plantWorkflow } from "../support/runs/plant-workflow.ts";
import { createRecordingStartRun, startedTable } from "../support/runs/recording-start-run.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";

const log = createLog("silent");
const spans: FinishedSpan[] = [];
const tracing = createTracing({ sampler: { ratio: 1, isParentBased: true }, onEnd: (span) => void spans.push(span) });
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pools: Database[];
let organizationId: string;
let workflowId: string;
let virtualNow: Date;
const readNow = async () => virtualNow;
const startOf = (db: Database) => createRecordingStartRun(db);

beforeAll(async () => {
  database = await createTestDatabase();
  await database.query(startedTable);
  const open = () => createDatabase({ target: database.target, applicationName: "test", poolSize: 4, log });
  pools = [open(), open(), open()];
  organizationId = await plantOrganization(database);
  workflowId = await plantWorkflow(database, organizationId);
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  await database.drop();
});

const db = () => pools[0] as Database;
const triggersOf = (clock?: typeof readNow) => {
  const secrets = {} as WebhookSecrets;
  const callProvider = async () => Promise.reject(new Error("a schedule asks no provider"));
  const polls = { readNew: callProvider, checkChange: callProvider, saysSame: () => true };
  const context = {
    inTurn: createRegistrationTurns(db()),
    removeWebhook: callProvider,
    removals: { add: callProvider },
  };
  const registrations = createRegistrations({ db: db(), log, secrets, callProvider, ...context, titleOf: String });
  return createTriggers({
    db: db(),
    secrets,
    registrations,
    polls,
    checkOverrides: async () => {},
    ...(clock ? { readNow: clock } : {}),
  });
};
const schedule = async (cron: string, timeZone: string, clock?: typeof readNow) =>
  await triggersOf(clock).create(organizationId, {
    workflowId,
    kind: "schedule",
    name: "Some schedule",
    active: true,
    prompt: "",
    overrides: [],
    cron,
    timeZone,
    createdBy: null,
  });
/** The ticks a trigger was fired for, in order, each as often as it was. */
const ticksOf = async (triggerId: string) =>
  (await database.query<{ request: string }>("SELECT request FROM started WHERE trigger_id = $1", [triggerId]))
    .map(({ request }) => JSON.parse(request).trigger.payload.scheduledAt as string)
    .sort();
const rowOf = async (triggerId: string) =>
  (await database.query("SELECT * FROM trigger WHERE id = $1", [triggerId]))[0];
const minuteMs = 60_000;

/** Three processes' worth of schedulers look at once at each of these moments. */
async function walk(moments: Iterable<number>, startRun: (pool: Database) => StartRun = startOf): Promise<void> {
  const schedulers = pools.map((pool) =>
    createSchedules({ db: pool, startRun: startRun(pool), log, tracing, readNow }),
  );
  for (const moment of moments) {
    virtualNow = new Date(moment);
    await Promise.all(schedulers.map(({ fireDue }) => fireDue()));
  }
}
function* steps(from: string, to: string, stepMs: number) {
  for (let at = Date.parse(from); at <= Date.parse(to); at += stepMs) yield at;
}

describe("a day on which the clock changes", () => {
  it.each([
    [
      "Europe/Berlin",
      "2026-03-28T22:58:30Z",
      "2026-03-30T02:00:00Z",
      { "30 2 * * *": ["2026-03-29T01:30:00.000Z", "2026-03-30T00:30:00.000Z"] },
    ],
    [
      "Europe/Berlin",
      "2026-10-24T22:58:30Z",
      "2026-10-26T02:00:00Z",
      { "30 2 * * *": ["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"] },
    ],
    [
      "America/New_York",
      "2026-11-01T03:58:30Z",
      "2026-11-02T07:00:00Z",
      { "30 1 * * *": ["2026-11-01T05:30:00.000Z", "2026-11-02T06:30:00.000Z"] },
    ],
    [
      "America/New_York",
      "2026-03-08T04:58:30Z",
      "2026-03-09T06:00:00Z",
      { "30 2 * * *": ["2026-03-08T07:30:00.000Z"] },
    ],
  ])(
    "in %s from %s fires each tick once with three schedulers",
    async (timeZone, from, to, daily) => {
      virtualNow = new Date(from);
      const [[cron, ticks] = ["", []]] = Object.entries(daily);
      const [once, often] = await Promise.all([
        schedule(cron, timeZone, readNow),
        schedule("*/30 * * * *", timeZone, readNow),
      ]);
      await walk(steps(from, to, roundsOf(5, 1) * minuteMs));
      expect(await ticksOf(once.id)).toEqual(ticks);
      const halfHours = [
        ...steps(
          new Date(Math.ceil(Date.parse(from) / (30 * minuteMs)) * 30 * minuteMs).toISOString(),
          to,
          30 * minuteMs,
        ),
      ];
      const last = virtualNow.getTime();
      expect(await ticksOf(often.id)).toEqual(
        halfHours.filter((at) => at <= last).map((at) => new Date(at).toISOString()),
      );
      await Promise.all([once, often].map(({ id: triggerId }) => triggersOf().remove({ organizationId, triggerId })));
    },
    roundsLimitMs,
  );
});

describe("a tick", () => {
  it("begins a trace, which its run belongs to and which only the scheduler that started the run tells of", async () => {
    virtualNow = new Date("2026-04-01T10:00:30Z");
    const { id } = await schedule("*/10 * * * *", "UTC", readNow);
    await walk(steps("2026-04-01T10:00:30Z", "2026-04-01T10:30:30Z", minuteMs));
    const started = await database.query<{ request: string }>("SELECT request FROM started WHERE trigger_id = $1", [
      id,
    ]);
    const own = spans.filter(({ facts }) => facts["switchyard.trigger.id"] === id);
    expect(started).toHaveLength(3);
    expect(own.map(({ traceId }) => traceId).sort()).toEqual(
      started.map(({ request }) => JSON.parse(request).trace.traceId as string).sort(),
    );
    for (const span of own) expect(span).toMatchObject({ name: "schedule", parentSpanId: undefined });
    await triggersOf().remove({ organizationId, triggerId: id });
  });

  it("that starts nothing says so in its trace, unless the schedule was turned off", async () => {
    virtualNow = new Date("2026-04-02T10:00:30Z");
    const { id } = await schedule("*/10 * * * *", "UTC", readNow);
    const fail = (code: "workflow_inactive" | "trigger_off") => () => async () =>
      Promise.reject(new Refusal(code, "no"));
    await walk([Date.parse("2026-04-02T10:10:30Z")], fail("trigger_off"));
    await walk([Date.parse("2026-04-02T10:10:31Z")], fail("workflow_inactive"));
    const own = spans.filter(({ facts }) => facts["switchyard.trigger.id"] === id);
    expect(own.length).toBeGreaterThan(0);
    for (const { facts } of own) expect(facts["error.type"]).toBe("workflow_inactive");
    await triggersOf().remove({ organizationId, triggerId: id });
  });
});

describe("a clock that jumps", () => {
  it("back by an hour fires nothing twice", async () => {
    virtualNow = new Date("2026-05-01T10:00:30Z");
    const { id } = await schedule("*/10 * * * *", "UTC", readNow);
    await walk(steps("2026-05-01T10:00:30Z", "2026-05-01T11:00:30Z", minuteMs));
    await walk(steps("2026-05-01T10:00:30Z", "2026-05-01T11:30:30Z", minuteMs));
    const expected = [...steps("2026-05-01T10:10:00Z", "2026-05-01T11:30:00Z", 10 * minuteMs)].map((at) =>
      new Date(at).toISOString(),
    );
    expect(await ticksOf(id)).toEqual(expected);
    await triggersOf().remove({ organizationId, triggerId: id });
  });

  it("ahead by an hour, like a pause of all processes, fires the missed tick once, late, and goes on with the next", async () => {
    virtualNow = new Date("2026-05-01T10:00:30Z");
    const { id } = await schedule("*/10 * * * *", "UTC", readNow);
    await walk([
      Date.parse("2026-05-01T11:05:00Z"),
      ...steps("2026-05-01T11:06:00Z", "2026-05-01T11:21:00Z", minuteMs),
    ]);
    expect(await ticksOf(id)).toEqual([
      "2026-05-01T10:10:00.000Z",
      "2026-05-01T11:10:00.000Z",
      "2026-05-01T11:20:00.000Z",
    ]);
    await triggersOf().remove({ organizationId, triggerId: id });
  });
});

describe("a schedule", () => {
  it("tells its runs when it was due, and its prompt, and is keyed by the tick", async () => {
    virtualNow = new Date("2026-06-01T10:00:30Z");
    const { id } = await schedule("0 * * * *", "UTC", readNow);
    await triggersOf(readNow).update({ organizationId, triggerId: id }, { prompt: "Report", overrides: [{ id: "a" }] });
    await walk([Date.parse("2026-06-01T11:00:00Z")]);
    const [row] = await database.query<{ key: string; request: string }>(
      "SELECT * FROM started WHERE trigger_id = $1",
      [id],
    );
    expect(row?.key).toBe(`schedule:${id}:2026-06-01T11:00:00.000Z`);
    expect(JSON.parse(row?.request ?? "")).toMatchObject({
      kind: "schedule",
      organizationId,
      workflowId,
      overrides: [{ id: "a" }],
      trigger: {
        source: "schedule",
        sender: null,
        prompt: "Report",
        payload: { scheduledAt: "2026-06-01T11:00:00.000Z" },
      },
    });
    expect(await triggersOf().get({ organizationId, triggerId: id })).toMatchObject({
      lastRunAt: "2026-06-01T11:00:00.000Z",
      nextRunAt: "2026-06-01T12:00:00.000Z",
      lastError: null,
    });
    await triggersOf().remove({ organizationId, triggerId: id });
  });

  it("never fires for a tick before it was made, turned on again or changed", async () => {
    virtualNow = new Date("2026-06-01T10:00:30Z");
    const { id: triggerId } = await schedule("0 * * * *", "UTC", readNow);
    const place = { organizationId, triggerId };
    const triggers = triggersOf(readNow);
    await walk([Date.parse("2026-06-01T10:00:31Z")]);
    expect(await ticksOf(triggerId)).toEqual([]);
    await triggers.setActive(place, false);
    await walk(steps("2026-06-01T11:00:00Z", "2026-06-01T13:30:00Z", 30 * minuteMs));
    await triggers.setActive(place, true);
    await walk([Date.parse("2026-06-01T13:31:00Z")]);
    expect(await ticksOf(triggerId)).toEqual([]);
    virtualNow = new Date("2026-06-01T14:10:00Z");
    await triggers.update(place, { cron: "5 * * * *" });
    await walk([Date.parse("2026-06-01T14:10:01Z"), Date.parse("2026-06-01T15:05:01Z")]);
    expect(await ticksOf(triggerId)).toEqual(["2026-06-01T15:05:00.000Z"]);
    await triggers.remove(place);
  });

  it("keeps a tick that is due when it is only renamed or turned on once more", async () => {
    virtualNow = new Date("2026-06-01T10:00:30Z");
    const { id: triggerId } = await schedule("0 * * * *", "UTC", readNow);
    virtualNow = new Date("2026-06-01T11:00:30Z");
    await triggersOf(readNow).update({ organizationId, triggerId }, { name: "Other", active: true });
    await walk([virtualNow.getTime()]);
    expect(await ticksOf(triggerId)).toEqual(["2026-06-01T11:00:00.000Z"]);
    await triggersOf().remove({ organizationId, triggerId });
  });

  it("says why it started nothing and goes on, when its run is refused", async () => {
    virtualNow = new Date("2026-06-01T10:00:30Z");
    const { id: triggerId } = await schedule("0 * * * *", "UTC", readNow);
    const refuse: StartRun = async () => Promise.reject(new Refusal("validation_failed", "Node a does not fit."));
    await walk([Date.parse("2026-06-01T11:00:01Z")], () => refuse);
    expect(await triggersOf().get({ organizationId, triggerId })).toMatchObject({
      lastError: "Node a does not fit.",
      lastRunAt: null,
      nextRunAt: "2026-06-01T12:00:00.000Z",
    });
    await walk([Date.parse("2026-06-01T12:00:01Z")]);
    expect(await triggersOf().get({ organizationId, triggerId })).toMatchObject({ lastError: null });
    await triggersOf().remove({ organizationId, triggerId });
  });

  it("is tried again when its run could not be stored, and given up only after a while", async () => {
    virtualNow = new Date("2026-06-01T10:00:30Z");
    const { id: triggerId } = await schedule("0 * * * *", "UTC", readNow);
    const away: StartRun = async () =>
      Promise.reject(new Refusal("database_unavailable", "The database does not answer."));
    await walk([Date.parse("2026-06-01T11:00:01Z"), Date.parse("2026-06-01T11:30:01Z")], () => away);
    await walk([Date.parse("2026-06-01T11:30:02Z")]);
    expect(await ticksOf(triggerId)).toEqual(["2026-06-01T11:00:00.000Z"]);
    const broken: StartRun = async () => Promise.reject(new Error("broken"));
    await walk([Date.parse("2026-06-01T12:00:01Z")], () => broken);
    expect((await rowOf(triggerId))?.next_fire_at).toEqual(new Date("2026-06-01T12:00:00Z"));
    await walk([Date.parse("2026-06-01T12:11:00Z")], () => broken);
    expect(await triggersOf().get({ organizationId, triggerId })).toMatchObject({
      nextRunAt: "2026-06-01T13:00:00.000Z",
      lastError: "broken",
    });
    await triggersOf().remove({ organizationId, triggerId });
  });

  it("does not hold up others when it fails", async () => {
    virtualNow = new Date("2026-06-01T10:00:30Z");
    const [bad, good] = [await schedule("0 * * * *", "UTC", readNow), await schedule("0 * * * *", "UTC", readNow)];
    const startRun =
      (pool: Database): StartRun =>
      async (asked) => {
        if (asked.triggerId === bad.id) throw new Error("broken");
        return await startOf(pool)(asked);
      };
    await walk([Date.parse("2026-06-01T11:00:01Z")], startRun);
    expect(await ticksOf(good.id)).toEqual(["2026-06-01T11:00:00.000Z"]);
    for (const { id: triggerId } of [bad, good]) await triggersOf().remove({ organizationId, triggerId });
  });

  it("of a deleted workflow fires no more", async () => {
    virtualNow = new Date("2026-06-01T10:00:30Z");
    const { id: triggerId } = await schedule("0 * * * *", "UTC", readNow);
    await database.query("UPDATE workflow SET deleted_at = now() WHERE id = $1", [workflowId]);
    await walk([Date.parse("2026-06-01T11:00:01Z")]);
    await database.query("UPDATE workflow SET deleted_at = NULL WHERE id = $1", [workflowId]);
    expect(await ticksOf(triggerId)).toEqual([]);
    await triggersOf().remove({ organizationId, triggerId });
  });
});
