import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { newId } from "../../src/base/ids.ts";
import { Refusal } from "../../src/base/refusal.ts";
import { createRecordedSteps } from "../../src/calls/recorded-call.ts";
import { type ArrivedCall, type CallOutcome, createRecorder } from "../../src/history/record.ts";
import { createDatabase, type Database } from "../../src/storage/database.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { silentLog } from "../support/storage/test-postgres.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;
let writes: number;
const organizationId = newId();

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase({ target: database.target, applicationName: "test", log: silentLog });
  await database.query("INSERT INTO organization (id, name) VALUES ($1, 'Team')", [organizationId]);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});
beforeEach(() => {
  writes = 0;
});

const openRecorder = () =>
  createRecorder({
    db,
    clock: systemClock,
    log: silentLog,
    onChange: () => {},
    onBatch: (rows) => (writes += rows),
    parametersLimitBytes: 200,
    outputsLimitBytes: 200,
    findStoredOf: async () => () => ["geheim-geheim"],
  });
const openSteps = () => createRecordedSteps({ recorder: openRecorder(), observe: () => {} });
const callOf = (more: Partial<ArrivedCall> = {}): ArrivedCall => ({
  organizationId,
  id: newId(),
  source: "mcp",
  serverId: "system",
  tool: "system_date_time",
  apiKeyId: newId(),
  apiKeyName: "CI",
  parameters: { timezone: "UTC" },
  credentials: {},
  queueMs: 2,
  ...more,
});
const stored = async ({ id }: ArrivedCall) =>
  (await database.query<Record<string, unknown>>("SELECT * FROM tool_call WHERE id = $1", [id]))[0];

describe("a call that is written when it has ended", () => {
  const outcomes: Record<string, CallOutcome> = {
    "a success": { status: "success", outputs: [{ now: "2026-01-01" }], durationMs: 3.4 },
    "a large answer": { status: "success", outputs: ["x".repeat(500)], durationMs: 1 },
    "a failure": { status: "failed", error: { code: "validation_failed", message: "No." }, durationMs: 1 },
    "one out of time": { status: "timed_out", error: { code: "tool_timeout", message: "Too late." }, durationMs: 9 },
    "a secret in its answer": { status: "success", outputs: { text: "geheim-geheim" }, durationMs: 1 },
  };
  const givens = { "": {}, ", large parameters": { parameters: { text: "y".repeat(400) } } };
  const cases = Object.entries(outcomes).flatMap(([name, outcome]) =>
    Object.entries(givens).map(([more, given]) => ({ name: `${name}${more}`, outcome, given })),
  );

  it.each(cases)("has the same row as one that was opened first: $name", async ({ outcome, given }) => {
    const recorder = openRecorder();
    const [once, twice] = [callOf(given), callOf(given)];
    await recorder.ended(once, outcome);
    expect(writes).toBe(1);
    await recorder.open(twice);
    await recorder.close(twice, outcome);
    const own = { id: expect.any(String), api_key_id: expect.any(String) };
    const times = Object.fromEntries(
      ["queued_at", "started_at", "completed_at", "changed_at"].map((name) => [name, expect.any(Date)]),
    );
    expect(await stored(once)).toEqual({ ...(await stored(twice)), ...own, ...times });
  });

  it("began before it ended", async () => {
    const call = callOf();
    await openRecorder().ended(call, { status: "success", outputs: [], durationMs: 250 });
    const { started_at: startedAt, completed_at: completedAt } = (await stored(call)) as Record<string, Date>;
    expect(Number(completedAt) - Number(startedAt)).toBe(250);
  });
});

describe("a call that reaches nothing outside", () => {
  it("is written once, before it is answered", async () => {
    const call = callOf();
    await expect(openSteps().runInside(call, async () => ["now"])).resolves.toEqual(["now"]);
    expect(writes).toBe(1);
    expect(await stored(call)).toMatchObject({ status: "success", outputs: '["now"]' });
  });

  it("is written once where it fails, with its error", async () => {
    const call = callOf();
    const refusal = new Refusal("validation_failed", "There is no such zone.");
    await expect(openSteps().runInside(call, () => Promise.reject(refusal))).rejects.toBe(refusal);
    expect(writes).toBe(1);
    expect(await stored(call)).toMatchObject({ status: "failed", error_message: "There is no such zone." });
  });

  it("can be seen while it runs where it takes long", async () => {
    const call = callOf();
    const answer = openSteps().runInside(call, () => delay(400, "late"));
    await expect.poll(() => stored(call), { interval: 10, timeout: 350 }).toMatchObject({ status: "running" });
    await expect(answer).resolves.toBe("late");
    expect(await stored(call)).toMatchObject({ status: "success", outputs: '"late"' });
    expect(writes).toBe(2);
  });

  it("is not answered where its record cannot be written", async () => {
    const call = callOf({ apiKeyId: "no id" });
    const answer = openSteps().runInside(call, async () => "now");
    await expect(answer).rejects.toMatchObject({ code: "record_unavailable" });
  });
});
