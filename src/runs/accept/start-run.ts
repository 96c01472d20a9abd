import { createBatch } from "../../base/batch.ts";
import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { toStorableText } from "../../base/json.ts";
import { Refusal } from "../../base/refusal.ts";
import { toStorableLine } from "../../records/payload.ts";
import type { TableOf } from "../../records/table-of.ts";
import { timeOfId } from "../../records/time-of-id.ts";
import type { Database, Sql } from "../../storage/database.ts";
import { isDatabaseUnavailable } from "../../storage/database-errors.ts";
import type { Workflows } from "../../workflows/workflows.ts";
import { insertFiles } from "../read/file-store.ts";
import { findActiveTriggers, findUnfinished, insertRuns, type NewRun, type RunPlace } from "../store.ts";
import { onPool } from "../walk/checkpoint-store.ts";
import type { FindGraph } from "../walk/find-graph.ts";
import type { CheckOverrides } from "./check-overrides.ts";
import { claimOnce, findOnce, type KnownOnce, type Once } from "./once-store.ts";
import { requirePublished, requireRunnable } from "./require-runnable.ts";
import type { RunRequest } from "./run-request.ts";

/** Durable once it returns. `isReplay`: the run was there already, by `once`. */
export type StartRun = (request: RunRequest) => Promise<{ id: string; createdAt: Date; isReplay: boolean }>;

type StartOptions = {
  workflows: Pick<Workflows, "find">;
  findGraph: FindGraph;
  checkOverrides: CheckOverrides;
  accept: (request: RunToAccept) => Promise<AcceptedRun>;
  findReplay: ReturnType<typeof createFindReplay>;
  clock: Clock;
};

type OverridesToCheck = Required<Pick<RunRequest, "organizationId" | "workflowId" | "overrides">>;

const nameLimit = 200;

/** Refuses what does not fit before anything is stored; what is accepted is in the database, with its place in the queue. */
export function createStartRun({ workflows, findGraph, checkOverrides, accept, findReplay, clock }: StartOptions) {
  const start: StartRun = async (request) => {
    const { organizationId, workflowId, overrides = [], once } = request;
    const replay = once && (await findReplay(organizationId, once));
    if (replay) return replay;
    const workflow = await workflows.find(organizationId, workflowId);
    if (!workflow) throw new Refusal("workflow_not_found", "There is no such workflow.");
    requireRunnable(workflow);
    const graph = await findGraph(organizationId, workflow.id, workflow.version);
    if (graph.size === 0) throw new Refusal("workflow_inactive", "This workflow has no nodes yet.");
    if (overrides.length > 0) await checkOverrides(organizationId, graph, overrides);
    const queuedAt = clock.now();
    const row = { ...toRow(request, queuedAt), workflowId: workflow.id, workflowVersion: workflow.version };
    return await accept({ row, once, evenIfOff: request.evenIfOff, alsoInsert: insertWith(request, row) });
  };

  return {
    start,

    /** Refuses overrides that a run of the workflow, as it is now, would be refused with. */
    async checkOverrides({ organizationId, workflowId, overrides }: OverridesToCheck): Promise<void> {
      const workflow = await workflows.find(organizationId, workflowId);
      if (!workflow) throw new Refusal("workflow_not_found", "There is no such workflow.");
      // A draft may get triggers before it is published; what they change of its nodes is for those that are.
      if (workflow.version === 0 && overrides.length === 0) return;
      requirePublished(workflow);
      await checkOverrides(organizationId, await findGraph(organizationId, workflow.id, workflow.version), overrides);
    },
  };
}

/** Stores the files of a run beside its row: rows are written in batches that runs share, which stay small without them. */
function insertWith({ files = [], alsoInsert }: RunRequest, place: RunPlace): RunToAccept["alsoInsert"] {
  if (files.length === 0) return alsoInsert;
  const { text } = toStorableText(files);
  return async (sql) => {
    await insertFiles(sql, place, text);
    await alsoInsert?.(sql);
  };
}

/** How a run is stored before anything has happened to it. */
export function toRow(
  request: Omit<RunRequest, "workflowId">,
  queuedAt: Date,
): Omit<NewRun, "workflowId" | "workflowVersion"> {
  const { overrides = [], apiKey, user, oauthClient, trace, parent } = request;
  return {
    organizationId: request.organizationId,
    id: request.id ?? newId(),
    kind: request.kind,
    queuedAt,
    triggerId: request.triggerId ?? null,
    triggerData: toStorableText(request.trigger).text,
    overrides: overrides.length > 0 ? toStorableText(overrides).text : null,
    apiKeyId: apiKey?.id ?? null,
    apiKeyName: line(apiKey?.name),
    userId: user?.id ?? null,
    userName: line(user?.name),
    oauthClientId: line(oauthClient?.id),
    oauthClientName: line(oauthClient?.name),
    requestId: line(request.requestId),
    traceId: trace.traceId,
    traceParent: trace.toTraceParent(),
    rerunOf: null,
    parentRunId: parent?.runId ?? null,
    depth: parent ? parent.depth + 1 : 0,
  };
}

/** A name as it is stored: on one line, and not too long. */
const line = (text: string | undefined): string | null => (text === undefined ? null : toStorableLine(text, nameLimit));

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

type AcceptOptions = {
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
export function createAcceptRuns({ db, tableOf, insertIntoQueue, claimIn, wake, owner, onChange }: AcceptOptions) {
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
