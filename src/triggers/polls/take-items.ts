import { createHash } from "node:crypto";
import { Refusal } from "../../base/refusal.ts";
import { factsOfFailure, type Tracing } from "../../base/tracing.ts";
import type { PollItem } from "../../contract/poll.ts";
import type { StartRun } from "../../runs/start-run.ts";
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

const mostFaultyItems = 5;

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
        async alsoInsert(run) {
          isTaken = !(await noteWithRun(run, row, itemId));
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

  /** Undefined where the trigger does not want it. */
  async function read({ row, target: { poll, parameters }, account }: Look, item: PollItem): Promise<{ payload: unknown } | undefined> {
    const readMore = poll.read;
    const payload = readMore ? await account.ask((call) => readMore(call, item, parameters)) : item.payload;
    const isWanted = row.filter === "" || (await isFilterMet(row, wishOfItem(row, { poll, payload }, tracing.follow()).trigger));
    return isWanted ? { payload } : undefined;
  }

  /** A fault of the item alone must not keep the others. */
  async function tryToRead(look: Look, item: PollItem) {
    return await read(look, item).catch((error: unknown) => {
      if (!isOfItem(error)) throw error;
      look.failure ??= error;
      return "faulty" as const;
    });
  }

  /** Whether it is done with. */
  async function take(look: Look, itemId: string, item: PollItem): Promise<boolean> {
    const found = await tryToRead(look, item);
    if (found === "faulty") return false;
    if (found === undefined) await noteItems(tables, look.row, [itemId]);
    else await start(look, itemId, found.payload);
    look.doneWith += 1;
    return true;
  }

  return async (look: Look, items: ReadonlyMap<string, PollItem>): Promise<boolean> => {
    let faulty = 0;
    for (const [itemId, item] of items) {
      if (isOver(look) || faulty === mostFaultyItems) return false;
      if (!(await take(look, itemId, item))) faulty += 1;
    }
    return faulty === 0;
  };
}

/** Whether there is no time left for more of it. */
export const isOver = ({ signal, account }: Look): boolean => signal.aborted || account.isTooLate();

/** What the service says about one item, or what the filter cannot make of it; the next one may be better. */
function isOfItem(error: unknown): error is Refusal {
  if (!(error instanceof Refusal)) return false;
  const status = error.provider?.status;
  if (status === undefined) return error.code === "validation_failed" || error.code === "expression_timeout";
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}
