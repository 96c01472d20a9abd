import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { newId } from "../../src/base/ids.ts";
import { Refusal } from "../../src/base/refusal.ts";
import { createCallRetention } from "../../src/history/call-retention.ts";
import { type ArrivedCall, createRecorder } from "../../src/history/record.ts";
import { createSweep } from "../../src/history/sweep.ts";
import { createPartitions } from "../../src/records/partitions.ts";
import { lowestIdAt } from "../../src/records/time-of-id.ts";
import { createDatabase, type Database } from "../../src/storage/database.ts";
import { openDatabaseLink } from "../support/storage/database-link.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";
import { silentLog } from "../support/storage/test-postgres.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;
let organizationId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase({ target: database.target, applicationName: "test", log: silentLog });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});
beforeEach(async () => {
  await database.query("TRUNCATE tool_call, recorder");
  organizationId = newId();
  await database.query("INSERT INTO organization (id, name) VALUES ($1, 'Team')", [organizationId]);
});

const callOf = (more: Partial<ArrivedCall> = {}): ArrivedCall => ({
  organizationId,
  id: newId(),
  source: "mcp",
  serverId: "slack",
  tool: "slack_send_message",
  parameters: {},
  credentials: {},
  queueMs: 0,
  ...more,
});
const openRecorder = (over: Database = db, onChange: (changed: { id: string }[]) => void = () => {}) =>
  createRecorder({ db: over, clock: systemClock, log: silentLog, onChange });
const success = { status: "success", outputs: { items: [] }, durationMs: 1 } as const;
const statuses = async () =>
  Object.fromEntries(
    (await database.query<{ id: string; status: string }>("SELECT id, status FROM tool_call")).map(({ id, status }) => [
      id,
      status,
    ]),
  );
const isRecordUnavailable = (error: unknown) =>
  error instanceof Refusal && error.code === "record_unavailable" && error.status === 503;

describe("64 callers at once", () => {
  it("each have one committed row when they are answered, in few statements", async () => {
    const changes: number[] = [];
    const recorder = openRecorder(db, (changed) => changes.push(changed.length));
    const calls = Array.from({ length: 64 }, () => callOf());
    await Promise.all(
      calls.map(async (call) => {
        await recorder.open(call);
        const [row] = await database.query<{ status: string }>("SELECT status FROM tool_call WHERE id = $1", [call.id]);
        expect(row?.status).toBe("running");
        await recorder.close(call, success);
      }),
    );
    expect(await statuses()).toEqual(Object.fromEntries(calls.map(({ id }) => [id, "success"])));
    expect(changes.reduce((sum, count) => sum + count, 0)).toBe(128);
    expect(changes[1]).toBe(63);
  });

  it("are not harmed by one whose row cannot be written", async () => {
    const recorder = openRecorder();
    const calls = Array.from({ length: 64 }, (_, index) => callOf(index === 40 ? { apiKeyId: "not an id" } : {}));
    const outcomes = await Promise.allSettled(calls.map((call) => recorder.open(call)));
    expect(
      outcomes.flatMap((outcome, index) =>
        outcome.status === "rejected" ? [[index, isRecordUnavailable(outcome.reason)]] : [],
      ),
    ).toEqual([[40, true]]);
    expect(Object.keys(await statuses())).toHaveLength(63);
    const closed = await Promise.allSettled(calls.map((call) => recorder.close(call, success)));
    expect(closed.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(["success"]));
  });

  it("write large outputs too", async () => {
    const recorder = openRecorder();
    const calls = Array.from({ length: 32 }, () => callOf());
    await Promise.all(calls.map((call) => recorder.open(call)));
    await Promise.all(calls.map((call) => recorder.close(call, { ...success, outputs: "x".repeat(1_000_000) })));
    const [row] = await database.query<{ bytes: number }>("SELECT sum(length(outputs))::int AS bytes FROM tool_call");
    expect(row?.bytes).toBe(32 * 1_000_002);
  });
});

describe("a call", () => {
  it("is opened, closed and refused again without a second row or another end", async () => {
    const recorder = openRecorder();
    const call = callOf();
    for (let attempt = 0; attempt < 2; attempt++) await recorder.open(call);
    await recorder.close(call, success);
    await recorder.open(call);
    await recorder.close(call, { status: "failed", error: { code: "x", message: "y" }, durationMs: 5 });
    await recorder.refused(call, { code: "x", message: "y" });
    expect(await statuses()).toEqual({ [call.id]: "success" });
  });

  it("that was never opened cannot be closed", async () => {
    await expect(openRecorder().close(callOf(), success)).rejects.toSatisfy(isRecordUnavailable);
  });

  it("needs an id of version 7", async () => {
    await expect(openRecorder().open(callOf({ id: crypto.randomUUID() }))).rejects.toThrow("version 7");
  });
});

describe("a database that is away", () => {
  it("is told to the caller within about two seconds", async () => {
    const link = await openDatabaseLink(database);
    const far = createDatabase({ target: { connectionString: link.url }, applicationName: "far", log: silentLog });
    try {
      const recorder = openRecorder(far);
      const call = callOf();
      await recorder.open(call);
      link.cut();
      const startedAt = performance.now();
      await expect(recorder.close(call, success)).rejects.toSatisfy(isRecordUnavailable);
      await expect(recorder.open(callOf())).rejects.toSatisfy(isRecordUnavailable);
      await expect(recorder.refused(callOf(), { code: "x", message: "y" })).rejects.toSatisfy(isRecordUnavailable);
      expect(performance.now() - startedAt).toBeLessThan(7_000);
      expect(await statuses()).toEqual({ [call.id]: "running" });
    } finally {
      await far.close();
    }
  });

  it("and comes back: large ends that were kept do not hold up the end of a call that has just run", async () => {
    const link = await openDeafLink();
    const far = createDatabase({ target: { connectionString: link.url }, applicationName: "far", log: silentLog });
    const written: number[] = [];
    try {
      const recorder = createRecorder({
        db: far,
        clock: systemClock,
        log: silentLog,
        onChange: () => {},
        onBatch: (rows) => void written.push(rows),
      });
      const kept = Array.from({ length: 60 }, () => callOf());
      const live = callOf();
      await Promise.all([...kept, live].map((call) => recorder.open(call)));
      link.lose("connections");
      const outputs = "x".repeat(1_000_000);
      const told = await Promise.allSettled(kept.map((call) => recorder.close(call, { ...success, outputs })));
      expect(new Set(told.map(({ status }) => status))).toEqual(new Set(["rejected"]));
      link.lose("nothing");
      await expect
        .poll(() =>
          far.prepared({ name: "", text: "SELECT 1" }, []).then(
            () => "back",
            () => "away",
          ),
        )
        .toBe("back");
      written.length = 0;
      const settling = recorder.settle();
      await recorder.close(live, success);
      await settling;
      expect(Math.max(...written)).toBeLessThanOrEqual(4);
      const settled = async () => {
        await recorder.settle();
        return await database.query(
          "SELECT status, count(*)::int, sum(length(outputs))::int AS length FROM tool_call GROUP BY status",
        );
      };
      const length = 60 * 1_000_002 + '{"items":[]}'.length;
      await expect.poll(settled, { timeout: 10_000 }).toEqual([{ status: "success", count: 61, length }]);
    } finally {
      await far.close();
      link.close();
    }
  }, 30_000);

  it("and loses the reply of a commit: told as failed, and the row is not left open", async () => {
    const link = await openDeafLink();
    const far = createDatabase({
      target: { connectionString: link.url },
      applicationName: "far",
      poolSize: 2,
      log: silentLog,
    });
    try {
      const recorder = openRecorder(far);
      const [closing, opening, repeated] = [callOf(), callOf(), callOf()];
      await recorder.open(closing);
      await Promise.all([1, 2].map(() => far.prepared({ name: "", text: "SELECT pg_sleep(0.1)" }, [])));
      link.lose("answers");
      const told = await Promise.allSettled([
        recorder.close(closing, success),
        recorder.open(opening),
        recorder.open(repeated),
      ]);
      expect(told.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
      link.lose("nothing");
      expect(await statuses()).toEqual({ [closing.id]: "success", [opening.id]: "running" });
      await recorder.close(closing, success);
      await recorder.open(repeated);
      await recorder.settle();
      expect(await statuses()).toEqual({ [closing.id]: "success", [opening.id]: "failed", [repeated.id]: "running" });
      await recorder.close(repeated, success);
      expect((await statuses())[repeated.id]).toBe("success");
    } finally {
      await far.close();
      link.close();
    }
  }, 30_000);
});

describe("the calls of a process that died", () => {
  const running: ReturnType<typeof createSweep>[] = [];
  const startSweep = (recorder = openRecorder(), options: Partial<Parameters<typeof createSweep>[0]> = {}) => {
    const sweep = createSweep({
      db,
      recorder,
      log: silentLog,
      onChange: () => {},
      beatIntervalMs: 100,
      silentMs: 600,
      ...options,
    });
    running.push(sweep);
    sweep.start();
    return sweep;
  };
  afterEach(async () => {
    await Promise.all(running.splice(0).map((sweep) => sweep.stop()));
  });

  it("are closed as interrupted by another one, and calls of living processes are not", async () => {
    const [dead, living, other] = [openRecorder(), openRecorder(), openRecorder()];
    const [lost, kept] = [callOf(), callOf()];
    await Promise.all([dead.open(lost), living.open(kept)]);
    const changed: string[] = [];
    const onChange = (changes: { id: string }[]) => void changed.push(...changes.map(({ id }) => id));
    startSweep(living, { onChange });
    startSweep(other, { onChange });
    await expect.poll(statuses, { timeout: 5_000 }).toEqual({ [lost.id]: "interrupted", [kept.id]: "running" });
    await delay(1_500);
    expect(await statuses()).toEqual({ [lost.id]: "interrupted", [kept.id]: "running" });
    const [row] = await database.query(
      "SELECT error_code, completed_at IS NOT NULL AS ended FROM tool_call WHERE id = $1",
      [lost.id],
    );
    expect(row).toEqual({ error_code: "interrupted", ended: true });
    expect(changed).toEqual([lost.id]);
    await living.close(kept, success);
    expect((await statuses())[kept.id]).toBe("success");
  });

  it("are all closed, also when there are more than one statement takes", async () => {
    await database.query(
      `INSERT INTO tool_call (organization_id, id, source, server_id, tool, status, parameters, credentials, queued_at, queue_ms, truncated, sanitized, owner, changed_at)
       SELECT $1, uuidv7(), 'mcp', 'slack', 'x', 'running', '{}', '{}', now(), 0, false, false, $1, now() - interval '1 minute' FROM generate_series(1, 2500)`,
      [organizationId],
    );
    startSweep(openRecorder(), { beatIntervalMs: 1_500, silentMs: 1_000 });
    // Before the third beat: the second must have closed them all.
    await expect
      .poll(async () => new Set(Object.values(await statuses())), { timeout: 2_700 })
      .toEqual(new Set(["interrupted"]));
  });

  it("are left alone until the living had time to be heard after an outage", async () => {
    const living = openRecorder();
    const call = callOf();
    await living.open(call);
    await database.query("UPDATE tool_call SET changed_at = now() - interval '1 hour'");
    await database.query("INSERT INTO recorder (id, seen_at) VALUES ($1, now() - interval '10 minutes')", [
      living.owner,
    ]);
    startSweep();
    await delay(300);
    startSweep(living);
    await delay(1_500);
    expect(await statuses()).toEqual({ [call.id]: "running" });
  });

  it("are left alone after an outage also by a process that recorded nothing itself", async () => {
    const link = await openDeafLink();
    const far = createDatabase({ target: { connectionString: link.url }, applicationName: "far", log: silentLog });
    const living = openRecorder();
    const call = callOf();
    const beatAt = (moment: string) => database.query(`UPDATE recorder SET seen_at = now() + interval '${moment}'`);
    try {
      await living.open(call);
      await database.query("UPDATE tool_call SET changed_at = now() - interval '1 hour'");
      await database.query("INSERT INTO recorder (id, seen_at) VALUES ($1, now() + interval '1 hour')", [living.owner]);
      startSweep(openRecorder(far), { db: far });
      await delay(1_000);
      link.lose("connections");
      await beatAt("-10 minutes");
      await delay(2_000);
      link.lose("nothing");
      await delay(450);
      await beatAt("1 hour");
      await delay(1_500);
      expect(await statuses()).toEqual({ [call.id]: "running" });
      await beatAt("-10 minutes");
      await expect.poll(statuses, { timeout: 5_000 }).toEqual({ [call.id]: "interrupted" });
    } finally {
      await Promise.all(running.splice(0).map((sweep) => sweep.stop()));
      await far.close();
      link.close();
    }
  }, 30_000);

  it("get their true end when the process was only asleep", async () => {
    const asleep = openRecorder();
    const call = callOf();
    await asleep.open(call);
    startSweep();
    await expect.poll(statuses, { timeout: 5_000 }).toEqual({ [call.id]: "interrupted" });
    await asleep.close(call, success);
    expect(await statuses()).toEqual({ [call.id]: "success" });
  });
});

describe("retention", () => {
  const daysAgo = (days: number) =>
    lowestIdAt(new Date(Date.now() - days * 86_400_000)).replace("-0000-0000-0000", `-7000-8000-${newId().slice(-4)}`);
  const partitions = () => createPartitions({ db, target: database.target, log: silentLog });
  const retain = (keptDays: number, keptRows: number) =>
    createCallRetention({ db, partitions: partitions(), log: silentLog, keptDays, keptRows, batchSize: 7 }).run();

  it("removes what is too old, but nothing that runs", async () => {
    const recorder = openRecorder();
    const old = Array.from({ length: 20 }, (_, index) => callOf({ id: daysAgo(91 + index) }));
    const fresh = [callOf({ id: daysAgo(89) }), callOf()];
    const running = callOf({ id: daysAgo(100) });
    for (const call of [...old, ...fresh]) await recorder.refused(call, { code: "x", message: "y" });
    await recorder.open(running);
    expect(await retain(90, 1_000)).toBe(20);
    expect(Object.keys(await statuses()).sort()).toEqual([...fresh, running].map(({ id }) => id).sort());
  });

  it("keeps the newest rows of each organization", async () => {
    const recorder = openRecorder();
    const otherId = newId();
    await database.query("INSERT INTO organization (id, name) VALUES ($1, 'Other')", [otherId]);
    const mine = Array.from({ length: 30 }, () => callOf());
    const theirs = Array.from({ length: 5 }, () => callOf({ organizationId: otherId }));
    for (const call of [...mine, ...theirs]) await recorder.refused(call, { code: "x", message: "y" });
    expect(await retain(90, 10)).toBe(20);
    expect(Object.keys(await statuses()).sort()).toEqual([...mine.slice(20), ...theirs].map(({ id }) => id).sort());
  });

  it("removes everything of an organization that is gone", async () => {
    const recorder = openRecorder();
    for (let index = 0; index < 10; index++)
      await recorder.refused(callOf({ organizationId: newId() }), { code: "x", message: "y" });
    await recorder.refused(callOf(), { code: "x", message: "y" });
    expect(await retain(90, 1_000)).toBe(10);
  });

  it("is done by one process at a time", async () => {
    const recorder = openRecorder();
    for (let index = 0; index < 30; index++) await recorder.refused(callOf(), { code: "x", message: "y" });
    const removed = await Promise.all([retain(90, 5), retain(90, 5), retain(90, 5)]);
    expect(removed.reduce((sum, count) => sum + count, 0)).toBe(25);
    await retain(90, 5);
    expect(Object.keys(await statuses())).toHaveLength(5);
  });
});

/** A way to the database that can be closed, or lose the answers. */
async function openDeafLink() {
  let lost: "nothing" | "answers" | "connections" = "nothing";
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(`${database.target.host}/.s.PGSQL.${database.target.port}`);
    for (const socket of [near, far])
      sockets.add(socket.on("error", () => {}).on("close", () => [near, far].map((end) => end.destroy())));
    if (lost === "connections") near.destroy();
    near.on("data", (chunk) => far.write(chunk));
    far.on("data", (chunk) => lost !== "nothing" || near.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `postgres://${database.target.user}@127.0.0.1:${port}/${database.target.database}?sslmode=disable`,
    lose(what: typeof lost) {
      lost = what;
      if (what === "connections") for (const socket of sockets) socket.destroy();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
