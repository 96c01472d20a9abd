import { createHash } from "node:crypto";
import { Refusal } from "../../base/refusal.ts";
import type { PollItem, PollPage } from "../../contract/poll.ts";
import type { Database } from "../../storage/database.ts";
import { pruneFaulty } from "./faulty-item-store.ts";
import type { Target } from "./find-poll.ts";
import { isOver, type Look } from "./look.ts";
import type { OpenAccount } from "./open-account.ts";
import { type ClaimedPoll, findSeen, noteItems, pollTables, pruneItems, storeMark } from "./poll-store.ts";
import type { TakeItems } from "./take-items.ts";

export type LookForNew = ReturnType<typeof createLookForNew>;

type Options = { db: Database; openAccount: OpenAccount; takeItems: TakeItems; limitMs?: number };

/** `failure` is null where the service could be looked at, `fault` where nothing is wrong with an item of it. */
export type Looked = { started: number; hasMore: boolean; failure: unknown; fault: unknown };

/** How long one look may take. */
export const lookLimitMs = 30_000;
const mostPages = 10;
const keptDays = 30;
const longestId = 500;

/**
 * Looks once for what is new and starts a run for each item that the trigger has never seen. An item is noted as seen in the transaction that
 * stores its run or what is wrong with it, and the mark after all items of its page: whoever dies in between, or looks at the same time, loses and
 * repeats nothing.
 */
export function createLookForNew({ db, openAccount, takeItems, limitMs = lookLimitMs }: Options) {
  const tables = pollTables(db);

  /** Those that the trigger has not seen yet, each once. */
  async function findNew(row: ClaimedPoll, { items }: PollPage): Promise<Map<string, PollItem>> {
    const byId = new Map(items.map((item) => [toStoredId(item.id), item]));
    const seen = await findSeen(tables, row, [...byId.keys()]);
    return new Map([...byId].filter(([id]) => !seen.has(id)));
  }

  /** What there was before the trigger starts nothing. All pages are noted before the mark says where what is new begins. */
  async function passOver(look: Look): Promise<boolean> {
    const { row } = look;
    let mark: string | null = null;
    for (let pages = 0; pages < mostPages; pages++) {
      const page = await list(look, mark);
      await noteItems(tables, row, [...(await findNew(row, page)).keys()]);
      const goesOn = hasNext(page, mark);
      mark = page.mark;
      if (!goesOn) break;
    }
    if (mark !== null) await storeMark(tables, row, { from: null, to: mark });
    return false;
  }

  /** Whether there is more than one look may take. */
  async function takeNew(look: Look): Promise<boolean> {
    let mark = look.row.poll_mark;
    let isDone = true;
    for (let pages = 0; pages < mostPages; pages++) {
      const page = await list(look, mark);
      isDone = (await takeItems.takeNew(look, await findNew(look.row, page))) && isDone;
      // What is not done with is listed again at the next look; what comes after it need not wait for that.
      const isAhead = !isDone || (await storeMark(tables, look.row, { from: mark, to: page.mark }));
      if (isOver(look)) return true;
      if (!isAhead || !hasNext(page, mark)) return false;
      mark = page.mark;
    }
    return true;
  }

  /** Once a day: a trigger may have seen millions, and all of them are read to find those that are old. */
  async function forgetOld(row: ClaimedPoll): Promise<void> {
    if (dayOf(row.last_polled_at) === dayOf(row.claimed_at)) return;
    await pruneFaulty(tables, row, keptDays);
    await pruneItems(tables, row, keptDays);
  }

  return async (row: ClaimedPoll, target: Target, signal: AbortSignal): Promise<Looked> => {
    const { organization_id: organizationId, credential_id: credentialId } = row;
    const account = await openAccount({ organizationId, provider: target.provider, credentialId, limitMs, signal });
    const look: Look = { row, target, account, signal, started: 0, doneWith: 0, fault: null };
    const isFirst = row.poll_mark === null && !(row.poll_takes_existing && row.last_polled_at === null);
    try {
      await takeItems.tryAgain(look);
      const hasMore = isFirst ? await passOver(look) : await takeNew(look);
      account.noteSuccess();
      if (!hasMore) await forgetOld(row);
      return { started: look.started, hasMore, failure: null, fault: look.fault };
    } catch (error) {
      // With many items the time is over in the middle of one: the next look goes on from there.
      const isCutOff = look.doneWith > 0 && isTimeout(error) && isOver(look);
      return { started: look.started, hasMore: isCutOff, failure: isCutOff ? null : error, fault: look.fault };
    }
  };
}

const list = ({ row, target: { poll, parameters }, account }: Look, mark: string | null): Promise<PollPage> =>
  account.ask((call) => poll.list(call, { parameters, mark, now: row.claimed_at }));

const dayOf = (time: Date | null): string | undefined => time?.toISOString().slice(0, 10);

/** A page that leads to itself would be asked for again without end. */
const hasNext = (page: PollPage, mark: string | null): boolean => page.hasMore && page.mark !== mark;

const isTimeout = (error: unknown): boolean => error instanceof Refusal && error.code === "outbound_timeout";

/** As it is where the database takes it, and not longer than an index does. */
const toStoredId = (id: string): string =>
  id.length <= longestId && id.isWellFormed() && !id.includes("\0")
    ? id
    : `sha256:${createHash("sha256").update(id).digest("hex")}`;
