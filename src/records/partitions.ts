import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../base/log.ts";
import { repeatWork } from "../base/repeat-work.ts";
import { type ConnectionTarget, createDatabase, type Database, type Sql } from "../storage/database.ts";
import { readDatabaseTime } from "../storage/database-time.ts";
import {
  dropPartitions,
  isEmpty,
  isInUse,
  listPartitions,
  lockPartitions,
  type Partition,
  type PartitionedTable,
  partitionedTables,
  splitFuture,
} from "./partition-store.ts";
import type { TableOf } from "./table-of.ts";
import { lowestIdAt, timeOfLowestId } from "./time-of-id.ts";

export type Partitions = ReturnType<typeof createPartitions>;

type Options = {
  db: Database;
  /** For the connection on which old months are looked through and dropped. */
  target: ConnectionTarget;
  log: Log;
  /** By the clock of the database unless given. */
  readNow?: () => Promise<Date>;
  intervalMs?: number;
};

/** With this month: the next one must be there before it begins. */
const monthsAhead = 2;
/** Whoever wants the whole table waits behind us for as long; those that write to a month of their own do not. */
const mostWaitMs = 200;
const attempts = 5;
const pauseMs = 300;
const lookThroughLimitMs = 600_000;
const dayMs = 86_400_000;
/** A month is written to directly until a day after its end, and dropped a week after it at the earliest: no process names a table that is gone. */
const directForMs = dayMs;
const neverDroppedForMs = 7 * dayMs;

/**
 * The tables of calls, runs and nodes, divided by month. Months are made ahead; what no month fits, because a clock is wrong,
 * lies before or after them, so that nothing is ever refused.
 */
export function createPartitions({
  db,
  target,
  log,
  readNow = () => readDatabaseTime(db),
  intervalMs = 300_000,
}: Options) {
  let known: Partition[] = [];
  let direct: Partition[] = [];

  async function look(): Promise<Date> {
    const now = await readNow();
    known = await db.transaction((sql) => listPartitions(sql));
    // Rows leave the future when a month is made. From a month and from the past they never go elsewhere.
    direct = known.filter(({ high }) => high !== null && high > lowestIdAt(new Date(now.getTime() - directForMs)));
    return now;
  }

  async function makeMonths(now: Date): Promise<number> {
    const until = lowestIdAt(startOfMonth(now, monthsAhead));
    let made = 0;
    for (const table of partitionedTables) {
      if (
        !known.some(
          ({ high, ...partition }) => partition.table === table && high === null && (partition.low ?? "") < until,
        )
      )
        continue;
      made += await whenUnlocked(() => db.transaction((sql) => splitUntil(sql, table, until)));
    }
    return made;
  }

  async function warnOfFuture(): Promise<void> {
    for (const future of known.filter(({ high }) => high === null))
      if (!(await db.transaction((sql) => isEmpty(sql, future))))
        log.warn(
          { table: future.name },
          "records are dated after all months there are: a clock is ahead, or the making of months fails",
        );
  }

  async function keepUp(): Promise<number> {
    const made = await makeMonths(await look());
    if (made > 0) await look();
    await warnOfFuture();
    return made;
  }

  return {
    tableOf: ((table, ids) =>
      direct.find((partition) => partition.table === table && ids.every((id) => isWithin(partition, id)))?.name ??
      table) as TableOf,

    /** Makes the months that are needed soon. */
    upkeep: repeatWork({ log, intervalMs, work: keepUp, failure: "the months of the history were not kept up" }),

    /** Drops partitions of which all is older and nothing is unfinished, oldest first. */
    async drop(table: PartitionedTable, oldestKept: string): Promise<string[]> {
      const latest = lowestIdAt(new Date((await look()).getTime() - neverDroppedForMs));
      const beforeId = oldestKept < latest ? oldestKept : latest;
      const old = known.filter((partition) => partition.table === table && isOlder(partition, beforeId));
      if (await db.transaction((sql) => isNothing(sql, old))) return [];
      const patient = createDatabase({
        target,
        applicationName: "switchyard upkeep",
        poolSize: 1,
        limitMs: lookThroughLimitMs,
        log,
      });
      try {
        const names = await whenUnlocked(() => patient.transaction((sql) => dropOld(sql, table, beforeId)));
        if (names.length > 0) log.info({ tables: names }, "old records were dropped with their months");
        return names;
      } finally {
        await patient.close();
        await look();
      }
    },

    /** Where the month of this id begins; undefined when it lies in none. */
    beginOfMonth: (table: PartitionedTable, id: string): string | undefined =>
      known.find((partition) => partition.table === table && isWithin(partition, id))?.low ?? undefined,
  };
}

const isWithin = ({ low, high }: Partition, id: string): boolean =>
  (low === null || id >= low) && (high === null || id < high);
const isOlder = ({ high }: Partition, id: string): boolean => high !== null && high <= id;

const startOfMonth = (moment: Date, monthsLater: number): Date =>
  new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + monthsLater));

/** How many months were made; none when another process is at it. */
async function splitUntil(sql: Sql, table: PartitionedTable, until: string): Promise<number> {
  if (!(await lockPartitions(sql, mostWaitMs))) return 0;
  let future = (await listPartitions(sql, [table])).find(({ high }) => high === null);
  let made = 0;
  for (; future?.low && future.low < until; made++) {
    const begin = timeOfLowestId(future.low);
    const name = `${table}_${begin.toISOString().slice(0, 7).replace("-", "_")}`;
    future = await splitFuture(sql, future, { name, high: lowestIdAt(startOfMonth(begin, 1)) });
  }
  return made;
}

async function dropOld(sql: Sql, table: PartitionedTable, beforeId: string): Promise<string[]> {
  if (!(await lockPartitions(sql, mostWaitMs))) return [];
  const dropped: Partition[] = [];
  for (const partition of await listPartitions(sql, [table])) {
    if (!isOlder(partition, beforeId) || (await isInUse(sql, partition))) break;
    dropped.push(partition);
  }
  if (await isNothing(sql, dropped)) return [];
  await dropPartitions(sql, table, dropped);
  return dropped.map(({ name }) => name);
}

/** There is always a past; when it is empty there is nothing to drop in it. */
async function isNothing(sql: Sql, [past, ...months]: Partition[]): Promise<boolean> {
  return past === undefined || (months.length === 0 && (await isEmpty(sql, past)));
}

/** Again after a while when somebody uses the table for longer than others may be made to wait. */
async function whenUnlocked<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isLocked = (error as { code?: string }).code === "55P03";
      if (!isLocked || attempt === attempts) throw error;
      await delay(pauseMs * attempt);
    }
  }
}
