import { Refusal } from "../../base/refusal.ts";
import type { Database, Sql } from "../../storage/database.ts";
import type { Canvas } from "../../workflows/wire.ts";
import type { RunPlace } from "../store.ts";
import { findEditorRun, insertEditorRun, lockWrites } from "./editor-store.ts";
import { refuseRepeats } from "./never-repeat.ts";

type Copy = {
  /** The new run. */
  runId: string;
  /** Canvas ids of nodes that are taken over. */
  taken: ReadonlySet<string>;
  /** Those that the run before took over, and did not execute itself. */
  takenBefore: readonly string[];
  /** Whether it is started with all that the run before was. */
  isUnchanged: boolean;
  allowRepeat: boolean;
};

/** What lets a run of the editor be run again on the canvas that it had. It is stored together with the new run. */
export async function copyEditorRun(
  db: Database,
  before: RunPlace,
  { runId, taken, takenBefore, isUnchanged, allowRepeat }: Copy,
): Promise<(sql: Sql) => Promise<void>> {
  const known = await findEditorRun(db, before);
  if (!known) throw new Refusal("workflow_not_found", "The canvas of this run is gone.");
  // What was taken over before and is executed now may be done already; whether it writes is known by the run that executed it.
  const writes = [...new Set([...known.writes, ...takenBefore])].filter((id) => !taken.has(id));
  const repeats = { draft: known, canvas: JSON.parse(known.canvas) as Canvas, writes };
  return async (sql) => {
    await lockWrites(sql, known);
    if (!allowRepeat) await refuseRepeats(sql, repeats);
    await insertEditorRun(sql, {
      ...known,
      runId,
      writes,
      fingerprints: isUnchanged ? known.fingerprints : "{}",
      takenRuns: [...known.takenRuns, before.id],
    });
  };
}
