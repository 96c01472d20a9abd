import type { Sql } from "../../storage/database.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import { notifyWorkers } from "../store.ts";
import type { Parent } from "./called-store.ts";

type Told = { parents: Parent[] /** Which one has ended, where it is one. */; calledId?: string };

/** Tells runs that one they called has ended: those that wait get their turn, those at work look what has become of it. */
export async function tellParents(sql: Sql, queue: Pick<RunQueue, "wake">, { parents, calledId }: Told): Promise<void> {
  await queue.wake(
    sql,
    parents.filter(({ status }) => status === "waiting"),
  );
  // One that waits may have been taken up by a process just now, and then its place in the queue wakes nobody.
  for (const { id, status } of parents)
    if (status === "pending" || status === "running" || status === "waiting")
      await notifyWorkers(sql, [calledWord, id, calledId].join(" ").trim());
}

/** What workers are told of a run that is at work in one of them. */
export const calledWord = "called";
