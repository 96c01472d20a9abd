import { createHash } from "node:crypto";
import { Refusal } from "../../base/refusal.ts";
import { factsOfFailure, type Tracing } from "../../base/tracing.ts";
import type { PollItem } from "../../contract/poll.ts";
import type { StartRun } from "../../runs/accept/start-run.ts";
import type { Sql } from "../../storage/database.ts";
import type { IsFilterMet } from "../filter-events.ts";
import { requestOfItem } from "../run-requests.ts";
import { judgeFault } from "./judge-fault.ts";
import { isOver, type Look } from "./look.ts";
import type { StopOwnItems } from "./stop-own-items.ts";

type Options = {
  startRun: StartRun;
  stopOwnItems: StopOwnItems;
  isFilterMet: IsFilterMet;
  tracing: Tracing;
  itemLimitMs?: number;
};

type Taking = {
  itemId: string;
  item: PollItem;
  /** With its run; false where there must be none. */
  noteWithRun: (sql: Sql) => Promise<boolean>;
  /** That it starts nothing. */
  noteAlone: () => Promise<unknown>;
};

/** `isSure`: of the item alone, whatever the service says of others. */
export type Fault = { reason: unknown; isSure: boolean };

/** How long one item may take to be read, so that one that hangs leaves time for the others. */
const usualItemLimitMs = 10_000;

/** Starts the run of an item, or notes that it starts none. */
export function createTakeItem(options: Options) {
  const { startRun, stopOwnItems, isFilterMet, tracing, itemLimitMs = usualItemLimitMs } = options;

  async function start(look: Look, { itemId, item, noteWithRun: note }: Taking, payload: unknown): Promise<void> {
    const { row, target } = look;
    await stopOwnItems(look, item, payload);
    const trace = tracing.follow().begin("poll", {
      "switchyard.organization.id": row.organization_id,
      "switchyard.trigger.id": row.id,
      "switchyard.workflow.id": row.workflow_id,
    });
    const key = `poll:${row.id}:${row.poll_round}:${itemId}`;
    let isTaken = false;
    try {
      const { isReplay } = await startRun({
        ...requestOfItem(row, { poll: target.poll, payload }, trace),
        once: { key, requestSha256: createHash("sha256").update(key).digest() },
        async alsoInsert(sql) {
          isTaken = !(await note(sql));
          if (isTaken)
            throw new Refusal("conflict", "This item has its run already, or the trigger looks elsewhere by now.");
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
  async function read(
    { row, target: { poll, parameters }, account }: Look,
    item: PollItem,
  ): Promise<{ payload: unknown } | undefined> {
    const readMore = poll.read;
    const payload = readMore
      ? await account.ask((call) => readMore(call, item, parameters), itemLimitMs)
      : item.payload;
    if (readMore && payload === undefined) return undefined;
    const isWanted =
      row.filter === "" || (await isFilterMet(row, requestOfItem(row, { poll, payload }, tracing.follow()).trigger));
    return isWanted ? { payload } : undefined;
  }

  /** Why it is not done with, where that is or may be a fault of the item alone, which must not keep the others. */
  return async (look: Look, taking: Taking): Promise<Fault | null> => {
    const found = await read(look, taking.item).catch((error: unknown) => {
      const verdict = isOver(look) ? "none" : judgeFault(error);
      if (verdict === "none") throw error;
      return { reason: error, isSure: verdict === "sure" };
    });
    if (found && "reason" in found) {
      look.fault ??= found.reason;
      return found;
    }
    if (found === undefined) await taking.noteAlone();
    else await start(look, taking, found.payload);
    look.doneWith += 1;
    return null;
  };
}
