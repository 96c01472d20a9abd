import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createLog } from "../../src/base/log.ts";
import { Refusal } from "../../src/base/refusal.ts";
import { createTracing } from "../../src/base/tracing.ts";
import type { StartRun } from "../../src/runs/accept/start-run.ts";
import { createDatabase, type Database } from "../../src/storage/database.ts";
import { createSchedules } from "../../src/triggers/fire-schedules.ts";
import { createRecordingStartRun, startedTable } from "../support/runs/recording-start-run.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const count = 500;
const tracing = createTracing({ sampler: { ratio: 1, isParentBased: true }, onEnd: () => {} });
let flows: WorkflowApp;
let workflowId: string;
let db: Database;

beforeAll(async () => {
  flows = await startWorkflowApp();
  workflowId = await flows.save([node("now", "system_date_time")]);
  await flows.app.database.query(startedTable);
  db = createDatabase({
    target: flows.app.database.target,
    applicationName: "test",
    poolSize: 4,
    log: createLog("silent"),
  });
});
afterAll(async () => {
  await db?.close();
  await flows?.stop();
});
afterEach(() => flows.app.database.query("DELETE FROM trigger"));

const plant = (dueAt: string) =>
  flows.app.database.query(
    `INSERT INTO trigger (organization_id, id, workflow_id, kind, name, is_active, overrides, cron, time_zone, next_fire_at)
     SELECT $1, gen_random_uuid(), $2, 'schedule', 'Together', true, '[]', '0 * * * *', 'UTC', $3 FROM generate_series(1, $4::int)`,
    [flows.owner.organizationId, workflowId, dueAt, count],
  );
const nextTimes = async () =>
  (await flows.app.database.query<{ at: Date }>("SELECT DISTINCT next_fire_at AS at FROM trigger")).map(({ at }) =>
    at.toISOString(),
  );

describe("many schedules that are due together", () => {
  // Later than the real clock, so that the app itself does not fire them.
  const [due, following] = ["2126-04-03T11:00:00.000Z", "2126-04-03T12:00:00.000Z"];

  /** One more scheduler, whose starts are counted and whose log is read. */
  async function fireTogether(startRun: StartRun) {
    let [running, most] = [0, 0];
    const lines: Record<string, unknown>[] = [];
    const counted: StartRun = async (asked) => {
      running += 1;
      most = Math.max(most, running);
      return await startRun(asked).finally(() => (running -= 1));
    };
    const log = createLog("info", { write: (line: string) => void lines.push(JSON.parse(line)) });
    await createSchedules({ db, startRun: counted, log, tracing, readNow: async () => new Date(due) }).fireDue();
    return { most, lines };
  }

  it("start their runs sixteen at a time, each of them once, and need no time limit for it", async () => {
    await plant(due);
    const { most, lines } = await fireTogether(createRecordingStartRun(db));
    expect([most, lines.length]).toEqual([16, 0]);
    expect(await nextTimes()).toEqual([following]);
    expect(await flows.app.database.query("SELECT count(DISTINCT trigger_id)::int AS runs FROM started")).toEqual([
      { runs: count },
    ]);
  });

  it("say in one line of the log that they could not start their runs, and why", async () => {
    await plant(due);
    let calls = 0;
    const { lines } = await fireTogether(async () => {
      calls += 1;
      throw calls % 2 === 0
        ? new Refusal("database_unavailable", "The database does not answer.")
        : new Error("broken");
    });
    expect([calls, lines.length]).toEqual([count, 1]);
    expect(lines[0]).toMatchObject({ msg: "Schedules could not start their runs.", schedules: count });
    const failures = lines[0]?.failures as { triggerId: string; traceId: string; reason: string }[];
    expect(failures).toHaveLength(5);
    expect(new Set(failures.map(({ triggerId }) => triggerId)).size).toBe(5);
    expect(new Set(failures.map(({ reason }) => reason))).toEqual(new Set(["broken", "The database does not answer."]));
    expect(await nextTimes()).toEqual([due]);
  });

  it("all run in the app, once each, while others are answered", async () => {
    await plant("2026-01-01T00:00:00Z");
    const startedAt = performance.now();
    const waits: number[] = [];
    const runs = async () =>
      (
        await flows.app.database.query<{ runs: number }>(
          "SELECT count(*)::int AS runs FROM run WHERE kind = 'schedule'",
        )
      )[0]?.runs ?? 0;
    while ((await runs()) < count && performance.now() - startedAt < 60_000) {
      const askedAt = performance.now();
      expect((await flows.owner.browser.get(`${flows.path}/triggers?limit=1`)).status).toBe(200);
      waits.push(performance.now() - askedAt);
    }
    expect(await runs()).toBe(count);
    await expect.poll(async () => (await nextTimes()).length, { timeout: 10_000 }).toBe(1);
    const [found] = await flows.app.database.query(
      "SELECT count(*)::int AS runs, count(DISTINCT trigger_id)::int AS triggers FROM run WHERE kind = 'schedule'",
    );
    expect(found).toEqual({ runs: count, triggers: count });
    expect(Math.max(...waits)).toBeLessThan(3000);
  }, 90_000);
});
