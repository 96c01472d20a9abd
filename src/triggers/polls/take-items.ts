import { createHash } from "node:crypto";
import { Refusal, type RefusalCode } from "../../base/refusal.ts";
import { factsOfFailure, type Tracing } from "../../base/tracing.ts";
import type { PollItem } from "../../contract/poll.ts";
import type { StartRun } from "../../runs/accept/start-run.ts";
import type { Database } from "../../storage/database.ts";
import { isFilterMet } from "../filter-events.ts";
import { wishOfItem } from "../run-wishes.ts";
import type { Target } from "./find-poll.ts";
import type { OpenAccount } from "./open-account.ts";
import { type ClaimedPoll, noteItems, noteWithRun, pollTables } from "./poll-store.ts";

export type TakeItems = ReturnType<typeof createTakeItems>;

/** A look of a trigger that is under way, and what came of it so far. */
export type Look = {
  row: ClaimedPoll;
  target: Target;
  account: Awaited<ReturnType<OpenAccount>>;
  signal: AbortSignal;
  started: number;
  /** How many items need not be looked at again: they have their run, or start none. */
  doneWith: number;
  /** Why items of it did not get their runs. */
  failure: Refusal | null;
};

type Options = { db: Database; startRun: StartRun; tracing: Tracing };

/** Of a look: each is read and judged again at the next one. */
const mostFaultyItems = 100;
/** Those that the service itself refuses. It may refuse all of them. */
const mostRefusedItems = 5;

/** Starts a run for each item, oldest first, or notes that it starts none. Tells whether all of them are done with. */
export function createTakeItems({ db, startRun, tracing }: Options) {
  const tables = pollTables(db);

  async function start(look: Look, itemId: string, payload: unknown): Promise<void> {
    const { row, target } = look;
    const trace = tracing.follow().begin("poll", {
      ...{ "switchyard.organization.id": row.organization_id, "switchyard.trigger.id": row.id, "switchyard.workflow.id": row.workflow_id },
    });
    const key = `poll:${row.id}:${row.poll_round}:${itemId}`;
    let isTaken = false;
    try {
      const { isReplay } = await startRun({
        ...wishOfItem(row, { poll: target.poll, payload }, trace),
        once: { key, wishSha256: createHash("sha256").update(key).digest() },
        async alsoInsert(sql) {
          isTaken = !(await noteWithRun(sql, row, itemId));
          if (isTaken) throw new Refusal("conflict", "This item has its run already, or the trigger looks elsewhere by now.");
        },
      });
      // Otherwise another process was first, and the run belongs to its trace.
      if (isReplay) return;
      look.started += 1;
      trace.end();
    } catch (error) {
      if (isTaken) return;
      trace.end(factsOfFailure(error));
      throw error;
    }
  }

  /** Undefined where the trigger does not want it, or it is gone. */
  async function read({ row, target: { poll, parameters }, account }: Look, item: PollItem): Promise<{ payload: unknown } | undefined> {
    const readMore = poll.read;
    const payload = readMore ? await account.ask((call) => readMore(call, item, parameters)) : item.payload;
    if (readMore && payload === undefined) return undefined;
    const isWanted = row.filter === "" || (await isFilterMet(row, wishOfItem(row, { poll, payload }, tracing.follow()).trigger));
    return isWanted ? { payload } : undefined;
  }

  /** Why it is not done with, where that is a fault of the item alone, which must not keep the others. */
  async function take(look: Look, itemId: string, item: PollItem): Promise<Refusal | null> {
    const found = await read(look, item).catch((error: unknown) => {
      if (!isOfItem(error)) throw error;
      return error;
    });
    if (found instanceof Refusal) return found;
    if (found === undefined) await noteItems(tables, look.row, [itemId]);
    else await start(look, itemId, found.payload);
    look.doneWith += 1;
    return null;
  }

  return async (look: Look, items: ReadonlyMap<string, PollItem>): Promise<boolean> => {
    let [faulty, refused] = [0, 0];
    for (const [itemId, item] of items) {
      if (isOver(look) || faulty === mostFaultyItems || refused === mostRefusedItems) return false;
      const fault = await take(look, itemId, item);
      if (fault === null) continue;
      look.failure ??= fault;
      faulty += 1;
      if (fault.code !== "validation_failed") refused += 1;
    }
    return faulty === 0;
  };
}

/** Whether there is no time left for more of it. */
export const isOver = ({ signal, account }: Look): boolean => signal.aborted || account.isTooLate();

/** What the service says about one item, an answer that is too large, or what the filter cannot make of it; the next one may be better. */
function isOfItem(error: unknown): error is Refusal {
  if (!(error instanceof Refusal)) return false;
  const status = error.provider?.status;
  if (status === undefined) return codesOfItem.has(error.code);
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}

const codesOfItem = new Set<RefusalCode>(["validation_failed", "expression_timeout", "provider_error", "outbound_refused"]);
