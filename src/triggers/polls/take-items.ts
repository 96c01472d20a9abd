import { toStorableText } from "../../base/json.ts";
import { Refusal } from "../../base/refusal.ts";
import type { PollItem } from "../../contract/poll.ts";
import type { Database } from "../../storage/database.ts";
import {
  findDueAgain,
  findThoseWithRoom,
  leave,
  leaveWithRun,
  noteFaultAgain,
  noteFaulty,
  postpone,
} from "./faulty-item-store.ts";
import { isOver, type Look } from "./look.ts";
import { noteItems, noteWithRun, pollTables } from "./poll-store.ts";
import { createTakeItem, type Fault } from "./take-item.ts";
import { wordsOf } from "./words-of.ts";

export type TakeItems = ReturnType<typeof createTakeItems>;

type Options = Parameters<typeof createTakeItem>[0] & { db: Database };

type Faulty = Fault & { itemId: string; item: PollItem };

/** Of a page. */
const mostFaulty = 100;
/** Where nothing else could be read: the service may refuse all of them. */
const mostRefused = 5;
const mostDoubtful = 3;
/** Of a look, and for how long: what is new must not wait for it. */
const mostTriedAgain = 50;
const tryAgainMs = 10_000;

/** Starts a run for each item, oldest first, or notes that it starts none, or keeps it back with what is wrong with it. */
export function createTakeItems({ db, ...options }: Options) {
  const tables = pollTables(db);
  const take = createTakeItem(options);

  /** Whether all of them are kept now. What others could be read beside is a fault of the item; otherwise the service itself may be down. */
  async function keep(look: Look, faulty: Faulty[]): Promise<boolean> {
    const sure = look.doneWith > 0 ? faulty : faulty.filter(({ isSure }) => isSure);
    const kept = sure.length === 0 ? [] : await findThoseWithRoom(tables, look.row, sure.map(toStored));
    if (kept.length > 0) await noteFaulty(tables, look.row, kept);
    const doubtful = faulty.find((item) => !sure.includes(item));
    if (doubtful) throw doubtful.reason;
    return kept.length === sure.length;
  }

  return {
    /** Tells whether all of them are done with, so that the mark can go on. */
    async takeNew(look: Look, items: ReadonlyMap<string, PollItem>): Promise<boolean> {
      const faulty: Faulty[] = [];
      let isAll = true;
      for (const [itemId, item] of items) {
        isAll = !isOver(look) && !isTooMuch(look, faulty);
        if (!isAll) break;
        const fault = await take(look, {
          itemId,
          item,
          noteWithRun: (run) => noteWithRun(run, look.row, itemId),
          noteAlone: () => noteItems(tables, look.row, [itemId]),
        });
        if (fault !== null) faulty.push({ ...fault, itemId, item });
      }
      return (await keep(look, faulty)) && isAll;
    },

    /** Those that were kept back, and whose time has come. */
    async tryAgain(look: Look): Promise<void> {
      const endsAt = performance.now() + tryAgainMs;
      for (const due of await findDueAgain(tables, look.row, mostTriedAgain)) {
        if (isOver(look) || performance.now() > endsAt) return;
        const itemId = due.item_id;
        const fault = await take(look, {
          itemId,
          item: JSON.parse(due.item) as PollItem,
          noteWithRun: (run) => leaveWithRun(run, look.row, itemId),
          noteAlone: () => leave(tables, look.row, itemId),
        }).catch(async (error: unknown) => {
          // Nobody gives it up for that, but the next look comes to what is new.
          if (!isOver(look)) await postpone(tables, look.row, due);
          throw error;
        });
        if (fault !== null) await noteFaultAgain(tables, look.row, { ...due, fault: wordsOf(fault.reason) });
      }
    },
  };
}

function isTooMuch({ doneWith }: Look, faulty: Faulty[]): boolean {
  if (faulty.length >= mostFaulty) return true;
  if (doneWith > 0) return false;
  const refused = faulty.filter(({ reason }) => !(reason instanceof Refusal && reason.code === "validation_failed"));
  return refused.length >= mostRefused || faulty.filter(({ isSure }) => !isSure).length >= mostDoubtful;
}

const toStored = ({ itemId, item, reason }: Faulty) => ({
  itemId,
  item: toStorableText(item).text,
  fault: wordsOf(reason),
});
