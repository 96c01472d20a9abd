import pg from "pg";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { at, callOf, idAt, type Months, nameOf, openMonths } from "../../test/support/storage/months.ts";
import { silentLog } from "../../test/support/storage/test-postgres.ts";
import { createCallRetention } from "../history/call-retention.ts";
import { insertCalls } from "../history/store.ts";
import { createRunRetention } from "../runs/retention.ts";

let months: Months;
beforeEach(async () => {
  months = await openMonths();
});
afterEach(() => months.close());

const retain = (moment: Date, { keptDays = 90, keptRows = 1_000, log = silentLog } = {}) =>
  createCallRetention({
    db: months.db,
    partitions: months.partitionsAt(moment),
    log,
    keptDays,
    keptRows,
    readNow: async () => moment,
  }).run();
const retainRuns = (moment: Date) =>
  createRunRetention({
    db: months.db,
    partitions: months.partitionsAt(moment),
    log: silentLog,
    keptDays: 90,
    keptRuns: 1_000,
    readNow: async () => moment,
  }).run();

it("drops months of which all is too old, and nothing that is not", async () => {
  await months.partitionsAt(at(6)).upkeep.run();
  const [gone, kept] = [[at(-2), at(0), at(1), at(2, 28)].map(idAt), [at(3, 1), at(3), at(5), at(6)].map(idAt)];
  await insertCalls(
    months.db,
    [...gone, ...kept].map((id) => callOf(id)),
  );
  expect(await retain(at(6, 20))).toBe(0);
  expect(Object.keys(await months.placesOf("tool_call")).sort()).toEqual(kept.sort());
  expect(await months.tablesOf("tool_call")).toEqual(
    [...[3, 4, 5, 6, 7].map((later) => nameOf("tool_call", later)), "tool_call_future", "tool_call_past"].sort(),
  );
  const relations = "SELECT relname FROM pg_class WHERE relname LIKE $1";
  expect(await months.database.query(relations, [`${nameOf("tool_call", 1)}%`])).toEqual([]);
});

it("keeps a month in which something runs, but not what has ended in it", async () => {
  await months.partitionsAt(at(6)).upkeep.run();
  const running = callOf(idAt(at(1)), { status: "running", completedAt: null });
  await insertCalls(months.db, [callOf(idAt(at(0))), callOf(idAt(at(1))), running, callOf(idAt(at(2)))]);
  expect(await retain(at(6, 20))).toBe(2);
  expect(await months.placesOf("tool_call")).toEqual({ [running.id]: nameOf("tool_call", 1) });
  expect(await months.tablesOf("tool_call")).not.toContain(nameOf("tool_call", 0));
  await months.database.query("UPDATE tool_call SET status = 'success' WHERE id = $1", [running.id]);
  await retain(at(6, 20));
  expect(await months.placesOf("tool_call")).toEqual({});
  expect(await months.tablesOf("tool_call")).not.toContain(nameOf("tool_call", 1));
});

it("drops the nodes of runs with their months, and waits for runs that have not ended", async () => {
  await months.partitionsAt(at(6)).upkeep.run();
  await months.insertRun(idAt(at(0)), "succeeded");
  const waiting = await months.insertRun(idAt(at(1)), "waiting");
  const ended = await months.insertRun(idAt(at(1)), "failed");
  const kept = await months.insertRun(idAt(at(5)), "succeeded");
  expect(await retainRuns(at(6, 20))).toBe(1);
  expect(Object.keys(await months.placesOf("run")).sort()).toEqual([waiting, kept].sort());
  expect(Object.keys(await months.placesOf("run_node", "run_id")).sort()).toEqual([waiting, kept].sort());
  expect(await months.tablesOf("run")).not.toContain(nameOf("run", 0));
  expect(await months.placesOf("run")).not.toHaveProperty(ended);
  await months.database.query("UPDATE run SET status = 'cancelled' WHERE id = $1", [waiting]);
  await retainRuns(at(6, 20));
  for (const table of ["run", "run_node"]) expect(await months.tablesOf(table)).not.toContain(nameOf(table, 1));
  expect(Object.keys(await months.placesOf("run_node", "run_id"))).toEqual([kept]);
});

it("of few days does not wait for the end of a month, and never drops one that may still be written to", async () => {
  await months.partitionsAt(at(1)).upkeep.run();
  const [last, old, fresh] = [idAt(at(0, 20)), idAt(at(1, 1)), idAt(at(1, 3))];
  await insertCalls(months.db, [callOf(last), callOf(old), callOf(fresh)]);
  expect(await retain(at(1, 4), { keptDays: 2 })).toBe(2);
  expect(Object.keys(await months.placesOf("tool_call"))).toEqual([fresh]);
  expect(await months.tablesOf("tool_call")).toContain(nameOf("tool_call", 0));
  await retain(at(1, 9), { keptDays: 2 });
  expect(await months.tablesOf("tool_call")).not.toContain(nameOf("tool_call", 0));
});

it("is safe in two processes at once", async () => {
  await months.partitionsAt(at(6)).upkeep.run();
  const kept = idAt(at(6));
  await insertCalls(months.db, [callOf(idAt(at(0))), callOf(idAt(at(2))), callOf(kept)]);
  await Promise.all([
    retain(at(6, 20)),
    retain(at(6, 20)),
    retainRuns(at(6, 20)),
    retainRuns(at(6, 20)),
    months.partitionsAt(at(8)).upkeep.run(),
  ]);
  await retain(at(6, 20));
  expect(Object.keys(await months.placesOf("tool_call"))).toEqual([kept]);
  expect(await months.tablesOf("tool_call")).not.toContain(nameOf("tool_call", 2));
});

it("stops nobody from writing while it waits for somebody who reads", async () => {
  const { tableOf, upkeep } = months.partitionsAt(at(6));
  await upkeep.run();
  await insertCalls(months.db, [callOf(idAt(at(0)))]);
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
  const reader = new pg.Client(months.database.target);
  await reader.connect();
  let written = 0;
  try {
    await reader.query("BEGIN; SELECT count(*) FROM tool_call");
    let isDone = false;
    const retention = retain(at(6, 20), { log }).finally(() => (isDone = true));
    // Each is refused if it takes two seconds.
    for (; !isDone; written += 2) {
      await insertCalls(months.db, [callOf(idAt(at(6)))], tableOf);
      await insertCalls(months.db, [callOf(idAt(at(6)))]);
    }
    await retention;
  } finally {
    await reader.end();
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ reason: expect.stringContaining("lock timeout") }]);
  await retain(at(6, 20), { keptRows: 1_000_000 });
  expect(Object.keys(await months.placesOf("tool_call"))).toHaveLength(written);
  expect(await months.tablesOf("tool_call")).not.toContain(nameOf("tool_call", 0));
});
