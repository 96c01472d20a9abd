import { createHash } from "node:crypto";
import { PgBoss } from "pg-boss";
import type { Log } from "../../base/log.ts";
import type { ConnectionTarget, Sql, Statement } from "../../storage/database.ts";

/** A run that this process took out of the queue. `retryCount` names the attempt, so that a late process settles nothing. */
export type Claim = { id: string; organizationId: string; retryCount: number };

export type RunQueue = ReturnType<typeof createRunQueue>;

type Entry = { id: string; organizationId: string; startAfter?: Date | null };

type Options = {
  target: ConnectionTarget;
  log: Log;
  /** Whether this process looks for claims of processes that fell silent. */
  supervises: boolean;
};

const schema = "run_queue";
const queueName = "run";
const deadQueueName = "run_dead";
// pg-boss takes no shorter one.
const heartbeatSeconds = 10;

// Never waits, as ARCHITECTURE.md says (One order of locks): who is just taking a claim may wait for the run itself, which the caller has locked.
const removeWhere = (condition: string): Statement => ({
  name: "",
  text: `DELETE FROM ${schema}.job WHERE name = '${queueName}' AND id IN
           (SELECT id FROM ${schema}.job WHERE name = '${queueName}' AND id = ANY ($1::uuid[]) AND ${condition} FOR UPDATE SKIP LOCKED)`,
});
const removeStatement = removeWhere("true");
const removeIdleStatement = removeWhere("state <> 'active'");
const existingStatement: Statement = {
  name: "",
  text: `SELECT id FROM ${schema}.job WHERE name = '${queueName}' AND id = ANY ($1::uuid[])`,
};
const holdStatement: Statement = {
  name: "run_queue_hold",
  text: `SELECT id FROM ${schema}.job WHERE name = '${queueName}' AND id = $1 AND retry_count = $2 AND state = 'active' FOR UPDATE`,
};
const yearSeconds = 365 * 24 * 3600;

/**
 * Hands runs out to processes: each to one at a time, and anew when a process dies. It holds ids only; what a run is stands in the table.
 * Everything that must be true together with the run row goes through the caller's own transaction.
 */
export function createRunQueue({ target, log, supervises }: Options) {
  const boss = createBoss({ target, log, supervises });

  async function insert(sql: Sql, entries: Entry[]): Promise<void> {
    const jobs = entries.map(({ id, organizationId, startAfter }) => ({
      id,
      group: { id: organizationId },
      ...(startAfter ? { startAfter: startAfter.toISOString() } : {}),
    }));
    if (jobs.length > 0) await boss.insert(queueName, jobs, through(sql));
  }

  /** Those that have no place, judged without waiting: to insert one that is just being taken would wait for whoever takes it. */
  async function insertMissing(sql: Sql, entries: Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const existing = new Set(
      (await sql<{ id: string }>(existingStatement, [entries.map(({ id }) => id)])).map(({ id }) => id),
    );
    await insert(
      sql,
      entries.filter(({ id }) => !existing.has(id)),
    );
  }

  return {
    async start(): Promise<void> {
      await boss.start();
      await createQueues(boss);
    },

    insert,
    insertMissing,
    ...places,

    /** Locks the place of a claim in the queue, and says whether nobody claimed it since: to be called before its run is locked. */
    async hold(sql: Sql, { id, retryCount }: Claim): Promise<boolean> {
      return (await sql(holdStatement, [id, retryCount])).length > 0;
    },

    /** The oldest first, without those of organizations that could not use them. `most` should be a power of two, so that there are few different statements. */
    async take(sql: Sql, { most, without }: { most: number; without: string[] }): Promise<Claim[]> {
      const jobs = await boss.fetch(queueName, {
        batchSize: most,
        ...(without.length > 0 ? { ignoreGroups: without } : {}),
        ...through(sql),
      });
      return jobs.map(({ id, groupId, retryCount }) => ({ id, organizationId: groupId ?? "", retryCount }));
    },

    /** Those that are still this process's. */
    async keep(sql: Sql, claims: Claim[]): Promise<Set<string>> {
      // The types of pg-boss leave out the ids it answers with.
      const answer: { settled?: string[] } = await boss.touch(queueName, claims, through(sql));
      return new Set(answer.settled);
    },

    async remove(sql: Sql, claims: Claim[]): Promise<void> {
      if (claims.length > 0) await boss.deleteJob(queueName, claims, through(sql));
    },

    /** Whoever has the claim loses it. */
    async removeAll(sql: Sql, runs: { id: string }[]): Promise<void> {
      if (runs.length > 0) await sql(removeStatement, [runs.map(({ id }) => id)]);
    },

    /** Makes them due now, unless a process has claimed one or is just claiming it: that one finds out by itself what has changed. */
    async wake(sql: Sql, runs: { id: string; organizationId: string }[]): Promise<void> {
      if (runs.length > 0) await sql(removeIdleStatement, [runs.map(({ id }) => id)]);
      await insertMissing(sql, runs);
    },

    /** Gives claims back for another process to take at once. */
    async giveBack(sql: Sql, claims: Claim[]): Promise<void> {
      if (claims.length > 0) await boss.fail(queueName, claims, null, through(sql));
    },

    /** Runs that every process failed at which tried them. */
    async takeDead(sql: Sql): Promise<Claim[]> {
      const jobs = await boss.fetch(deadQueueName, { batchSize: 16, includeMetadata: true, ...through(sql) });
      const ids = jobs.map(({ id }) => id);
      if (ids.length > 0) await boss.deleteJob(deadQueueName, ids, through(sql));
      return jobs.map(({ id, sourceId, groupId, retryCount }) => ({
        id: sourceId ?? id,
        organizationId: groupId ?? "",
        retryCount,
      }));
    },

    async stop(): Promise<void> {
      await boss.stop({ graceful: false, close: true });
    },
  };
}

/** What needs the table alone. */
const places = {
  /** Some runs of an organization, whether a process has them or not: in the order of their ids, after the given one. */
  async listOf(sql: Sql, organizationId: string, { afterId, limit }: { afterId: string | undefined; limit: number }) {
    const text = `SELECT id FROM ${schema}.job WHERE name = '${queueName}' AND group_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`;
    return (await sql<{ id: string }>({ name: "", text }, [organizationId, afterId ?? null, limit])).map(
      ({ id }) => id,
    );
  },

  /** Runs of an organization that processes have claimed; they could begin at any moment. */
  async listClaimed(sql: Sql, organizationId: string, { limit }: { limit: number }): Promise<string[]> {
    const text = `SELECT id FROM ${schema}.job WHERE name = '${queueName}' AND group_id = $1 AND state = 'active' ORDER BY id LIMIT $2`;
    return (await sql<{ id: string }>({ name: "", text }, [organizationId, limit])).map(({ id }) => id);
  },

  async clear(sql: Sql): Promise<void> {
    await sql({ name: "", text: `DELETE FROM ${schema}.job` }, []);
  },
};

function createBoss({ target, log, supervises }: Options): PgBoss {
  const boss = new PgBoss({
    ...target,
    ...("host" in target && target.host.startsWith("/") ? { ssl: false } : {}),
    application_name: "switchyard queue",
    schema,
    max: 2,
    schedule: false,
    supervise: supervises,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    connectionTimeoutMillis: 2_000,
  });
  boss.on("error", (error: Error) => log.warn({ reason: error.message }, "the queue of runs has trouble"));
  return boss;
}

async function createQueues(boss: PgBoss): Promise<void> {
  const shared = { retentionSeconds: 10 * yearSeconds, deleteAfterSeconds: 1 };
  await boss.createQueue(deadQueueName, shared);
  await boss.createQueue(queueName, {
    ...shared,
    partition: true,
    heartbeatSeconds,
    expireInSeconds: 24 * 3600,
    retryLimit: 20,
    retryDelay: 0,
    deadLetter: deadQueueName,
  });
}

const names = new Map<string, string>();

/** Runs the queue's statements on the caller's connection, parsed once per connection. */
function through(sql: Sql) {
  return {
    db: {
      async executeSql(text: string, values: unknown[] = []) {
        return { rows: await sql<Record<string, unknown>>({ name: nameOf(text), text }, values) };
      },
    },
  };
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `queue_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
  names.set(text, name);
  return name;
}
