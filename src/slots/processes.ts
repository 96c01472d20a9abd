import type { Database } from "../storage/database.ts";
import { tellAll } from "./slot-store.ts";
import type { Slots } from "./slots.ts";

export type Processes = ReturnType<typeof createProcesses>;

/** Words between all processes of a database. They are heard over the connection that each has for its slots, and may be lost. */
export function createProcesses({ db, slots }: { db: Database; slots: Pick<Slots, "workerId" | "onWord"> }) {
  return {
    /** To all, this one too; false, and nothing said, when there is no other. */
    tell: (word: string): Promise<boolean> => tellAll(db, word, slots.workerId()),
    hear: slots.onWord,
  };
}
