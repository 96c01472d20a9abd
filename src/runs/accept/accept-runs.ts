import { createBatch } from "../../base/batch.ts";
import { Refusal } from "../../base/refusal.ts";
import type { TableOf } from "../../records/table-of.ts";
import { timeOfId } from "../../records/time-of-id.ts";
import type { Database, Sql } from "../../storage/database.ts";
import { isDatabaseUnavailable } from "../../storage/database-errors.ts";
import { findActiveTriggers, findUnfinished, insertRuns, type NewRun, type RunPlace } from "../store.ts";
import { onPool } from "../walk/checkpoint-store.ts";
import { claimOnce, findOnce, type KnownOnce, type Once } from "./once-store.ts";

export type RunToAccept = {
  row: NewRun;
  once: { key: string; requestSha256: Buffer } | undefined;
  evenIfOff?: boolean | undefined;
  /** What goes in together with the run, such as nodes that another run has finished. */
  alsoInsert?: ((sql: Sql) => Promise<void>) | undefined;
};

export type AcceptedRun = { id: string; createdAt: Date; isReplay: boolean };

/** Claims that were taken inside a transaction: `begin` is for after its commit, `giveUp` for when it failed. */
export type TakenClaims = { begin: () => void; giveUp: () => void };

type Options = {
  db: Database;
  tableOf: TableOf;
  insertIntoQueue: (sql: Sql, rows: NewRun[]) => Promise<void>;
  /** Claims runs for this process while it has room. */
  claimIn: (sql: Sql, fresh: NewRun[]) => Promise<TakenClaims | undefined>;
  /** Takes them in a transaction of its own, for where the run that calls them is locked: to take others as well would wait for their runs. */
  wake: () => void;
  /** Names this process. */
  owner: string;
  onChange: (accepted: NewRun[]) => void;
};

/** Stores runs with their place in the queue. All that arrive at the same time share a transaction. */
export function createAcceptRuns({ db, tableOf, insertIntoQueue, claimIn, wake, owner, onChange }: Options) {
  const flush = async (requests: RunToAccept[]): Promise<(AcceptedRun | Refusal)[]> => {
    let claim: TakenClaims | undefined;
    try {
      const { answers, rows } = await db.transaction(async (sql) => {
        claim?.giveUp();
        claim = undefined;
        const sorted = await sort(sql, requests);
        const fresh = requests.filter((_, index) => isFresh(sorted[index]));
        const newRows = fresh.map(({ row }) => row);
        await insertRuns(sql, owner, newRows, tableOf);
        for (const { alsoInsert } of fresh) await alsoInsert?.(sql);
        await insertIntoQueue(sql, newRows);
        if (newRows.length > 0 && !newRows.some(isCalled)) claim = await claimIn(sql, newRows);
        return { answers: sorted, rows: newRows };
      });
      claim?.begin();
      if (rows.some(isCalled)) wake();
      onChange(rows);
      return answers;
    } catch (error) {
      claim?.giveUp();
      throw error;
    }
  };
  // Not all at once: while the database stores some, this process executes others. Those who wait for their runs come back a few at a time,
  // and a transaction costs much more than one more run in it.
  const batch = createBatch({ flush, maxItems: 32, gatherMs: 3, isFatal: isDatabaseUnavailable });

  return async (request: RunToAccept): Promise<AcceptedRun> => {
    const answer = await batch.add(request);
    if (answer instanceof Refusal) throw answer;
    return answer;
  };
}

const isCalled = ({ parentRunId }: NewRun): boolean => parentRunId !== null;

const isFresh = (answer: AcceptedRun | Refusal | undefined): boolean =>
  !(answer instanceof Refusal) && answer?.isReplay === false;

/** What each request is answered: a run of its own, the one that was there before, or a refusal. */
async function sort(sql: Sql, requests: RunToAccept[]): Promise<(AcceptedRun | Refusal)[]> {
  const triggerOf = ({ row, evenIfOff }: RunToAccept) => (evenIfOff ? [] : placesOf(row, row.triggerId));
  const parentOf = ({ row }: RunToAccept) => placesOf(row, row.parentRunId);
  const active = toKeys(await findActiveTriggers(sql, requests.flatMap(triggerOf)));
  const unfinished = toKeys(await findUnfinished(sql, requests.flatMap(parentOf)));
  const isOff = (request: RunToAccept) => triggerOf(request).some((place) => !active.has(toKey(place)));
  const isOrphan = (request: RunToAccept) => parentOf(request).some((place) => !unfinished.has(toKey(place)));
  const firsts = new Map<string, Once>();
  for (const { row, once } of requests.filter((request) => !isOff(request) && !isOrphan(request))) {
    const key = once && placeOfKey(row.organizationId, once.key);
    if (once && key && !firsts.has(key))
      firsts.set(key, { organizationId: row.organizationId, runId: row.id, ...once });
  }
  const owners = new Map(
    (await claimOnce(sql, [...firsts.values()])).map((once) => [placeOfKey(once.organizationId, once.key), once]),
  );
  return requests.map((request) => {
    if (isOff(request)) return new Refusal("trigger_off", "This trigger is turned off.");
    if (isOrphan(request)) return new Refusal("run_finished", "The run that calls this workflow has ended already.");
    const { row, once } = request;
    const owner = once && owners.get(placeOfKey(row.organizationId, once.key));
    if (!owner || owner.runId === row.id) return { id: row.id, createdAt: row.queuedAt, isReplay: false };
    return once.requestSha256.equals(owner.requestSha256) ? toReplay(owner) : keyReused();
  });
}

const placesOf = ({ organizationId }: NewRun, id: string | null): RunPlace[] =>
  id === null ? [] : [{ organizationId, id }];

const toKey = ({ organizationId, id }: RunPlace): string => placeOfKey(organizationId, id);

const toKeys = (places: RunPlace[]): Set<string> => new Set(places.map(toKey));

const toReplay = ({ runId, queuedAt }: KnownOnce): AcceptedRun => ({
  id: runId,
  createdAt: queuedAt ?? timeOfId(runId),
  isReplay: true,
});

const keyReused = () => new Refusal("idempotency_key_reused", "This Idempotency-Key was used for another request.");

/** The run that was accepted for the same request before, whatever has changed since. */
export const createFindReplay =
  ({ db }: { db: Database }) =>
  async (
    organizationId: string,
    { key, requestSha256 }: { key: string; requestSha256: Buffer },
  ): Promise<AcceptedRun | undefined> => {
    const [known] = await findOnce(onPool(db), [{ organizationId, key }]);
    if (known && !known.requestSha256.equals(requestSha256)) throw keyReused();
    return known && toReplay(known);
  };

const placeOfKey = (organizationId: string, key: string): string => `${organizationId} ${key}`;
