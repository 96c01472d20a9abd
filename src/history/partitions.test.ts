import pg from "pg";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../test/support/test-database.ts";
import { newId } from "../base/ids.ts";
import { createRunRetention } from "../runs/retention.ts";
import { createDatabase, type Database } from "../storage/database.ts";
import { silentLog } from "../storage/test-postgres.ts";
import { createCallList } from "./list-calls.ts";
import { createPartitions } from "./partitions.ts";
import { createRetention } from "./retention.ts";
import { insertCalls, type NewCallRow } from "./store.ts";
import { lowestIdAt } from "./time-of-id.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;
const organizationId = newId();

beforeEach(async () => {
  database = await createTestDatabase();
  db = createDatabase({ target: database.target, applicationName: "test", log: silentLog });
  await database.query("INSERT INTO organization (id, name) VALUES ($1, 'Ours')", [organizationId]);
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

const thisMonth = new Date();
/** A moment of the month that is so many after this one. */
const at = (months: number, day = 10) => new Date(Date.UTC(thisMonth.getUTCFullYear(), thisMonth.getUTCMonth() + months, day));
const idAt = (moment: Date) => `${lowestIdAt(moment).slice(0, 13)}-7000-8000-${newId().slice(-12)}`;
const nameOf = (table: string, months: number) => `${table}_${at(months).toISOString().slice(0, 7).replace("-", "_")}`;

const partitionsAt = (moment: Date, log = silentLog) => createPartitions({ db, target: database.target, log, readNow: async () => moment });

const callOf = (id: string, more: Partial<NewCallRow> = {}): NewCallRow => ({
  ...{ organizationId, id, source: "mcp", serverId: "slack", tool: "slack_send_message", status: "success" },
  ...{ apiKeyId: null, apiKeyName: null, oauthClientId: null, oauthClientName: null, userId: null, userName: null },
  ...{ parameters: "{}", credentials: "{}", errorCode: null, errorMessage: null, traceId: null, requestId: null, replayOf: null },
  ...{
    queuedAt: new Date(),
    startedAt: null,
    completedAt: new Date(),
    queueMs: 0,
    truncated: false,
    sanitized: false,
    owner: organizationId,
  },
  ...more,
});

async function insertRun(id: string, status: string): Promise<string> {
  await database.query(
    `INSERT INTO run (organization_id, id, workflow_id, workflow_version, kind, status, trigger_data, queued_at) VALUES ($1, $2, $1, 1, 'api', $3, '{}', now())`,
    [organizationId, id, status],
  );
  await database.query(
    `INSERT INTO run_node (organization_id, run_id, node_id, node_type, status, attempts, done, started_at, duration_ms) VALUES ($1, $2, 'a', 'start', 'succeeded', 1, 0, now(), 1)`,
    [organizationId, id],
  );
  return id;
}

const tablesOf = async (parent: string) =>
  (
    await database.query<{ name: string }>("SELECT relid::text AS name FROM pg_partition_tree($1) WHERE isleaf ORDER BY relid::text", [
      parent,
    ])
  ).map(({ name }) => name);
const placesOf = async (table: string, key = "id") =>
  Object.fromEntries(
    (await database.query<{ id: string; place: string }>(`SELECT ${key} AS id, tableoid::regclass::text AS place FROM ${table}`)).map(
      ({ id, place }) => [id, place],
    ),
  );

describe("the months of the history", () => {
  it("are made ahead, in all three tables, and take over what was dated after the last one", async () => {
    const [near, far] = [idAt(at(4)), idAt(at(40))];
    await insertCalls(db, [callOf(near), callOf(far)]);
    await insertRun(near, "succeeded");
    expect(await placesOf("tool_call")).toEqual({ [near]: "tool_call_future", [far]: "tool_call_future" });
    const { upkeep } = partitionsAt(at(3));
    expect(await upkeep.run()).toBe(9);
    expect(await placesOf("tool_call")).toEqual({ [near]: nameOf("tool_call", 4), [far]: "tool_call_future" });
    expect(await placesOf("run")).toEqual({ [near]: nameOf("run", 4) });
    expect(await placesOf("run_node", "run_id")).toEqual({ [near]: nameOf("run_node", 4) });
    for (const table of ["tool_call", "run", "run_node"])
      expect(await tablesOf(table)).toEqual(
        expect.arrayContaining([...[0, 1, 2, 3, 4].map((months) => nameOf(table, months)), `${table}_future`, `${table}_past`]),
      );
    expect(await upkeep.run()).toBe(0);
  });

  it("are written to directly while they are recent, and through the whole table otherwise", async () => {
    const { tableOf, upkeep } = partitionsAt(at(0));
    expect(tableOf("run", [idAt(at(0))])).toBe("run");
    await upkeep.run();
    expect(tableOf("run", [idAt(at(0, 1)), idAt(at(0, 28))])).toBe(nameOf("run", 0));
    expect(tableOf("run", [idAt(at(0)), idAt(at(1))])).toBe("run");
    expect(tableOf("run", [idAt(at(9))])).toBe("run");
    expect(tableOf("run", [idAt(at(-3))])).toBe("run");
  });

  it("refuse no id, whatever the clock says that made it", async () => {
    const { tableOf, upkeep, drop } = partitionsAt(at(5));
    await upkeep.run();
    await drop("tool_call", idAt(at(4)));
    const ids = [lowestIdAt(new Date(0)), idAt(at(-400)), idAt(at(0)), idAt(at(5)), idAt(at(400)), "ffffffff-ffff-ffff-ffff-ffffffffffff"];
    for (const id of ids) await insertCalls(db, [callOf(id)], tableOf);
    expect(Object.keys(await placesOf("tool_call")).sort()).toEqual(ids.sort());
  });

  it("are warned of when something is dated after all of them", async () => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    await partitionsAt(at(0), log).upkeep.run();
    expect(lines).toEqual([]);
    await insertCalls(db, [callOf(idAt(at(40)))]);
    await partitionsAt(at(0), log).upkeep.run();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { table: "tool_call_future", msg: expect.stringContaining("a clock is ahead") },
    ]);
  });

  it("are made once by many processes at the same time", async () => {
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    const made = await Promise.all(Array.from({ length: 5 }, () => partitionsAt(at(6), log).upkeep.run()));
    expect(lines).toEqual([]);
    expect(made.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(18);
    await partitionsAt(at(6)).upkeep.run();
    expect(await tablesOf("run_node")).toHaveLength(10);
  });
});

describe("retention", () => {
  const retain = (moment: Date, { keptDays = 90, keptRows = 1_000, log = silentLog } = {}) =>
    createRetention({ db, partitions: partitionsAt(moment), log, keptDays, keptRows, readNow: async () => moment }).run();
  const retainRuns = (moment: Date) =>
    createRunRetention({
      ...{ db, partitions: partitionsAt(moment), log: silentLog, keptDays: 90, keptRuns: 1_000, readNow: async () => moment },
    }).run();

  it("drops months of which all is too old, and nothing that is not", async () => {
    await partitionsAt(at(6)).upkeep.run();
    const [gone, kept] = [[at(-2), at(0), at(1), at(2, 28)].map(idAt), [at(3, 1), at(3), at(5), at(6)].map(idAt)];
    await insertCalls(
      db,
      [...gone, ...kept].map((id) => callOf(id)),
    );
    expect(await retain(at(6, 20))).toBe(0);
    expect(Object.keys(await placesOf("tool_call")).sort()).toEqual(kept.sort());
    expect(await tablesOf("tool_call")).toEqual(
      [...[3, 4, 5, 6, 7].map((months) => nameOf("tool_call", months)), "tool_call_future", "tool_call_past"].sort(),
    );
    const relations = "SELECT relname FROM pg_class WHERE relname LIKE $1";
    expect(await database.query(relations, [`${nameOf("tool_call", 1)}%`])).toEqual([]);
  });

  it("keeps a month in which something runs, but not what has ended in it", async () => {
    await partitionsAt(at(6)).upkeep.run();
    const running = callOf(idAt(at(1)), { status: "running", completedAt: null });
    await insertCalls(db, [callOf(idAt(at(0))), callOf(idAt(at(1))), running, callOf(idAt(at(2)))]);
    expect(await retain(at(6, 20))).toBe(2);
    expect(await placesOf("tool_call")).toEqual({ [running.id]: nameOf("tool_call", 1) });
    expect(await tablesOf("tool_call")).not.toContain(nameOf("tool_call", 0));
    await database.query("UPDATE tool_call SET status = 'success' WHERE id = $1", [running.id]);
    await retain(at(6, 20));
    expect(await placesOf("tool_call")).toEqual({});
    expect(await tablesOf("tool_call")).not.toContain(nameOf("tool_call", 1));
  });

  it("drops the nodes of runs with their months, and waits for runs that have not ended", async () => {
    await partitionsAt(at(6)).upkeep.run();
    await insertRun(idAt(at(0)), "succeeded");
    const waiting = await insertRun(idAt(at(1)), "waiting");
    const ended = await insertRun(idAt(at(1)), "failed");
    const kept = await insertRun(idAt(at(5)), "succeeded");
    expect(await retainRuns(at(6, 20))).toBe(1);
    expect(Object.keys(await placesOf("run")).sort()).toEqual([waiting, kept].sort());
    expect(Object.keys(await placesOf("run_node", "run_id")).sort()).toEqual([waiting, kept].sort());
    expect(await tablesOf("run")).not.toContain(nameOf("run", 0));
    expect(await placesOf("run")).not.toHaveProperty(ended);
    await database.query("UPDATE run SET status = 'cancelled' WHERE id = $1", [waiting]);
    await retainRuns(at(6, 20));
    for (const table of ["run", "run_node"]) expect(await tablesOf(table)).not.toContain(nameOf(table, 1));
    expect(Object.keys(await placesOf("run_node", "run_id"))).toEqual([kept]);
  });

  it("of few days does not wait for the end of a month, and never drops one that may still be written to", async () => {
    await partitionsAt(at(1)).upkeep.run();
    const [last, old, fresh] = [idAt(at(0, 20)), idAt(at(1, 1)), idAt(at(1, 3))];
    await insertCalls(db, [callOf(last), callOf(old), callOf(fresh)]);
    expect(await retain(at(1, 4), { keptDays: 2 })).toBe(2);
    expect(Object.keys(await placesOf("tool_call"))).toEqual([fresh]);
    expect(await tablesOf("tool_call")).toContain(nameOf("tool_call", 0));
    await retain(at(1, 9), { keptDays: 2 });
    expect(await tablesOf("tool_call")).not.toContain(nameOf("tool_call", 0));
  });

  it("is safe in two processes at once", async () => {
    await partitionsAt(at(6)).upkeep.run();
    const kept = idAt(at(6));
    await insertCalls(db, [callOf(idAt(at(0))), callOf(idAt(at(2))), callOf(kept)]);
    await Promise.all([
      retain(at(6, 20)),
      retain(at(6, 20)),
      retainRuns(at(6, 20)),
      retainRuns(at(6, 20)),
      partitionsAt(at(8)).upkeep.run(),
    ]);
    await retain(at(6, 20));
    expect(Object.keys(await placesOf("tool_call"))).toEqual([kept]);
    expect(await tablesOf("tool_call")).not.toContain(nameOf("tool_call", 2));
  });

  it("stops nobody from writing while it waits for somebody who reads", async () => {
    const { tableOf, upkeep } = partitionsAt(at(6));
    await upkeep.run();
    await insertCalls(db, [callOf(idAt(at(0)))]);
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => lines.push(line) });
    const reader = new pg.Client(database.target);
    await reader.connect();
    let written = 0;
    try {
      await reader.query("BEGIN; SELECT count(*) FROM tool_call");
      let isDone = false;
      const retention = retain(at(6, 20), { log }).finally(() => (isDone = true));
      // Each is refused if it takes two seconds.
      for (; !isDone; written += 2) {
        await insertCalls(db, [callOf(idAt(at(6)))], tableOf);
        await insertCalls(db, [callOf(idAt(at(6)))]);
      }
      await retention;
    } finally {
      await reader.end();
    }
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ reason: expect.stringContaining("lock timeout") }]);
    await retain(at(6, 20), { keptRows: 1_000_000 });
    expect(Object.keys(await placesOf("tool_call"))).toHaveLength(written);
    expect(await tablesOf("tool_call")).not.toContain(nameOf("tool_call", 0));
  });
});

describe("reading across months", () => {
  const last = new Date(at(1, 1).getTime() - 1);
  const first = at(1, 1);

  it("pages and exports without a gap or a repetition at the turn of the month", async () => {
    const ids = [last, last, first, first, at(2), at(9), at(-9)].map(idAt).sort().reverse();
    await insertCalls(
      db,
      ids.map((id) => callOf(id)),
    );
    const { list, exportLines } = createCallList({ db });
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list(organizationId, { limit: 2, cursor: cursor ?? undefined });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(ids);
    let text = "";
    for await (const lines of exportLines(organizationId, {})) text += lines;
    const exported = text.trim().split("\n");
    expect(exported.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(ids);
    const within = await list(organizationId, { limit: 10, from: last.toISOString(), to: new Date(first.getTime() + 1).toISOString() });
    expect(within.data).toHaveLength(4);
  });

  it("touches one table for one record, and the newest first for a page", async () => {
    await partitionsAt(at(6)).upkeep.run();
    const calls = [0, 1, 2, 3, 4, 5].flatMap((months) => Array.from({ length: 60 }, () => callOf(idAt(at(months)))));
    await insertCalls(db, calls);
    await database.query("VACUUM ANALYZE tool_call");
    const explain = async (text: string) =>
      (await database.query<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${text}`))
        .map((row) => row["QUERY PLAN"])
        .join("\n");
    const mine = `FROM tool_call WHERE organization_id = '${organizationId}'`;
    const one = await explain(`SELECT * ${mine} AND id = '${calls[70]?.id}'`);
    expect(one.match(/on tool_call_\w+/g)).toEqual([`on ${nameOf("tool_call", 1)}`]);
    const page = await explain(`SELECT id, tool ${mine} ORDER BY id DESC LIMIT 50`);
    const executed = page.split("->").filter((node) => / on tool_call_/.test(node) && !node.includes("never executed"));
    expect(executed.map((node) => / on (\w+)/.exec(node)?.[1])).toEqual([
      "tool_call_future",
      ...[7, 6, 5].map((months) => nameOf("tool_call", months)),
    ]);
  });
});
