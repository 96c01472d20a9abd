import { createBatch } from "../base/batch.ts";
import type { Clock } from "../base/clock.ts";
import { newId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { scrubbed } from "../base/scrub.ts";
import { outputsLimitBytes as mostOutputBytes, type Payload, toPayload, toStorableLine } from "../records/payload.ts";
import type { TableOf } from "../records/table-of.ts";
import { timeOfId } from "../records/time-of-id.ts";
import { createScrubs, type FindStoredOf, type Scrub } from "../records/typed-secrets.ts";
import type { Database } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import { type CallEnd, endCalls, findExistingCalls, insertCalls, type NewCallRow } from "./store.ts";
import { createUnsettled } from "./unsettled.ts";
import type { CallSource } from "./wire.ts";

export type CallPlace = { organizationId: string; id: string };

export type ArrivedCall = CallPlace & {
  /** Of version 7, made when the call arrived; the same for every attempt to record it. */
  id: string;
  source: CallSource;
  serverId: string;
  tool: string;
  apiKeyId?: string | undefined;
  apiKeyName?: string | undefined;
  oauthClientId?: string | undefined;
  oauthClientName?: string | undefined;
  userId?: string | undefined;
  userName?: string | undefined;
  parameters: unknown;
  /** References only. */
  credentials: unknown;
  /** How long it waited for a slot. */
  queueMs: number;
  traceId?: string | undefined;
  requestId?: string | undefined;
  replayOf?: string | undefined;
};

type CallError = { code: string; message: string };

/** A call that has ended; what its caller typed tells what else is left out. */
type EndedCall = CallPlace & { parameters?: unknown };

export type CallOutcome = {
  status: "success" | "failed" | "timed_out" | "cancelled";
  outputs?: unknown;
  error?: CallError | undefined;
  durationMs: number;
};

type RecorderOptions = {
  db: Database;
  clock: Clock;
  log: Log;
  /** Called after each commit. */
  onChange: (changed: CallPlace[]) => void;
  /** Told how many rows each write stores. */
  onBatch?: (rows: number) => void;
  /** The whole table unless given. */
  tableOf?: TableOf;
  /** None unless given. */
  findStoredOf?: FindStoredOf;
  parametersLimitBytes?: number;
  outputsLimitBytes?: number;
};

export type Recorder = ReturnType<typeof createRecorder>;

const credentialsLimitBytes = 16 * 1024;
const messageLimit = 4_000;
const nameLimit = 200;
/** A statement has two seconds, so rows with much text go in small batches of their own. */
const largeBytes = 64 * 1024;

/**
 * Writes down each call before it runs and when it has ended. A promise resolves when the row is committed and rejects with
 * `record_unavailable` when that is not certain; repeating the same call with the same id is then safe.
 */
export function createRecorder(options: RecorderOptions) {
  const { db, clock, log, onChange, onBatch, tableOf } = options;
  const owner = newId();
  let hasOpened = false;
  const opens = createSizedBatch(db, async (rows: NewCallRow[]) => {
    await insertCalls(db, rows, tableOf);
    onBatch?.(rows.length);
    onChange(rows);
  });
  const closes = createSizedBatch(db, async (ends: CallEnd[]) => {
    const ended = new Set(await endCalls(db, ends, tableOf));
    onBatch?.(ends.length);
    onChange(ends.filter(({ id }) => ended.has(id)));
    await requireExisting(
      db,
      ends.filter(({ id }) => !ended.has(id)),
    );
  });
  const writeEnd = (end: CallEnd): Promise<void> => closes.add(end, end.outputs?.length ?? 0);
  const unsettled = createUnsettled({ write: writeEnd, log });
  const scrubOf = createScrubs(options.findStoredOf ?? (async () => () => []));
  const { toRow, toEnd } = createRows(options, owner);
  const refuse = createRefuse(log);

  const insert = async (row: NewCallRow): Promise<void> => {
    hasOpened = true;
    await opens.add(row, row.parameters.length + (row.outputs?.length ?? 0)).catch(refuse);
  };

  return {
    owner,
    hasOpened: () => hasOpened,

    /** The row that must be there before the call does anything. */
    async open(call: ArrivedCall): Promise<void> {
      const scrub = await scrubOf(call).catch(refuse);
      const row = { ...toRow(call, scrub), startedAt: clock.now() };
      unsettled.forget(call.id);
      try {
        await insert(row);
      } catch (error) {
        // It may be written all the same, and nobody will run it.
        unsettled.keep(
          toEnd(
            call,
            { status: "failed", error: { code: "record_unavailable", message: notRun }, durationMs: 0 },
            scrub,
          ),
        );
        throw error;
      }
    },

    /** Once is enough; a second end of the same call changes nothing. */
    async close(call: EndedCall, outcome: CallOutcome): Promise<void> {
      const end = toEnd(call, outcome, await scrubOf(call).catch(refuse));
      try {
        await writeEnd(end);
      } catch (error) {
        unsettled.keep(end);
        refuse(error);
      }
    },

    /** A call that has ended before it was opened, with one row. Only for one that reached nothing outside. */
    async ended(call: ArrivedCall, outcome: CallOutcome): Promise<void> {
      const scrub = await scrubOf(call).catch(refuse);
      await insert(joinRows(toRow(call, scrub), toEnd(call, outcome, scrub)));
    },

    /** A call that never ran: refused, or cancelled while it waited. */
    async refused(call: ArrivedCall, error: CallError, status: "refused" | "cancelled" = "refused"): Promise<void> {
      const scrub = await scrubOf(call).catch(refuse);
      await insert({ ...toRow(call, scrub), status, completedAt: clock.now(), ...describeError(error, scrub) });
    },

    /** Ends whose writing failed; to be called now and then. */
    settle: () => unsettled.settle(),

    async drain(): Promise<void> {
      await opens.drain();
      await closes.drain();
    },
  };
}

/** What is stored of a call. */
function createRows(
  { clock, parametersLimitBytes = 256 * 1024, outputsLimitBytes = mostOutputBytes }: RecorderOptions,
  owner: string,
) {
  const noOutputs = { outputs: null, truncated: false, sanitized: false };
  return {
    toRow(call: ArrivedCall, scrub: Scrub | undefined): NewCallRow {
      const parameters = scrubPayload(call.parameters, parametersLimitBytes, scrub);
      const credentials = toPayload(call.credentials, credentialsLimitBytes);
      return { ...columnsOf(call), ...joinPayloads({ parameters, credentials }), owner };
    },

    toEnd({ organizationId, id }: EndedCall, outcome: CallOutcome, scrub: Scrub | undefined): CallEnd {
      const { status, outputs, error, durationMs } = outcome;
      return {
        organizationId,
        id,
        status,
        durationMs: wholeMs(durationMs),
        completedAt: clock.now(),
        ...describeError(error, scrub),
        ...(outputs === undefined ? noOutputs : endPayload(scrubPayload(outputs, outputsLimitBytes, scrub))),
      };
    },
  };
}

/** A call that was never written as running. */
const joinRows = (opened: NewCallRow, end: CallEnd): NewCallRow => ({
  ...opened,
  ...end,
  startedAt: new Date(end.completedAt.getTime() - end.durationMs),
  truncated: opened.truncated || end.truncated,
  sanitized: opened.sanitized || end.sanitized,
});

const createRefuse =
  (log: Log) =>
  (error: unknown): never => {
    if (!isDatabaseUnavailable(error)) log.error({ err: error }, "a call cannot be recorded");
    throw new Refusal(
      "record_unavailable",
      "The record of this call could not be written, so its outcome is not certain.",
      {
        cause: error,
      },
    );
  };

const notRun = "The call was not run, because its record could not be written.";

function createSizedBatch<Item>({ gatherMs }: Database, write: (items: Item[]) => Promise<void>) {
  const flush = async (items: Item[]): Promise<undefined[]> => {
    await write(items);
    return items.map(() => undefined);
  };
  const small = createBatch({ flush, maxItems: 256, gatherMs, isFatal: isDatabaseUnavailable });
  const large = createBatch({ flush, maxItems: 4, isFatal: isDatabaseUnavailable });
  return {
    async add(item: Item, bytes: number): Promise<void> {
      await (bytes > largeBytes ? large : small).add(item);
    },
    async drain(): Promise<void> {
      await Promise.all([small.drain(), large.drain()]);
    },
  };
}

async function requireExisting(db: Database, ends: CallEnd[]): Promise<void> {
  if (ends.length === 0) return;
  const existing = new Set(await findExistingCalls(db, ends));
  if (ends.some(({ id }) => !existing.has(id))) throw new Error("There is no record of this call.");
}

function columnsOf(call: ArrivedCall) {
  const { organizationId, id, source, serverId, tool, queueMs } = call;
  return {
    organizationId,
    id,
    source,
    serverId,
    tool,
    queueMs: wholeMs(queueMs),
    queuedAt: timeOfId(id),
    apiKeyId: call.apiKeyId ?? null,
    apiKeyName: line(call.apiKeyName),
    oauthClientId: line(call.oauthClientId),
    oauthClientName: line(call.oauthClientName),
    userId: call.userId ?? null,
    userName: line(call.userName),
    traceId: line(call.traceId),
    requestId: line(call.requestId),
    replayOf: call.replayOf ?? null,
    status: "running" as const,
    startedAt: null,
    completedAt: null,
    durationMs: null,
    outputs: null,
    errorCode: null,
    errorMessage: null,
  };
}

const line = (text: string | undefined): string | null => (text === undefined ? null : toStorableLine(text, nameLimit));

const describeError = (error: CallError | undefined, scrub: Scrub | undefined) => ({
  errorCode: line(error?.code),
  errorMessage: error ? toStorableLine(scrub?.text(error.message) ?? error.message, messageLimit) : null,
});

function scrubPayload(value: unknown, limitBytes: number, scrub: Scrub | undefined): Payload {
  const payload = toPayload(scrub ? scrub.value(value) : value, limitBytes);
  return scrub && payload.text.includes(scrubbed) ? { ...payload, sanitized: true } : payload;
}

function joinPayloads({ parameters, credentials }: { parameters: Payload; credentials: Payload }) {
  return {
    parameters: parameters.text,
    credentials: credentials.text,
    truncated: parameters.truncated || credentials.truncated,
    sanitized: parameters.sanitized || credentials.sanitized,
  };
}

const endPayload = ({ text, ...flags }: Payload) => ({ outputs: text, ...flags });

const wholeMs = (milliseconds: number): number => Math.max(0, Math.round(milliseconds));
